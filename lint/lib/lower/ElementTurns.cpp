//===- ElementTurns.cpp - Lists of which two elements take turns ----------===//

#include "ElementTurns.h"

#include "Strip.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

static const ValueDecl *declOf(const Expr *E) {
  return namedBy(strip(E)->IgnoreParenImpCasts());
}

static std::optional<bool> literal(const Expr *E) {
  const auto *L = dyn_cast<IntegerLiteral>(E->IgnoreParenImpCasts());
  return L ? std::optional(L->getValue() == 1) : std::nullopt;
}

static bool isOne(const Expr *E) { return literal(E).value_or(false); }

/// `i + 1`, `i - 1`, `1 + i`
static bool isNeighbour(const Expr *E) {
  const auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
  return B && B->isAdditiveOp() && isOne(B->getLHS()) != isOne(B->getRHS());
}

/// Takes down what indexes lists, and what numbers are made of.
class IndexFinder : public RecursiveASTVisitor<IndexFinder> {
public:
  explicit IndexFinder(ElementTurns &Of) : Of(Of) {}

  bool VisitVarDecl(VarDecl *VD) {
    if (VD->getInit() && VD->getType()->isIntegralOrEnumerationType())
      Of.Given[VD].push_back(VD->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (const ValueDecl *D =
            E->getOpcode() == BO_Assign ? declOf(E->getLHS()) : nullptr;
        D && D->getType()->isIntegralOrEnumerationType())
      Of.Given[D].push_back(E->getRHS());
    return true;
  }
  /// `std::swap(now, next)`: the second one is the one in waiting.
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *FD = E->getDirectCallee();
    if (FD && FD->getIdentifier() && FD->getName() == "swap" &&
        E->getNumArgs() == 2)
      if (const ValueDecl *D = declOf(E->getArg(1)))
        Of.Swapped.insert(D);
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    Found.emplace_back(E->getBase(), E->getIdx());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Subscript && E->getNumArgs() == 2)
      Found.emplace_back(E->getArg(0), E->getArg(1));
    return true;
  }

  llvm::SmallVector<std::pair<const Expr *, const Expr *>, 8> Found;

private:
  ElementTurns &Of;
};

ElementTurns::ElementTurns(const FunctionDecl *FD) {
  if (!FD || !FD->hasBody())
    return;
  IndexFinder Finder(*this);
  Finder.TraverseStmt(FD->getBody());
  for (const auto &[List, Index] : Finder.Found)
    if (const ValueDecl *D = declOf(List); D && !isOther(Index))
      WithPlainIndex.insert(D);
}

bool ElementTurns::isOther(const Expr *List, const Expr *Index) const {
  const ValueDecl *D = declOf(List);
  return D && WithPlainIndex.contains(D) && isOther(Index);
}

bool ElementTurns::isOther(const Expr *Index, unsigned Depth) const {
  Index = Index->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Index))
    return U->getOpcode() == UO_LNot;
  if (const auto *C = dyn_cast<ConditionalOperator>(Index))
    return literal(C->getTrueExpr()) == false && isOne(C->getFalseExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(Index))
    switch (B->getOpcode()) {
    case BO_Sub:
      return isOne(B->getLHS());
    case BO_Xor:
      return isOne(B->getLHS()) || isOne(B->getRHS());
    case BO_Rem:
    case BO_And:
      return isNeighbour(B->getLHS());
    default:
      return false;
    }
  const ValueDecl *D = Depth ? declOf(Index) : nullptr;
  if (Swapped.contains(D))
    return true;
  const auto Values = D ? Given.find(D) : Given.end();
  // `now = 1 - now` is what turns.
  const auto IsOther = [&](const Expr *Is) {
    const auto *B = dyn_cast<BinaryOperator>(Is->IgnoreParenImpCasts());
    const bool OfItself =
        B && (declOf(B->getLHS()) == D || declOf(B->getRHS()) == D);
    return !OfItself && isOther(Is, Depth - 1);
  };
  return Values != Given.end() && llvm::any_of(Values->second, IsOther);
}

} // namespace spmd::lint::lower
