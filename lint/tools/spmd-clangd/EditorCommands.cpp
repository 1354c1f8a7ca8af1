//===- EditorCommands.cpp - Compile commands that Clang can parse ---------===//
//
// clangd takes CUDA files for device code of a toolkit that Clang knows. The
// linker's --wrap sends each command here first: it is prepared as for a lint
// run, so that the editor and the command line parse the same program.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/CompileCommands.h"
#include "spmd/lint/ConfigFile.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"

using clang::tooling::CompileCommand;
using spmd::lint::ToolchainPaths;

// A member function is called as a free one whose first argument is `this`.
#define MANGLE                                                                 \
  "_ZNK5clang6clangd14CommandManglerclERNS_7tooling14CompileCommandEN4llvm9"   \
  "StringRefE"

void stockMangle(const void *Mangler, CompileCommand &Command,
                 llvm::StringRef File) __asm__("__real_" MANGLE);
void mangle(const void *Mangler, CompileCommand &Command,
            llvm::StringRef File) __asm__("__wrap_" MANGLE);

void mangle(const void *Mangler, CompileCommand &Command,
            llvm::StringRef File) {
  static const ToolchainPaths Paths = ToolchainPaths::find(
      llvm::sys::fs::getMainExecutable("", reinterpret_cast<void *>(&mangle)));
  // clangd calls this from several threads; a loader is for one.
  spmd::lint::ConfigLoader Loader(llvm::vfs::getRealFileSystem(), {});
  std::shared_ptr<const spmd::lint::Config> Cfg;
  if (auto Loaded = Loader.load(File))
    Cfg = *Loaded;
  else // The checks report it at the file.
    llvm::consumeError(Loaded.takeError());
  Command.CommandLine =
      spmd::lint::prepareForEditor(std::move(Command.CommandLine), File, Paths,
                                   Cfg ? *Cfg : spmd::lint::Config());
  stockMangle(Mangler, Command, File);
}
