//===- ListSizes.cpp - Numbers that say how long a list is ----------------===//

#include "ListSizes.h"

#include "LoopCounters.h"
#include "Strip.h"

#include "cxx/CallSite.h"

using namespace clang;

namespace spmd::lint::lower {

const Expr *listOfSize(const Expr *E) {
  E = strip(E)->IgnoreParenCasts();
  // `const size_t n = list.size();`
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    return VD && VD->isLocalVarDecl() && VD->getInit() && neverChanges(VD)
               ? listOfSize(VD->getInit())
               : nullptr;
  }
  if (!isa<CallExpr>(E))
    return nullptr;
  const CallSite C(E);
  if (C.Receiver && C.base() == "size" && C.Arguments.empty())
    return C.Receiver;
  return C.Name == "std::size" && C.Arguments.size() == 1 ? C.Arguments[0]
                                                          : nullptr;
}

const Expr *listOfPart(const Expr *E) {
  const auto *B = dyn_cast<BinaryOperator>(strip(E)->IgnoreParenImpCasts());
  return B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Sub)
             ? listOfSize(B->getLHS())
             : nullptr;
}

} // namespace spmd::lint::lower
