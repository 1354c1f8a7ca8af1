//===- PartSizes.cpp - Whether a number is where a part ends --------------===//

#include "PartSizes.h"

#include "Strip.h"
#include "SymbolicCounts.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

bool saysSize(const Expr *E, const Expr *Size, const ASTContext &Ctx) {
  const Expr *Number = bare(E);
  if (const auto *Product = dyn_cast<BinaryOperator>(Number);
      Product && Product->getOpcode() == BO_Mul) {
    if (isa<UnaryExprOrTypeTraitExpr>(bare(Product->getLHS())))
      Number = bare(Product->getRHS());
    else if (isa<UnaryExprOrTypeTraitExpr>(bare(Product->getRHS())))
      Number = bare(Product->getLHS());
  }
  return printed(Number, Ctx) == printed(bare(Size), Ctx);
}

/// The numbers by which \p B allocates \p Memory.
static std::vector<const Expr *> allocated(const PointerOrigins &B,
                                           const VarDecl *Memory) {
  std::vector<const Expr *> Out;
  const auto Add = [&](const Expr *Value) {
    Value = bare(Value);
    if (const auto *Call = dyn_cast_or_null<CallExpr>(Value))
      llvm::append_range(Out, Call->arguments());
    if (const auto *New = dyn_cast_or_null<CXXNewExpr>(Value);
        New && New->getArraySize())
      Out.push_back(*New->getArraySize());
  };
  Add(B.onlyValue(Memory));
  for (const auto &[VD, Value] : B.Globals)
    if (VD->getCanonicalDecl() == Memory)
      Add(Value);
  for (const CallExpr *Call : B.Calls)
    if (llvm::any_of(Call->arguments(), [&](const Expr *A) {
          const VarDecl *VD = variableOf(addressed(A));
          return VD && VD->getCanonicalDecl() == Memory;
        }))
      Add(Call);
  return Out;
}

const Constancy &PartSizes::constancyOf(const FunctionDecl *FD) {
  std::unique_ptr<Constancy> &Of = Known[FD];
  if (!Of)
    Of = std::make_unique<Constancy>(FD);
  return *Of;
}

bool PartSizes::isAskedFor(const VarDecl *Memory, const Expr *Steps) {
  if (Uses.empty())
    for (const PointerOrigins &B : Bodies)
      Uses.emplace_back().TraverseStmt(B.function()->getBody());
  const ASTContext &Ctx = Memory->getASTContext();
  const auto IsOf = [&](const Expr *E) {
    const VarDecl *VD = variableOf(E);
    return VD && VD->getCanonicalDecl() == Memory;
  };
  return llvm::any_of(Uses, [&](const PointerUses &In) {
    return llvm::any_of(In.Calls,
                        [&](const CallExpr *Call) {
                          return llvm::any_of(Call->arguments(), IsOf) &&
                                 llvm::any_of(Call->arguments(),
                                              [&](const Expr *A) {
                                                return saysSize(A, Steps, Ctx);
                                              });
                        }) ||
           llvm::any_of(In.Elements, [&](const ArraySubscriptExpr *E) {
             const VarDecl *Counter = variableOf(E->getIdx());
             const Expr *Bound = Counter ? In.BoundOf.lookup(Counter) : nullptr;
             return Bound && IsOf(E->getBase()) && saysSize(Bound, Steps, Ctx);
           });
  });
}

bool PartSizes::isEnd(const PointerOrigins &B, const VarDecl *Memory,
                      const Expr *Steps) {
  const ASTContext &Ctx = Memory->getASTContext();
  const Constancy &Constant = constancyOf(B.function());
  if (const auto Number = symbolicCount(Steps, Ctx, Constant)) {
    if (Number->isNumber())
      return true;
    for (const Expr *E : allocated(B, Memory))
      if (const auto All = symbolicCount(E, Ctx, Constant);
          All && (*All - *Number).isSurelyPositive())
        return true;
  }
  return isAskedFor(Memory, Steps);
}

} // namespace spmd::lint::lower
