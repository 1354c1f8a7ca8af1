//===- CountedMembers.cpp - Members that count calls ----------------------===//

#include "CountedMembers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// How often each member is counted, asked for by a condition, or mentioned.
class MentionCounter : public RecursiveASTVisitor<MentionCounter> {
public:
  struct Mentions {
    unsigned All = 0, Counts = 0, Starts = 0, InConditions = 0;
    unsigned CountsElsewhere = 0; ///< and not by a condition
    /// Nothing else reads or changes it.
    bool countsCalls() const {
      return Counts == 1 && InConditions == 1 &&
             All == Starts + InConditions + CountsElsewhere;
    }
  };

  llvm::DenseMap<const ValueDecl *, Mentions> Of;

  bool TraverseIfStmt(IfStmt *S) {
    IsCondition = true;
    TraverseStmt(S->getCond());
    IsCondition = false;
    return TraverseStmt(S->getInit()) &&
           TraverseStmt(S->getConditionVariableDeclStmt()) &&
           TraverseStmt(S->getThen()) && TraverseStmt(S->getElse());
  }
  // `const bool last = steps_++ % 2 == 0;`
  bool TraverseVarDecl(VarDecl *VD) {
    IsCondition = VD->getType()->isBooleanType();
    const bool GoesOn = RecursiveASTVisitor::TraverseVarDecl(VD);
    IsCondition = false;
    return GoesOn;
  }
  bool VisitMemberExpr(MemberExpr *E) { return mention(E); }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return mention(E); }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (const ValueDecl *D = numberOf(E->getSubExpr());
        D && E->isIncrementOp()) {
      ++Of[D].Counts;
      Of[D].CountsElsewhere += !IsCondition;
    }
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (const ValueDecl *D = numberOf(E->getLHS());
        D && E->getOpcode() == BO_Assign && !IsCondition &&
        isa<IntegerLiteral>(E->getRHS()->IgnoreParenImpCasts()))
      ++Of[D].Starts;
    return true;
  }

private:
  bool mention(const Expr *E) {
    if (const ValueDecl *D = numberOf(E)) {
      ++Of[D].All;
      Of[D].InConditions += IsCondition;
    }
    return true;
  }
  /// A member, or a variable that outlives its function and that no other file
  /// knows.
  static const ValueDecl *numberOf(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    const ValueDecl *D = nullptr;
    if (const auto *M = dyn_cast<MemberExpr>(E))
      D = dyn_cast<FieldDecl>(M->getMemberDecl());
    else if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
          VD && VD->hasGlobalStorage() &&
          (VD->isStaticLocal() || !VD->isExternallyVisible()))
        D = VD;
    return D && D->getType()->isIntegerType() ? D : nullptr;
  }

  bool IsCondition = false;
};

} // namespace

CountedMembers::CountedMembers(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  MentionCounter Counter;
  for (const FunctionDecl *FD : Bodies)
    if (!FD->isDependentContext() && FD->getBody())
      Counter.TraverseStmt(FD->getBody());
  for (const auto &[Number, Mentions] : Counter.Of)
    if (Mentions.countsCalls())
      Found.insert(Number);
}

} // namespace spmd::lint::lower
