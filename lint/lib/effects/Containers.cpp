//===- Containers.cpp - Elements one by one, and how many ---------------===//

#include "Containers.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const Expr *Containers::lower(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !C.Receiver || !MD->getIdentifier() ||
      C.Receiver->getType()->isPointerType() ||
      !isStdClass(C.Receiver->getType(), "vector"))
    return nullptr;
  const llvm::StringRef Name = MD->getName();
  const Expr *Of = Exprs.place(C.Receiver);
  const Expr *Size = P.field(Of, SizeField);
  const SourceLocation At = C.Call->getBeginLoc();
  if (Name == "back" && C.Arguments.empty())
    return P.address(P.element(
        Of, P.binary(Operator::Subtract, P.load(Size), P.integer(1)), false));
  if (Name == "front" && C.Arguments.empty())
    return P.address(P.element(Of, P.integer(0), false));
  if (Name == "empty")
    return P.binary(Operator::Equal, P.load(Size), P.integer(0));
  if (Name == "clear") {
    Out.assign(Size, P.integer(0), At);
    return P.integer(0);
  }
  if ((Name == "resize" || Name == "assign") && !C.Arguments.empty() &&
      C.Arguments[0]->getType()->isIntegerType()) {
    const Expr *Count = Exprs.value(C.Arguments[0]);
    if (Name == "assign")
      Out.forget(Of, At);
    Out.assign(Size, Count, At);
    return P.integer(0);
  }
  if (Name != "push_back" && Name != "emplace_back")
    return nullptr;
  const Expr *New = P.element(Of, P.load(Size), false);
  const bool IsMade = Name == "emplace_back" &&
                      Objects.make(New, elementType(C.Receiver->getType()), C);
  if (!IsMade && C.Arguments.size() > 1)
    return nullptr;
  if (!IsMade && !C.Arguments.empty())
    Objects.initialise(New, C.Arguments[0]);
  Out.assign(Size, P.binary(Operator::Add, P.load(Size), P.integer(1)), At);
  return P.address(P.element(
      Of, P.binary(Operator::Subtract, P.load(Size), P.integer(1)), false));
}

const InitListExpr *writtenList(const clang::Expr *E) {
  E = E->IgnoreImplicit();
  if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(E))
    E = List->getSubExpr()->IgnoreImplicit();
  return dyn_cast<InitListExpr>(E);
}

bool Containers::construct(const Expr *Into, const CXXConstructExpr *E) {
  if (!isStdClass(E->getType(), "vector"))
    return false;
  const Expr *Size = P.field(Into, SizeField);
  const auto Explicit =
      llvm::count_if(E->arguments(), [](const clang::Expr *A) {
        return !isa<CXXDefaultArgExpr>(A);
      });
  if (Explicit == 0) {
    Out.forget(Into, E->getBeginLoc());
    Out.assign(Size, P.integer(0), E->getBeginLoc());
    return true;
  }
  if (const InitListExpr *List = writtenList(E->getArg(0))) {
    Out.forget(Into, E->getBeginLoc());
    for (unsigned I = 0; I != List->getNumInits(); ++I)
      Objects.initialise(P.element(Into, P.integer(I), false),
                         List->getInit(I));
    Out.assign(Size, P.integer(List->getNumInits()), E->getBeginLoc());
    return true;
  }
  if (!E->getArg(0)->getType()->isIntegerType())
    return false;
  const Expr *Count = Exprs.value(E->getArg(0));
  Out.forget(Into, E->getBeginLoc());
  Out.assign(Size, Count, E->getBeginLoc());
  return true;
}

} // namespace spmd::lint::effects
