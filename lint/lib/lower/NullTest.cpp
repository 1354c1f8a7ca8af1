//===- NullTest.cpp - Ways on which a pointer is null ---------------------===//

#include "NullTest.h"

using namespace clang;

namespace spmd::lint::lower {

std::pair<const Expr *, bool> nullTest(const CFGBlock &B) {
  const Expr *E = B.succ_size() == 2 && B.getTerminatorCondition()
                      ? B.getLastCondition()
                      : nullptr;
  bool IsNullIfTrue = false;
  while (E) {
    E = E->IgnoreParenImpCasts();
    if (const auto *Not = dyn_cast<UnaryOperator>(E);
        Not && Not->getOpcode() == UO_LNot) {
      IsNullIfTrue = !IsNullIfTrue;
      E = Not->getSubExpr();
      continue;
    }
    const auto *Compare = dyn_cast<BinaryOperator>(E);
    if (!Compare || !Compare->isEqualityOp())
      break;
    const auto IsNull = [](const Expr *X) {
      X = X->IgnoreParenCasts();
      const auto *Zero = dyn_cast<IntegerLiteral>(X);
      return isa<CXXNullPtrLiteralExpr, GNUNullExpr>(X) ||
             (Zero && Zero->getValue().isZero());
    };
    IsNullIfTrue ^= Compare->getOpcode() == BO_EQ;
    E = IsNull(Compare->getRHS())   ? Compare->getLHS()
        : IsNull(Compare->getLHS()) ? Compare->getRHS()
                                    : nullptr;
    E = E ? E->IgnoreParenImpCasts() : nullptr;
    break;
  }
  if (!E || !isa<DeclRefExpr, MemberExpr>(E) || !E->getType()->isPointerType())
    return {};
  return {E, IsNullIfTrue};
}

} // namespace spmd::lint::lower
