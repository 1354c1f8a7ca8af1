//===- PartSizes.cpp - Whether a number is where a part ends --------------===//

#include "PartSizes.h"

#include "Strip.h"
#include "SymbolicCounts.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

/// Whether \p E says the number \p Size, perhaps in bytes: by the name that
/// the function that lays out the memory has for it.
static bool saysSize(const Expr *E, const Expr *Size, const ASTContext &Ctx) {
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

void forEachOfSize(const PointerUses &In, const ASTContext &Ctx,
                   llvm::function_ref<const Expr *(const Expr *)> SizeOf,
                   llvm::function_ref<void(const Expr *)> Do) {
  for (const CallExpr *Call : In.Calls)
    for (const Expr *A : Call->arguments())
      if (const Expr *Size = SizeOf(A))
        if (llvm::any_of(Call->arguments(), [&](const Expr *Other) {
              return saysSize(Other, Size, Ctx);
            }))
          Do(A);
  for (const ArraySubscriptExpr *E : In.Elements)
    if (const Expr *Size = SizeOf(E->getBase())) {
      const VarDecl *Counter = variableOf(E->getIdx());
      const Expr *Bound = Counter ? In.BoundOf.lookup(Counter) : nullptr;
      if (Bound && saysSize(Bound, Size, Ctx))
        Do(E->getBase());
    }
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
  const auto SizeOf = [&](const Expr *E) -> const Expr * {
    const VarDecl *VD = variableOf(E);
    return VD && VD->getCanonicalDecl() == Memory ? Steps : nullptr;
  };
  bool Found = false;
  for (const PointerUses &In : Uses)
    forEachOfSize(In, Memory->getASTContext(), SizeOf,
                  [&](const Expr *) { Found = true; });
  return Found;
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
