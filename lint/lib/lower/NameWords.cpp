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

bool countsWhatItHas(const NamedDecl *D) {
  return D->getIdentifier() && isAny(D->getName(), {"size", "numel", "count",
                                                    "bytes", "length", "num_"});
}

} // namespace spmd::lint::lower
