//===- LoopBody.h - What the body of a loop does to it ----------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOOPBODY_H
#define SPMD_LINT_LOWER_LOOPBODY_H

#include "LoopCounters.h"

#include "CountedLoops.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <vector>

namespace spmd::lint::lower {

/// The lists that one loop takes elements of by number.
struct ByNumber {
  const clang::Expr *List;
  llvm::SmallVector<const clang::Expr *, 4> Elements;
};

/// What the body of a loop does that matters to it.
class LoopBody : public clang::RecursiveASTVisitor<LoopBody> {
public:
  /// \p Step in the body moves \p Counter on.
  explicit LoopBody(const clang::VarDecl *Counter,
                    const clang::Expr *Step = nullptr)
      : Counter(Counter), Step(Step) {}
  bool shouldVisitLambdaBody() const { return true; }

  bool TraverseForStmt(clang::ForStmt *S) {
    return within(Breakable, [&] { return Base::TraverseForStmt(S); });
  }
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt *S) {
    return within(Breakable, [&] { return Base::TraverseCXXForRangeStmt(S); });
  }
  bool TraverseWhileStmt(clang::WhileStmt *S) {
    return within(Breakable, [&] { return Base::TraverseWhileStmt(S); });
  }
  bool TraverseDoStmt(clang::DoStmt *S) {
    return within(Breakable, [&] { return Base::TraverseDoStmt(S); });
  }
  bool TraverseSwitchStmt(clang::SwitchStmt *S) {
    return within(Breakable, [&] { return Base::TraverseSwitchStmt(S); });
  }
  bool TraverseLambdaExpr(clang::LambdaExpr *S) {
    return within(Lambdas, [&] { return Base::TraverseLambdaExpr(S); });
  }

  bool VisitBreakStmt(clang::BreakStmt *S) {
    if (Breakable == 0)
      Breaks.push_back(S);
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt *S) {
    if (Lambdas == 0)
      Returns.push_back(S);
    return true;
  }
  bool VisitGotoStmt(clang::GotoStmt *) {
    Leaves = true;
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *E) {
    Leaves |= E != Step && E->isIncrementDecrementOp() &&
              isNameOf(E->getSubExpr(), Counter);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *E) {
    Leaves |= E->isAssignmentOp() && isNameOf(E->getLHS(), Counter);
    return true;
  }
  bool VisitExpr(clang::Expr *E);
  bool VisitCallExpr(clang::CallExpr *E);

  /// Whether some iteration may not come, or come twice.
  bool Leaves = false;
  /// After these, no iteration comes.
  llvm::SmallVector<const clang::BreakStmt *, 1> Breaks;
  /// Nor after these, nor what is behind the loop.
  llvm::SmallVector<const clang::ReturnStmt *, 1> Returns;
  bool Gradients = false;
  llvm::SmallVector<const clang::Expr *, 4> AtIterator;
  std::map<std::vector<const clang::ValueDecl *>, unsigned> Mentions;
  std::map<std::vector<const clang::ValueDecl *>, ByNumber> Lists;

private:
  using Base = clang::RecursiveASTVisitor<LoopBody>;

  bool within(unsigned &Depth, llvm::function_ref<bool()> Visit) {
    ++Depth;
    const bool GoesOn = Visit();
    --Depth;
    return GoesOn;
  }

  /// `list[counter]` and `list.at(counter)`, or what an iterator is at.
  void noteElement(const clang::Expr *E);

  const clang::VarDecl *Counter;
  const clang::Expr *Step;
  unsigned Breakable = 0, Lambdas = 0;
};

/// What \p S ends with; null if that is nothing.
const clang::Stmt *lastOf(const clang::Stmt *S);

/// The condition on which \p Break ends a loop with \p Body: `if (full)
/// break;`; null if it is not that simple.
const clang::Expr *conditionOf(const clang::BreakStmt *Break,
                               const clang::Stmt *Body);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOOPBODY_H
