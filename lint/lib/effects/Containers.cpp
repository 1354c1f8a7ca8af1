//===- Containers.cpp - Elements one by one, and how many ---------------===//

#include "EffectLowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// Elements one by one, and how many: null where it is not known what is done.
const EffectLowering::Expr *EffectLowering::containerCall(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !C.Receiver || !MD->getIdentifier() ||
      C.Receiver->getType()->isPointerType() ||
      !isVector(C.Receiver->getType()))
    return nullptr;
  const llvm::StringRef Name = MD->getName();
  const Expr *Of = place(C.Receiver);
  const Expr *Size = field(Of, "size()");
  const SourceLocation At = C.Call->getBeginLoc();
  if (Name == "back" && C.Arguments.empty())
    return P.address(element(
        Of, P.binary(Operator::Subtract, P.load(Size), P.integer(1)), false));
  if (Name == "front" && C.Arguments.empty())
    return P.address(element(Of, P.integer(0), false));
  if (Name == "clear") {
    assign(Size, P.integer(0), At);
    return P.integer(0);
  }
  if ((Name != "push_back" && Name != "emplace_back") || C.Arguments.size() > 1)
    return nullptr;
  const Expr *New = element(Of, P.load(Size), false);
  if (!C.Arguments.empty())
    initialise(New, C.Arguments[0]);
  assign(Size, P.binary(Operator::Add, P.load(Size), P.integer(1)), At);
  return P.address(element(
      Of, P.binary(Operator::Subtract, P.load(Size), P.integer(1)), false));
}

/// A container of what is listed, or of so many; false: of whatever.
bool EffectLowering::constructContainer(const Expr *Into,
                                        const CXXConstructExpr *E) {
  if (!isVector(E->getType()))
    return false;
  const Expr *Size = field(Into, "size()");
  const auto Explicit =
      llvm::count_if(E->arguments(), [](const clang::Expr *A) {
        return !isa<CXXDefaultArgExpr>(A);
      });
  if (Explicit == 0) {
    forget(Into, E->getBeginLoc());
    assign(Size, P.integer(0), E->getBeginLoc());
    return true;
  }
  const clang::Expr *First = E->getArg(0)->IgnoreImplicit();
  if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(First))
    First = List->getSubExpr()->IgnoreImplicit();
  if (const auto *List = dyn_cast<InitListExpr>(First)) {
    forget(Into, E->getBeginLoc());
    for (unsigned I = 0; I != List->getNumInits(); ++I)
      initialise(element(Into, P.integer(I), false), List->getInit(I));
    assign(Size, P.integer(List->getNumInits()), E->getBeginLoc());
    return true;
  }
  if (!E->getArg(0)->getType()->isIntegerType())
    return false;
  const Expr *Count = value(E->getArg(0));
  forget(Into, E->getBeginLoc());
  assign(Size, Count, E->getBeginLoc());
  return true;
}

} // namespace spmd::lint::effects
