//===- ProgramEnds.cpp - Where a function does not come back --------------===//

#include "ProgramEnds.h"

#include "spmd/ops/CollectiveApi.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Analysis/CFG.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

static bool neverReturns(const CFGBlock &B, const CallExpr *LastExit) {
  const auto IsStatement = [&](llvm::function_ref<bool(const Stmt *)> Is) {
    return llvm::any_of(B, [&](const CFGElement &E) {
      const std::optional<CFGStmt> S = E.getAs<CFGStmt>();
      return S && Is(S->getStmt());
    });
  };
  if (B.hasNoReturnElement())
    return !LastExit ||
           !IsStatement([&](const Stmt *S) { return S == LastExit; });
  return IsStatement([](const Stmt *S) { return isa<CXXThrowExpr>(S); });
}

static const VarDecl *variableOf(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

static std::optional<bool> isZero(const Expr *E, const ASTContext &Ctx) {
  Expr::EvalResult Value;
  if (E->isValueDependent() || !E->EvaluateAsInt(Value, Ctx))
    return std::nullopt;
  return Value.Val.getInt().isZero();
}

const CallExpr *lastExit(const FunctionDecl *Main) {
  const auto *Body = Main->isMain()
                         ? dyn_cast_or_null<CompoundStmt>(Main->getBody())
                         : nullptr;
  const Expr *Last =
      Body && !Body->body_empty() ? dyn_cast<Expr>(Body->body_back()) : nullptr;
  const auto *Call =
      Last ? dyn_cast<CallExpr>(Last->IgnoreParenImpCasts()) : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() && Callee->getName() == "exit" &&
                 Call->getNumArgs() == 1 &&
                 isZero(Call->getArg(0), Main->getASTContext()) == true
             ? Call
             : nullptr;
}

/// Whether \p V is not 0 where \p Condition is \p Holds: `v`, `!v`, `v != 0`,
/// `v < 0`.
static bool saysNonZero(const Expr *Condition, bool Holds, const VarDecl *V,
                        const ASTContext &Ctx) {
  Condition = Condition->IgnoreParenImpCasts();
  if (const auto *Not = dyn_cast<UnaryOperator>(Condition);
      Not && Not->getOpcode() == UO_LNot)
    return saysNonZero(Not->getSubExpr(), !Holds, V, Ctx);
  const auto *Test = dyn_cast<BinaryOperator>(Condition);
  if (!Test)
    return Holds && variableOf(Condition) == V;
  if (variableOf(Test->getLHS()) != V || isZero(Test->getRHS(), Ctx) != true)
    return false;
  const BinaryOperatorKind Op = Test->getOpcode();
  return Holds ? Op == BO_NE || Op == BO_LT || Op == BO_GT : Op == BO_EQ;
}

/// Whether what decided that \p B is run says that \p V is not 0 there.
static bool isNonZeroIn(const CFGBlock &B, const VarDecl *V,
                        const ASTContext &Ctx) {
  if (!V || B.pred_size() != 1)
    return false;
  const CFGBlock *From = B.pred_begin()->getReachableBlock();
  const Expr *Condition = From ? From->getLastCondition() : nullptr;
  return Condition && From->succ_size() == 2 &&
         saysNonZero(Condition, From->succ_begin()->getReachableBlock() == &B,
                     V, Ctx);
}

/// Whether \p B is where a number is returned that is not 0.
static bool returnsError(const CFGBlock &B, const ASTContext &Ctx) {
  for (const CFGElement &E : B) {
    const std::optional<CFGStmt> S = E.getAs<CFGStmt>();
    const auto *R = S ? dyn_cast<ReturnStmt>(S->getStmt()) : nullptr;
    if (!R || !R->getRetValue())
      continue;
    if (const std::optional<bool> Zero = isZero(R->getRetValue(), Ctx))
      return !*Zero;
    return isNonZeroIn(B, variableOf(R->getRetValue()), Ctx);
  }
  return false;
}

/// Whether the program ends in \p B with an error, and elsewhere without one:
/// an end that it was not written for, as exit() is.
static bool endsInError(const CFGBlock &B, const CallExpr *LastExit,
                        const ASTContext &Ctx) {
  return returnsError(B, Ctx) &&
         llvm::any_of(B.getParent()->getExit().preds(),
                      [&](const CFGBlock::AdjacentBlock &Other) {
                        const CFGBlock *X = Other.getReachableBlock();
                        return X && !neverReturns(*X, LastExit) &&
                               !returnsError(*X, Ctx);
                      });
}

bool callsAbort(const CFGBlock &B, const rules::CollectiveApis &Apis) {
  return llvm::any_of(B, [&](const CFGElement &E) {
    const std::optional<CFGStmt> S = E.getAs<CFGStmt>();
    const auto *C = S ? dyn_cast<CallExpr>(S->getStmt()) : nullptr;
    const FunctionDecl *D = C ? C->getDirectCallee() : nullptr;
    const rules::CollectiveCall *Call =
        D && D->getIdentifier() ? Apis.find(D->getQualifiedNameAsString())
                                : nullptr;
    return Call && Call->Kind == rules::CallKind::Abort;
  });
}

bool endsProgram(const CFGBlock &B, const FunctionDecl *F,
                 const ASTContext &Ctx) {
  const CallExpr *LastExit = lastExit(F);
  return neverReturns(B, LastExit) ||
         (F->isMain() && endsInError(B, LastExit, Ctx));
}

} // namespace spmd::lint::lower
