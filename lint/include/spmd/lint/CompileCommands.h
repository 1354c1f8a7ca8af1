//===- CompileCommands.h - How a file is to be parsed -----------*- C++ -*-===//
//
// From a compilation database, from flags after `--`, or guessed; made fit for
// Clang's front end whatever compiler they were written for.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_COMPILECOMMANDS_H
#define SPMD_LINT_COMPILECOMMANDS_H

#include "spmd/lint/Config.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace clang::tooling {
class CompilationDatabase;
} // namespace clang::tooling

namespace spmd::lint {

/// Where the tool's own data and a CUDA toolkit are.
struct ToolchainPaths {
  std::string ResourceDir;    ///< Clang's builtin headers
  std::string CudaStubs;      ///< headers that stand in for a toolkit
  std::string RuntimeInclude; ///< <spmd/spmd.h>
  std::string RulesInclude;   ///< what it includes; may equal RuntimeInclude
  std::string CheckPages;     ///< a page for each check
  std::string Cuda;           ///< root of a toolkit; empty without one

  /// Looks beside the executable first, then where the tool was built.
  static ToolchainPaths find(llvm::StringRef Executable);
};

/// Whether \p Root is the root of a CUDA toolkit.
bool isCudaToolkit(llvm::StringRef Root);

/// Rewrites the flags of an nvcc command line to Clang's, and drops those that
/// only concern code generation. Args[0] is the compiler.
std::vector<std::string> translateNvcc(llvm::ArrayRef<std::string> Args);

struct CompileCommand {
  std::string Directory;
  std::vector<std::string> Args; ///< Args[0] names the driver
  /// "compile_commands.json" (or compile_flags.txt), "--", or "guessed"
  std::string From;
};

struct CompileCommandOptions {
  std::string BuildPath; ///< -p
  /// Flags after `--`: used for every file, no database is looked for.
  std::optional<std::vector<std::string>> FixedFlags;
};

class CompileCommands {
public:
  CompileCommands(CompileCommandOptions Options, ToolchainPaths Paths);
  ~CompileCommands();

  /// Fails when -p names no database.
  llvm::Error loadBuildPath();

  /// The command for the absolute path \p File. Not thread-safe.
  CompileCommand find(llvm::StringRef File, const Config &Cfg);

  /// Databases that find() came by and could not read, with why.
  const std::map<std::string, std::string> &unreadable() const {
    return Unreadable;
  }

private:
  const clang::tooling::CompilationDatabase *databaseAbove(llvm::StringRef);
  CompileCommand raw(llvm::StringRef File);

  CompileCommandOptions Options;
  ToolchainPaths Paths;
  std::unique_ptr<clang::tooling::CompilationDatabase> Fixed;
  /// By folder; null where none was found.
  std::map<std::string, std::shared_ptr<clang::tooling::CompilationDatabase>>
      Databases;
  std::map<std::string, std::string> Unreadable;
};

/// Path of the database or compile_flags.txt that is nearest to \p File in its
/// folder or above; empty without one.
std::string databaseOf(llvm::StringRef File);

/// Why a header of \p File may not be found, as far as its compile commands say
/// so, and what to do; in words that follow a semicolon. Empty: they are in
/// order, and name the file.
std::string doubtOfCommands(llvm::StringRef File);

/// Makes the arguments fit for parsing \p File alone: outputs, precompiled
/// headers and launchers dropped, resource directory, CUDA and contracts added.
/// Shared by all front ends that have a command already.
std::vector<std::string> prepareArguments(std::vector<std::string> Args,
                                          llvm::StringRef File,
                                          const ToolchainPaths &Paths,
                                          const Config &Cfg);

/// The same for an editor's own command, which keeps its inputs and warnings:
/// only CUDA and what `.spmd-tidy` adds.
std::vector<std::string> prepareForEditor(std::vector<std::string> Args,
                                          llvm::StringRef File,
                                          const ToolchainPaths &Paths,
                                          const Config &Cfg);

} // namespace spmd::lint

#endif // SPMD_LINT_COMPILECOMMANDS_H
