//===- IteratorLoops.cpp - Loops that an iterator goes through ------------===//

#include "IteratorLoops.h"

#include "CountedLoops.h"
#include "Strip.h"
#include "ValuePath.h"

#include "cxx/CallSite.h"

using namespace clang;

namespace spmd::lint::lower {

/// `list.begin()` and `list.rbegin()` give "begin" and "rbegin".
static llvm::StringRef boundOf(const Expr *E, const Expr *&List) {
  E = strip(E)->IgnoreParenImpCasts();
  if (!isa<CXXMemberCallExpr>(E))
    return "";
  const CallSite C(E);
  if (!C.Receiver || !C.Arguments.empty() || pathOf(C.Receiver).empty())
    return "";
  List = C.Receiver;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  llvm::StringRef Name =
      Method && Method->getIdentifier() ? Method->getName() : llvm::StringRef();
  Name.consume_front("c");
  return Name;
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
  const Expr *List = nullptr, *ListOfEnd = nullptr, *A = nullptr, *B = nullptr;
  if (!VD || !VD->getInit() || !S->getCond() ||
      VD->getInit()->isTypeDependent())
    return std::nullopt;
  const llvm::StringRef Begin = boundOf(VD->getInit(), List);
  if ((Begin != "begin" && Begin != "rbegin") || !isStep(S->getInc(), VD) ||
      !isDifference(S->getCond(), A, B) || !isNameOf(strip(A), VD) ||
      boundOf(B, ListOfEnd) != (Begin == "begin" ? "end" : "rend") ||
      pathOf(List) != pathOf(ListOfEnd))
    return std::nullopt;
  return IteratorLoop{S, VD, List};
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
