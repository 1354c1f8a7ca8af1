//===- Conditionals.cpp - The branches of `c ? a : b` ---------------------===//

#include "Conditionals.h"

#include "Strip.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {
class ConditionalFinder : public RecursiveASTVisitor<ConditionalFinder> {
public:
  using Map = llvm::DenseMap<const Expr *, const AbstractConditionalOperator *>;
  using Set = llvm::DenseSet<const Expr *>;
  ConditionalFinder(Map &BranchOf, Set &Returned)
      : BranchOf(BranchOf), Returned(Returned) {}
  bool shouldVisitLambdaBody() const { return false; }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitReturnStmt(ReturnStmt *R) {
    if (R->getRetValue())
      Returned.insert(strip(R->getRetValue()));
    return true;
  }
  bool VisitAbstractConditionalOperator(AbstractConditionalOperator *C) {
    for (const Expr *Branch : {C->getTrueExpr(), C->getFalseExpr()}) {
      BranchOf[strip(Branch)] = C;
      if (Returned.contains(C))
        Returned.insert(strip(Branch));
    }
    return true;
  }

private:
  Map &BranchOf;
  Set &Returned;
};
} // namespace

Conditionals::Conditionals(const FunctionDecl *FD) {
  ConditionalFinder(BranchOf, Returned).TraverseStmt(FD->getBody());
}

} // namespace spmd::lint::lower
