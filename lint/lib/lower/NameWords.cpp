//===- NameWords.cpp - What names say -------------------------------------===//

#include "NameWords.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

bool isAny(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Words) {
  return llvm::any_of(
      Words, [&](llvm::StringRef W) { return Name.contains_insensitive(W); });
}

bool saysHowMany(llvm::StringRef Name) {
  return Name.size() == 1 || Name.starts_with_insensitive("n_") ||
         isAny(Name, {"num", "count", "size", "len", "proc", "rank", "world",
                      "node", "worker", "peer", "gpu", "dev", "total", "dim",
                      "step", "iter", "epoch", "batch"});
}

bool countsWhatItHas(const NamedDecl *D) {
  return D->getIdentifier() && isAny(D->getName(), {"size", "numel", "count",
                                                    "bytes", "length", "num_"});
}

} // namespace spmd::lint::lower
