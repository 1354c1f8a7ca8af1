//===- PartAmounts.cpp - How much there is of one kind of work ------------===//

#include "PartAmounts.h"

#include "Comparison.h"
#include "Strip.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;

namespace spmd::lint::lower {

/// `n` of `n > 0`, `n != 0` and `n >= 1`; empty: it asks something else.
static std::string amountIn(const Expr *E, const ASTContext &Ctx) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  const auto C = B ? comparedWithConstant(B, Ctx) : std::nullopt;
  const bool IsIfAny =
      C && ((C->To == 0 && (C->Op == BO_GT || C->Op == BO_NE)) ||
            (C->To == 1 && C->Op == BO_GE));
  return IsIfAny && C->Number->IgnoreParenImpCasts()->getType()->isIntegerType()
             ? printed(C->Number, Ctx)
             : std::string();
}

/// Whether ranks may talk to each other in \p S: what there is to say is
/// another matter than what there is to do.
static bool mayCommunicate(const Stmt *S) {
  const auto *Call = dyn_cast<CallExpr>(S);
  if (Call && llvm::any_of(Call->arguments(), [](const Expr *A) {
        return commKind(A->IgnoreParenImpCasts()->getType()).has_value();
      }))
    return true;
  return llvm::any_of(S->children(), [](const Stmt *Part) {
    return Part && mayCommunicate(Part);
  });
}

namespace {

/// The buffers that are filled if there is any of some amount, by amounts.
class Filled : public RecursiveASTVisitor<Filled> {
public:
  explicit Filled(const ASTContext &Ctx) : Ctx(Ctx) {}

  llvm::StringMap<llvm::StringSet<>> By;
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseIfStmt(IfStmt *S) {
    const std::string Asked = S->getCond() && !S->getElse()
                                  ? amountIn(S->getCond(), Ctx)
                                  : std::string();
    if (Asked.empty() || mayCommunicate(S->getThen()))
      return RecursiveASTVisitor::TraverseIfStmt(S);
    Around.push_back(Asked);
    const bool GoesOn = TraverseStmt(S->getThen());
    Around.pop_back();
    return GoesOn;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *E) {
    const FunctionDecl *Kernel = E->getDirectCallee();
    for (unsigned I = 0; Kernel && I < E->getNumArgs() &&
                         I < Kernel->getNumParams() && Around.size() == 1;
         ++I)
      if (const QualType T = Kernel->getParamDecl(I)->getType();
          T->isPointerType() && !T->getPointeeType().isConstQualified())
        By[Around.back()].insert(printed(E->getArg(I), Ctx));
    return true;
  }

private:
  const ASTContext &Ctx;
  std::vector<std::string> Around; ///< amounts that are asked for
};

} // namespace

PartAmounts::PartAmounts(const FunctionDecl *FD) : Ctx(FD->getASTContext()) {
  if (!Ctx.getLangOpts().CUDA) // nothing else launches kernels
    return;
  Filled Of(Ctx);
  Of.TraverseStmt(FD->getBody());
  for (const auto &A : Of.By)
    for (const auto &B : Of.By)
      if (A.getKey() != B.getKey() &&
          llvm::any_of(A.getValue(), [&](const auto &Buffer) {
            return B.getValue().contains(Buffer.getKey());
          }))
        Found.insert(A.getKey());
}

bool PartAmounts::askedIn(const Expr *Condition) const {
  return !Found.empty() && Found.contains(amountIn(Condition, Ctx));
}

} // namespace spmd::lint::lower
