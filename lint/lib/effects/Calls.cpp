//===- Calls.cpp - From the AST to an effect program: calls ---------------===//

#include "Calls.h"

#include "LauncherVariables.h"

#include "cxx/Constructors.h"
#include "cxx/KnownTypes.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const Expr *Calls::value(const CallExpr *E) {
  if (const auto Done = Values.find(E); Done != Values.end())
    return Done->second;
  const Expr *Result = lower(E);
  Values[E] = Result;
  return Result;
}

const Expr *Calls::lower(const CallExpr *E) {
  const CallSite C(E);
  if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(E)) {
    Streams.kernel(Launch);
    return P.integer(0);
  }
  if (!C.Callee)
    return User.indirect(
        E, Exprs.value(E->getCallee()),
        llvm::SmallVector<const clang::Expr *>(E->arguments()));
  if (const Expr *Given = ofLibraries(C))
    return Given;
  if (const Expr *Output = User.forward(C))
    return Output;
  if (const std::optional<unsigned> Callee = User.calleeOf(C))
    return User.lower(C, *Callee, receiver(C));
  if (const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee); MD && MD->isVirtual())
    if (const Expr *Given = User.lowerVirtual(C, receiver(C)))
      return Given;
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
  if (Operator && C.Receiver)
    if (const Expr *Given = ofObject(Operator, C))
      return Given;
  if (const Expr *Held = heldBy(C))
    return Held;
  if (const Expr *New = made(C))
    return New;
  Steps.lower(C);
  Streams.declared(C);
  return Unseen.lower(C);
}

const Expr *Calls::ofLibraries(const CallSite &C) {
  if (const Expr *Given = Communication.lower(C))
    return Given;
  if (const Expr *Given = Runtime.lower(C))
    return Given;
  if (const Expr *Status = Streams.lower(C))
    return Status;
  if (const Expr *Given = Lists.lower(C))
    return Given;
  if (const Expr *Given = Views.lower(C))
    return Given;
  if (const Expr *Given = isHeld(C))
    return Given;
  const std::optional<rules::CallKind> Told = toldByLauncher(C);
  return Told ? Runtime.asked(C, *Told, nullptr) : nullptr;
}

const Expr *Calls::receiver(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !MD->isInstance() || MD->getParent()->isLambda() || !C.Receiver)
    return nullptr;
  return C.Receiver->getType()->isPointerType()
             ? Exprs.value(C.Receiver)
             : P.address(Exprs.place(C.Receiver));
}

static bool isIterator(QualType T) {
  return llvm::StringRef(className(T.getNonReferenceType()))
      .contains("iterator");
}

const Expr *Calls::ofObject(const CXXOperatorCallExpr *E, const CallSite &C) {
  switch (E->getOperator()) {
  case OO_Call:
    return isStdClass(C.Receiver->getType(), "function")
               ? User.indirect(E, P.load(Exprs.place(C.Receiver)), C.Arguments)
               : nullptr;
  case OO_Subscript:
    if (isSmartPointer(C.Receiver->getType()))
      return P.address(P.element(Exprs.handle(C.Receiver),
                                 Exprs.value(C.argument(0)), true));
    // Of a container: its own array.
    return P.address(
        P.element(Exprs.place(C.Receiver), Exprs.value(C.argument(0)), false));
  case OO_Arrow:
  case OO_Star: // of a smart pointer, or an iterator
    return Exprs.handle(C.Receiver);
  case OO_PlusPlus:
  case OO_MinusMinus:
  case OO_PlusEqual:
  case OO_MinusEqual: { // to another element
    if (!isIterator(C.Receiver->getType()))
      return nullptr;
    const Expr *It = Exprs.place(C.Receiver), *Before = P.temporary();
    Out.assign(Before, P.load(It), E->getExprLoc());
    Out.assign(It, P.unknown(Trust::Unknown), E->getExprLoc());
    return P.address(E->isGLValue() ? It : Before);
  }
  case OO_Equal: {
    const clang::Expr *From = C.argument(0);
    if (!From || (!E->getType()->isReferenceType() && !E->isGLValue()))
      return nullptr;
    const Expr *Into = Exprs.place(C.Receiver);
    const Expr *Held = isStdClass(C.Receiver->getType(), "function")
                           ? User.held(From)
                           : nullptr;
    if (Held)
      Out.assign(Into, Held, E->getExprLoc());
    else if (From->getType()->isRecordType())
      Out.copy(Into, Exprs.place(From), E->getExprLoc());
    else
      Out.forget(Into, E->getExprLoc());
    return P.address(Into);
  }
  default:
    return nullptr;
  }
}

const Expr *Calls::isHeld(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !C.Receiver || !isSmartPointer(C.Receiver->getType()))
    return nullptr;
  const auto *To = dyn_cast<CXXConversionDecl>(MD);
  if (!(To && To->getConversionType()->isBooleanType()) &&
      !(MD->getIdentifier() && MD->getName() == "defined"))
    return nullptr;
  return P.unary(Operator::ToBool, Exprs.handle(C.Receiver));
}

const Expr *Calls::heldBy(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !C.Receiver || !isLibrary(MD) || !MD->getIdentifier() ||
      !C.Arguments.empty())
    return nullptr;
  if (MD->getName() == "data")
    return P.address(P.element(object(C.Receiver), P.integer(0), false));
  if (MD->getName() == "size")
    return P.load(P.field(object(C.Receiver), SizeField));
  return MD->getName() == "get" ? Exprs.handle(C.Receiver) : nullptr;
}

bool Calls::make(const Expr *Into, QualType Made, CallSite C) {
  const CXXConstructorDecl *By = constructorFor(Made, C.Arguments);
  const auto Callee = By ? Named.functionOf(By) : std::nullopt;
  if (!Callee)
    return false;
  for (const ParmVarDecl *D : By->parameters().drop_front(C.Arguments.size())) {
    if (!D->getDefaultArg() || D->hasUninstantiatedDefaultArg())
      return false;
    C.Arguments.push_back(D->getDefaultArg());
  }
  C.Callee = By;
  User.lower(C, *Callee, P.address(Into));
  User.holdMethods(Into, By->getParent(), C.Call->getBeginLoc());
  return true;
}

const Expr *Calls::made(const CallSite &C) {
  if (C.Name != "std::make_unique" && C.Name != "std::make_shared")
    return nullptr;
  const SourceLocation At = C.Call->getBeginLoc();
  const Expr *Holder = P.temporary();
  Out.assign(Holder, Out.allocation(At), At);
  return Objects.make(P.target(P.load(Holder)), elementType(C.Call->getType()),
                      C)
             ? P.address(Holder)
             : nullptr;
}

bool Calls::construct(const Expr *Into, const CXXConstructExpr *E) {
  const CallSite C(E);
  if (const auto Callee = Named.functionOf(E->getConstructor())) {
    User.lower(C, *Callee, P.address(Into));
    User.holdMethods(Into, E->getConstructor()->getParent(), E->getBeginLoc());
  } else if (const Expr *Held = User.held(E))
    Out.assign(Into, Held, E->getBeginLoc());
  else if (const Expr *Made = Communication.lower(C))
    Out.assign(Into, P.load(P.target(Made)), E->getBeginLoc());
  else
    return Lists.construct(Into, E) || Runtime.construct(Into, E);
  return true;
}

} // namespace spmd::lint::effects
