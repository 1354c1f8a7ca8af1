//===- main.cpp - clangd with the SPMD checks -----------------------------===//
//
// Packaged clangd libraries with our objects linked in. clangd's headers are
// not packaged, so the few functions that are needed are declared here; the
// linker wraps the ones that decide which checks clangd shows. All else that it
// shows beside clangd's own is added to the messages on their way.
//
//===----------------------------------------------------------------------===//

#include "../clang-tidy-module/SpmdCheck.h"

#include "StandardStreams.h"

#include "spmd/lint/CompileCommands.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <memory>
#include <string>
#include <vector>

namespace clang::clangd {

class SymbolIndex;
int clangdMain(int Argc, char *Argv[]);

namespace remote {

/// The deleter never runs; naming it spares the class's definition. A
/// unique_ptr is returned the same way whatever its deleter.
struct NoIndex {
  void operator()(SymbolIndex *) const {}
};
/// Without this definition the remote index would pull in gRPC.
std::unique_ptr<SymbolIndex, NoIndex> getClient(llvm::StringRef,
                                                llvm::StringRef) {
  return nullptr;
}

} // namespace remote
} // namespace clang::clangd

/// What clangd's threads have analysed.
static spmd::editor::Analyses &known() {
  static spmd::editor::Analyses Known;
  return Known;
}

static std::string mainFile(const clang::SourceManager &SM) {
  const auto Main = SM.getFileEntryRefForID(SM.getMainFileID());
  llvm::SmallString<256> Path(Main ? Main->getName() : "");
  SM.getFileManager().makeAbsolutePath(Path);
  return Path.str().str();
}

static void keep(const clang::ASTContext &Ctx, const spmd::lint::Config &Cfg,
                 const spmd::lint::LintResult &Result) {
  const clang::SourceManager &SM = Ctx.getSourceManager();
  spmd::editor::Analysis A;
  A.File = mainFile(SM);
  A.Text = SM.getBufferData(SM.getMainFileID()).str();
  A.Diagnostics = Result.Diagnostics;
  A.Known = Result.Described;
  A.Covered = Result.Covered;
  A.Mesh = spmd::rules::printMesh(Cfg.mesh());
  known().put(std::move(A));
}

/// Whether clangd is to talk to an editor: not to print something and end.
static bool isServer(llvm::ArrayRef<std::string> Arguments) {
  return llvm::none_of(Arguments, [](llvm::StringRef A) {
    A = A.ltrim('-');
    return A.starts_with("check") || A.starts_with("version") ||
           A.starts_with("help") || A == "h" || A.starts_with("lit-test") ||
           A.starts_with("input-style=delimited");
  });
}

int main(int Argc, char *Argv[]) {
  spmd::lint::EveryFixOnNote = true;
  spmd::lint::LeastLevel = clang::DiagnosticIDs::Warning;
  const auto Paths =
      spmd::lint::ToolchainPaths::find(llvm::sys::fs::getMainExecutable(
          Argv[0], reinterpret_cast<void *>(&main)));
  // The builtin headers belong to the Clang whose libraries are linked.
  std::vector<std::string> Arguments(Argv, Argv + Argc);
  bool HasResourceDir = false;
  for (const std::string &A : Arguments)
    HasResourceDir |= llvm::StringRef(A).starts_with("--resource-dir");
  if (!HasResourceDir)
    Arguments.insert(Arguments.begin() + 1,
                     "--resource-dir=" + Paths.ResourceDir);
  std::vector<char *> Pointers;
  for (std::string &A : Arguments)
    Pointers.push_back(A.data());
  Pointers.push_back(nullptr);
  const auto Run = [&] {
    return clang::clangd::clangdMain(static_cast<int>(Arguments.size()),
                                     Pointers.data());
  };
  if (!isServer(llvm::ArrayRef(Arguments).drop_front()))
    return Run();
  spmd::lint::OnAnalysis = keep;
  spmd::editor::Session Between(known(), Paths.CheckPages);
  spmd::clangd::runBetween(Between, Run);
}
