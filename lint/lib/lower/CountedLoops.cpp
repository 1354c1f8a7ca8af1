//===- CountedLoops.cpp - Loops that count from zero up -------------------===//

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

static bool startsAtZero(const VarDecl *VD) {
  Expr::EvalResult R;
  return VD && VD->getInit() && !VD->getInit()->isValueDependent() &&
         VD->getInit()->EvaluateAsInt(R, VD->getASTContext()) &&
         R.Val.getInt().isZero();
}

static bool isIncrement(const Expr *E, const VarDecl *VD) {
  const auto *Step =
      dyn_cast_or_null<UnaryOperator>(E ? E->IgnoreImplicit() : nullptr);
  return Step && Step->isIncrementOp() && isNameOf(Step->getSubExpr(), VD);
}

/// A loop with \p Counter; none if that does not begin at zero, or another
/// thing is asked or done to go on.
static std::optional<CountedLoop> made(const Stmt *Loop, const VarDecl *Counter,
                                       const Expr *Condition,
                                       const Expr *Step) {
  const auto *Is = dyn_cast_or_null<BinaryOperator>(Condition);
  if (!startsAtZero(Counter) || !isIncrement(Step, Counter) || !Is ||
      !isNameOf(Is->getLHS(), Counter) ||
      (Is->getOpcode() != BO_LT && Is->getOpcode() != BO_NE))
    return std::nullopt;
  return CountedLoop{Loop, Counter, Is, Step, {}};
}

std::optional<CountedLoop> countedLoop(const ForStmt *S) {
  std::optional<CountedLoop> Out =
      made(S, numberOf(S), S->getCond(), S->getInc());
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

std::string CountedLoop::bound(const ASTContext &Ctx) const {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  Condition->getRHS()->printPretty(OS, nullptr, Ctx.getPrintingPolicy());
  return Out;
}

} // namespace spmd::lint::lower
