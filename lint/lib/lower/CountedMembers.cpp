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

  llvm::DenseMap<const FieldDecl *, Mentions> Of;

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
  bool VisitMemberExpr(MemberExpr *E) {
    const FieldDecl *D = numberOf(E);
    if (!D)
      return true;
    ++Of[D].All;
    Of[D].InConditions += IsCondition;
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (const FieldDecl *D = numberOf(E->getSubExpr());
        D && E->isIncrementOp()) {
      ++Of[D].Counts;
      Of[D].CountsElsewhere += !IsCondition;
    }
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (const FieldDecl *D = numberOf(E->getLHS());
        D && E->getOpcode() == BO_Assign && !IsCondition &&
        isa<IntegerLiteral>(E->getRHS()->IgnoreParenImpCasts()))
      ++Of[D].Starts;
    return true;
  }

private:
  static const FieldDecl *numberOf(const Expr *E) {
    const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
    const auto *D = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
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
  for (const auto &[Field, Mentions] : Counter.Of)
    if (Mentions.countsCalls())
      Found.insert(Field);
}

} // namespace spmd::lint::lower
