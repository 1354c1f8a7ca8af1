//===- IteratorLoops.cpp - Loops that an iterator goes through ------------===//

#include "IteratorLoops.h"

#include "CountedLoops.h"
#include "Strip.h"
#include "ValuePath.h"

#include "cxx/CallSite.h"

using namespace clang;

namespace spmd::lint::lower {

const Expr *listAt(llvm::StringRef Bound, const Expr *Iterator) {
  Iterator = strip(Iterator)->IgnoreParenImpCasts();
  if (!isa<CXXMemberCallExpr>(Iterator))
    return nullptr;
  const CallSite C(Iterator);
  llvm::StringRef Base = C.base();
  Base.consume_front("c");
  return Base == Bound && C.Arguments.empty() ? C.Receiver : nullptr;
}

/// The iterator that \p E, `it + 1` or `std::prev(it)`, is near; or null.
static const Expr *nearby(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  const auto *Moved = dyn_cast<CXXOperatorCallExpr>(E);
  if (Moved && Moved->getNumArgs() == 2 &&
      (Moved->getOperator() == OO_Plus || Moved->getOperator() == OO_Minus))
    return Moved->getArg(0);
  if (!isa<CallExpr>(E))
    return nullptr;
  const CallSite C(E);
  return C.Name == "std::next" || C.Name == "std::prev" ? C.Arguments[0]
                                                        : nullptr;
}

/// `a != b`, of whatever class.
static bool isDifference(const Expr *E, const Expr *&A, const Expr *&B) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Rewritten = dyn_cast<CXXRewrittenBinaryOperator>(E)) {
    const auto Parts = Rewritten->getDecomposedForm();
    A = Parts.LHS;
    B = Parts.RHS;
    return Parts.Opcode == BO_NE;
  }
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
  if (!Call || Call->getOperator() != OO_ExclaimEqual ||
      Call->getNumArgs() != 2)
    return false;
  A = Call->getArg(0);
  B = Call->getArg(1);
  return true;
}

static bool isStep(const Expr *E, const VarDecl *VD) {
  const auto *Call =
      dyn_cast_or_null<CXXOperatorCallExpr>(E ? strip(E) : nullptr);
  return Call && Call->getOperator() == OO_PlusPlus &&
         isNameOf(Call->getArg(0), VD);
}

std::optional<IteratorLoop> iteratorLoop(const ForStmt *S) {
  const auto *D = dyn_cast_or_null<DeclStmt>(S->getInit());
  const auto *VD =
      D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  const Expr *A = nullptr, *B = nullptr;
  if (!VD || !VD->getInit() || !S->getCond() ||
      VD->getInit()->isTypeDependent() || !isStep(S->getInc(), VD) ||
      !isDifference(S->getCond(), A, B) || !isNameOf(strip(A), VD))
    return std::nullopt;
  for (const auto &[Begin, End] :
       {std::pair("begin", "end"), std::pair("rbegin", "rend")}) {
    const Expr *LeavesOut = nullptr;
    const auto Near = [&](llvm::StringRef Bound, const Expr *E) {
      const Expr *List = listAt(Bound, E), *To = List ? nullptr : nearby(E);
      if (To)
        LeavesOut = E;
      return To ? listAt(Bound, To) : List;
    };
    const Expr *List = Near(Begin, VD->getInit()), *Same = Near(End, B);
    if (List && Same && !pathOf(List).empty() && pathOf(List) == pathOf(Same))
      return IteratorLoop{S, VD, List, llvm::StringRef(Begin) == "rbegin",
                          LeavesOut};
  }
  return std::nullopt;
}

const VarDecl *dereferenced(const Expr *E) {
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
  if (!Call || Call->getNumArgs() != 1 ||
      (Call->getOperator() != OO_Star && Call->getOperator() != OO_Arrow))
    return nullptr;
  const auto *Ref =
      dyn_cast<DeclRefExpr>(Call->getArg(0)->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

} // namespace spmd::lint::lower
