//===- FirstPartUses.cpp - Uses of where a global\'s memory begins
//---------===//

#include "FirstPartUses.h"

#include "PartSizes.h"

using namespace clang;

namespace spmd::lint::lower {

FirstPartUses::FirstPartUses(const FunctionDecl *FD,
                             const GlobalArenas &Known) {
  PointerUses Found;
  Found.TraverseStmt(FD->getBody());
  forEachOfSize(
      Found, FD->getASTContext(),
      [&](const Expr *E) -> const Expr * {
        const VarDecl *VD = variableOf(E);
        return VD && Known.isFirstPart(VD) ? Known.firstSize(VD) : nullptr;
      },
      [&](const Expr *E) { Alone.insert(bare(E)); });
}

} // namespace spmd::lint::lower
