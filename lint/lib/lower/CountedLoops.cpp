//===- CountedLoops.cpp - Loops that count all numbers below one ----------===//

#include "CountedLoops.h"

#include "LoopCounters.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace spmd::lint::lower {

bool isNameOf(const Expr *E, const VarDecl *VD) {
  const auto *Ref =
      dyn_cast_or_null<DeclRefExpr>(E ? E->IgnoreParenImpCasts() : nullptr);
  return VD && Ref && Ref->getDecl() == VD;
}

bool isNumber(const Expr *E, std::uint64_t Number, const ASTContext &Ctx) {
  Expr::EvalResult R;
  return E && !E->isValueDependent() && E->EvaluateAsInt(R, Ctx) &&
         R.Val.getInt() == Number;
}

bool isStep(const Expr *E, const VarDecl *VD, bool Up) {
  const auto *Step =
      dyn_cast_or_null<UnaryOperator>(E ? E->IgnoreImplicit() : nullptr);
  return Step && (Up ? Step->isIncrementOp() : Step->isDecrementOp()) &&
         isNameOf(Step->getSubExpr(), VD);
}

static bool isPositive(const Expr *E, const ASTContext &Ctx) {
  Expr::EvalResult R;
  return E && !E->isValueDependent() && E->EvaluateAsInt(R, Ctx) &&
         R.Val.getInt().isStrictlyPositive();
}

const Expr *aboveLast(const Expr *E, const ASTContext &Ctx) {
  const auto *B =
      dyn_cast_or_null<BinaryOperator>(E ? E->IgnoreParenCasts() : nullptr);
  return B && B->getOpcode() == BO_Sub && isNumber(B->getRHS(), 1, Ctx)
             ? B->getLHS()
             : nullptr;
}

/// Whether \p Test is one of the number behind \p VD: `i + 1 < n`.
static bool testsNext(const BinaryOperator *Test, const VarDecl *VD) {
  const auto *B =
      dyn_cast<BinaryOperator>(Test->getLHS()->IgnoreParenImpCasts());
  return Test->getOpcode() == BO_LT && B && B->getOpcode() == BO_Add &&
         isNameOf(B->getLHS(), VD) &&
         isNumber(B->getRHS(), 1, VD->getASTContext());
}

/// A loop with \p Counter; none if that does not come to all numbers below one,
/// from zero, or one that is not much more, up or down to it.
static std::optional<CountedLoop> made(const Stmt *Loop, const VarDecl *Counter,
                                       const Expr *Condition,
                                       const Expr *Step) {
  const auto *Is = dyn_cast_or_null<BinaryOperator>(Condition);
  if (!Counter || !Is)
    return std::nullopt;
  const ASTContext &Ctx = Counter->getASTContext();
  const bool EndsEarly = testsNext(Is, Counter);
  if (!EndsEarly && !isNameOf(Is->getLHS(), Counter))
    return std::nullopt;
  const Expr *Above = aboveLast(Counter->getInit(), Ctx);
  const bool IsLater = isPositive(Counter->getInit(), Ctx);
  const bool IsUp = (Is->getOpcode() == BO_LT || Is->getOpcode() == BO_NE) &&
                    (IsLater || isNumber(Counter->getInit(), 0, Ctx)) &&
                    isStep(Step, Counter, /*Up=*/true);
  const bool IsDown = Is->getOpcode() == BO_GE && Above &&
                      isNumber(Is->getRHS(), 0, Ctx) &&
                      isStep(Step, Counter, /*Up=*/false);
  if (!IsUp && !IsDown)
    return std::nullopt;
  return CountedLoop{Loop,
                     Counter,
                     Is,
                     IsUp ? Is->getRHS() : Above,
                     Step,
                     {},
                     EndsEarly || (IsUp && IsLater)};
}

/// The number that the condition of \p S, which declares it, compares.
static const VarDecl *comparedNumber(const ForStmt *S) {
  const auto *Is = dyn_cast_or_null<BinaryOperator>(S->getCond());
  const auto *D = dyn_cast_or_null<DeclStmt>(S->getInit());
  if (!Is || !D)
    return nullptr;
  for (const Decl *One : D->decls())
    if (const auto *VD = dyn_cast<VarDecl>(One);
        VD && isLoopNumber(VD) &&
        (isNameOf(Is->getLHS(), VD) || testsNext(Is, VD)))
      return VD;
  return nullptr;
}

std::optional<CountedLoop> countedLoop(const ForStmt *S) {
  std::optional<CountedLoop> Out =
      made(S, comparedNumber(S), S->getCond(), S->getInc());
  if (Out)
    Out->Body.push_back(S->getBody());
  return Out;
}

std::optional<CountedLoop> countedLoop(const Stmt *Before, const WhileStmt *S) {
  const auto *D = dyn_cast<DeclStmt>(Before);
  const auto *Body = dyn_cast<CompoundStmt>(S->getBody());
  if (!D || !D->isSingleDecl() || !Body || Body->body_empty())
    return std::nullopt;
  std::optional<CountedLoop> Out =
      made(S, dyn_cast<VarDecl>(D->getSingleDecl()), S->getCond(),
           dyn_cast<Expr>(Body->body_back()));
  if (Out)
    Out->Body.assign(Body->body_begin(), Body->body_end() - 1);
  return Out;
}

} // namespace spmd::lint::lower
