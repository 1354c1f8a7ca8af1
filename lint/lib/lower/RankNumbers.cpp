//===- RankNumbers.cpp - Numbers made of ranks ----------------------------===//

#include "RankNumbers.h"

#include "PointerOrigins.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace clang;

namespace spmd::lint::lower {

/// `MPI_Comm_rank`, `local_rank`: whoever writes one calls it that.
static bool isRankName(const NamedDecl *D) {
  return D && D->getIdentifier() && D->getName().contains_insensitive("rank");
}

static const ValueDecl *declOf(const Expr *E) {
  E = bare(E);
  if (const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E))
    return cast<ValueDecl>(Ref->getDecl()->getCanonicalDecl());
  const auto *M = dyn_cast_or_null<MemberExpr>(E);
  return M ? cast<ValueDecl>(M->getMemberDecl()->getCanonicalDecl()) : nullptr;
}

/// What a body puts into variables, members and the parameters of callees.
class RankNumbersVisitor : public RecursiveASTVisitor<RankNumbersVisitor> {
public:
  explicit RankNumbersVisitor(const RankNumbers &Out) : Out(Out) {}

  bool VisitVarDecl(VarDecl *VD) {
    put(cast<ValueDecl>(VD->getCanonicalDecl()), VD->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      put(declOf(E->getLHS()), E->isCompoundAssignmentOp() ? E : E->getRHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (isRankName(Callee))
      for (const Expr *A : E->arguments())
        if (const ValueDecl *D = declOf(addressed(A)))
          Out.Known[D] = true;
    const auto *Definition = Callee ? Callee->getDefinition() : nullptr;
    if (!Definition || isa<CXXOperatorCallExpr>(E))
      return true;
    for (unsigned I = 0; I != Definition->getNumParams(); ++I)
      if (I < E->getNumArgs())
        put(Definition->getParamDecl(I), E->getArg(I));
    return true;
  }

private:
  void put(const ValueDecl *D, const Expr *Value) {
    if (D && Value)
      Out.Values[D].push_back(Value);
  }

  const RankNumbers &Out;
};

void RankNumbers::readBodies() const {
  if (!std::exchange(AreRead, true))
    for (const FunctionDecl *FD : Bodies)
      RankNumbersVisitor(*this).TraverseStmt(FD->getBody());
}

bool RankNumbers::isOf(const ValueDecl *D) const {
  // Of what depends on itself, the rest decides.
  if (const auto [At, New] = Known.try_emplace(D, isRankName(D)); !New)
    return At->second;
  const auto From = Values.find(D);
  const bool Is =
      isRankName(D) ||
      (From != Values.end() &&
       llvm::any_of(From->second, [this](const Expr *E) { return isOf(E); }));
  return Known[D] = Is;
}

bool RankNumbers::isOf(const Expr *E) const {
  if (!E)
    return false;
  if (const ValueDecl *D = declOf(E))
    return isOf(D);
  if (const auto *Call = dyn_cast<CallExpr>(E);
      Call && isRankName(Call->getDirectCallee()))
    return true;
  return llvm::any_of(E->children(), [this](const Stmt *Child) {
    return isOf(dyn_cast_or_null<Expr>(Child));
  });
}

bool RankNumbers::areSteps(const Expr *E) const {
  readBodies();
  return areStepsOf(E, 0);
}

bool RankNumbers::areStepsOf(const Expr *E, unsigned Depth) const {
  constexpr unsigned MaxDepth = 8;
  E = bare(E);
  if (!E || Depth > MaxDepth)
    return false;
  if (const auto *Sum = dyn_cast<BinaryOperator>(E)) {
    const bool First = Sum->getLHS()->getType()->isPointerType();
    const Expr *Steps = First ? Sum->getRHS() : Sum->getLHS();
    if (Sum->isCompoundAssignmentOp())
      return isOf(Steps);
    return Sum->isAdditiveOp() &&
           (isOf(Steps) ||
            areStepsOf(First ? Sum->getLHS() : Sum->getRHS(), Depth + 1));
  }
  if (const Expr *Of = addressed(E)) {
    const auto *At = dyn_cast<ArraySubscriptExpr>(bare(Of));
    return At && (isOf(At->getIdx()) || areStepsOf(At->getBase(), Depth + 1));
  }
  const VarDecl *VD = variableOf(E);
  const auto From = VD && VD->isLocalVarDecl()
                        ? Values.find(cast<ValueDecl>(VD->getCanonicalDecl()))
                        : Values.end();
  return From != Values.end() &&
         llvm::any_of(From->second, [&](const Expr *Value) {
           return areStepsOf(Value, Depth + 1);
         });
}

} // namespace spmd::lint::lower
