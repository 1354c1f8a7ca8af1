//===- FirstPartUses.cpp - Uses of where a global\'s memory begins
//---------===//

#include "FirstPartUses.h"

#include "PartSizes.h"
#include "PointerUses.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

FirstPartUses::FirstPartUses(const FunctionDecl *FD,
                             const GlobalArenas &Known) {
  const ASTContext &Ctx = FD->getASTContext();
  const auto SizeOf = [&](const Expr *E) {
    const VarDecl *VD = variableOf(E);
    return VD && Known.isFirstPart(VD) ? Known.firstSize(VD) : nullptr;
  };
  PointerUses Found;
  Found.TraverseStmt(FD->getBody());
  for (const CallExpr *Call : Found.Calls)
    for (const Expr *A : Call->arguments())
      if (const Expr *Size = SizeOf(A))
        if (llvm::any_of(Call->arguments(), [&](const Expr *Other) {
              return saysSize(Other, Size, Ctx);
            }))
          Alone.insert(bare(A));
  for (const ArraySubscriptExpr *E : Found.Elements)
    if (const Expr *Size = SizeOf(E->getBase())) {
      const VarDecl *Counter = variableOf(E->getIdx());
      const Expr *Bound = Counter ? Found.BoundOf.lookup(Counter) : nullptr;
      if (Bound && saysSize(Bound, Size, Ctx))
        Alone.insert(bare(E->getBase()));
    }
}

} // namespace spmd::lint::lower
