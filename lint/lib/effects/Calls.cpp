//===- Calls.cpp - From the AST to an effect program: calls ---------------===//

#include "EffectLowering.h"

#include "lower/Recognisers.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// The constructor's entry in the tables for what makes an object of the class
/// that it is told, on the heap.
static const rules::CollectiveCall *madeBy(const rules::CollectiveApis &Apis,
                                           const FunctionDecl *FD) {
  const auto *Arguments = FD->getTemplateSpecializationArgs();
  if (!FD->getIdentifier() || !FD->getName().starts_with("make_") ||
      !Arguments || Arguments->size() == 0 ||
      Arguments->get(0).getKind() != TemplateArgument::Type)
    return nullptr;
  const CXXRecordDecl *RD = Arguments->get(0).getAsType()->getAsCXXRecordDecl();
  return RD && RD->getIdentifier() ? Apis.find(RD->getQualifiedNameAsString() +
                                               "::" + RD->getNameAsString())
                                   : nullptr;
}

/// Once, however often its value is asked for.
const EffectLowering::Expr *EffectLowering::call(const clang::Expr *E) {
  if (const auto Done = Called.find(E); Done != Called.end())
    return Done->second;
  const Expr *Result = lowerCall(E);
  Called[E] = Result;
  return Result;
}

const EffectLowering::Expr *EffectLowering::lowerCall(const clang::Expr *E) {
  const CallSite C(E);
  if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(E)) {
    kernel(Launch);
    return P.integer(0);
  }
  if (!C.Callee) {
    const auto *X = dyn_cast<CallExpr>(E);
    return X ? indirectCall(
                   E, value(X->getCallee()),
                   llvm::SmallVector<const clang::Expr *>(X->arguments()))
             : visited(E);
  }
  if (const rules::CollectiveCall *Api = Cfg.Apis->find(C.Name))
    return event(C, *Api);
  if (const rules::CollectiveCall *Api = madeBy(*Cfg.Apis, C.Callee))
    return event(C, *Api);
  if (const Expr *Given = runtimeCall(C))
    return Given;
  if (const Expr *Status = streamCall(C))
    return Status;
  if (const Expr *Given = containerCall(C))
    return Given;
  if (const Expr *Number = launcherNumber(C))
    return Number;
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
  if (const Expr *Output = forwardCall(C))
    return Output;
  const std::optional<unsigned> Callee = calleeOf(C);
  if (!Callee && Operator && C.Receiver) {
    switch (Operator->getOperator()) {
    case OO_Call:
      if (isFunctionObject(C.Receiver->getType()))
        return indirectCall(E, P.load(place(C.Receiver)), C.Arguments);
      break;
    case OO_Subscript: // of a container: its own array
      return P.address(element(place(C.Receiver), value(C.argument(0)), false));
    case OO_Arrow:
    case OO_Star: { // of a smart pointer, or an iterator
      const Expr *Held = handleOf(C.Receiver);
      return Held;
    }
    case OO_Equal:
      if (E->getType()->isReferenceType() || E->isGLValue())
        if (const clang::Expr *From = C.argument(0)) {
          const Expr *Into = place(C.Receiver);
          if (From->getType()->isRecordType()) {
            const Expr *Source = place(From);
            Stmt &S = emit(Kind::Copy, E->getExprLoc());
            S.Target = Into;
            S.Value = Source;
          } else {
            forget(Into, E->getExprLoc());
          }
          return P.address(Into);
        }
      break;
    default:
      break;
    }
  }
  if (Callee) {
    const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
    const Expr *This = nullptr;
    if (MD && MD->isInstance() && !MD->getParent()->isLambda() && C.Receiver)
      This = C.Receiver->getType()->isPointerType()
                 ? value(C.Receiver)
                 : P.address(place(C.Receiver));
    return ownCall(C, *Callee, This);
  }
  // What a container holds, and how many.
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (MD && C.Receiver && isLibrary(MD) && MD->getIdentifier() &&
      C.Arguments.empty()) {
    if (MD->getName() == "data")
      return P.address(element(place(C.Receiver), P.integer(0), false));
    if (MD->getName() == "size" && !C.Receiver->getType()->isPointerType())
      return P.load(field(place(C.Receiver), "size()"));
    if (MD->getName() == "get")
      return handleOf(C.Receiver);
  }
  return libraryCall(C);
}

} // namespace spmd::lint::effects
