//===- main.cpp - clangd with the SPMD checks -----------------------------===//
//
// Packaged clangd libraries with our objects linked in. clangd's headers are
// not packaged, so the few functions that are needed are declared here; the
// linker wraps the ones that decide which checks clangd shows.
//
//===----------------------------------------------------------------------===//

#include "../clang-tidy-module/SpmdCheck.h"

#include "llvm/ADT/StringRef.h"

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

int main(int Argc, char *Argv[]) {
  spmd::lint::EveryFixOnNote = true;
  spmd::lint::LeastLevel = clang::DiagnosticIDs::Warning;
  // The builtin headers belong to the Clang whose libraries are linked.
  std::vector<std::string> Arguments(Argv, Argv + Argc);
  bool HasResourceDir = false;
  for (const std::string &A : Arguments)
    HasResourceDir |= llvm::StringRef(A).starts_with("--resource-dir");
  if (!HasResourceDir)
    Arguments.insert(Arguments.begin() + 1,
                     "--resource-dir=" SPMD_CLANG_RESOURCE_DIR);
  std::vector<char *> Pointers;
  for (std::string &A : Arguments)
    Pointers.push_back(A.data());
  Pointers.push_back(nullptr);
  return clang::clangd::clangdMain(static_cast<int>(Arguments.size()),
                                   Pointers.data());
}
