//===- Autograd.cpp - torch::autograd::Function ---------------------------===//
//
// `F::apply(x)` calls F's forward pass with a context, in which it leaves what
// the backward pass takes up; that is called later, with the gradient of what
// the forward pass returned.
//
//===----------------------------------------------------------------------===//

#include "../Contracts.h"
#include "../Elements.h"
#include "../Recognisers.h"

#include "cxx/AutogradFunctions.h"

#include "clang/AST/ASTContext.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The braces in `{a, b}`, whatever list is made of them.
static const InitListExpr *bracesIn(const Expr *E) {
  while (E) {
    E = strip(E)->IgnoreImplicit();
    if (const auto *Made = dyn_cast<CXXConstructExpr>(E);
        Made && Made->getNumArgs() != 0)
      E = Made->getArg(0);
    else if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(E))
      E = List->getSubExpr();
    else
      break;
  }
  return dyn_cast_or_null<InitListExpr>(E);
}

bool bindBraces(ExprLowering &L, SlotId List, const Expr *Init) {
  const InitListExpr *Braces = bracesIn(Init);
  if (Braces)
    bindElements(L, List, Braces);
  return Braces;
}

SlotId savedDatum(ExprLowering &L, const Expr *E) {
  const auto *At = dyn_cast<CXXOperatorCallExpr>(strip(E));
  if (!At || At->getOperator() != OO_Subscript || At->getNumArgs() != 2)
    return SlotId::None;
  const auto *Of = dyn_cast<MemberExpr>(strip(At->getArg(0)));
  const StringLiteral *Key = stringOf(At->getArg(1));
  if (!Of || !Key || !Of->isArrow() ||
      className(Of->getBase()->getType()->getPointeeType()) !=
          AutogradContextName)
    return SlotId::None;
  const SlotId Data = L.value(Of);
  return Data == SlotId::None
             ? Data
             : L.Slots.field(Data, ("[" + Key->getString() + "]").str());
}

/// Emits the call of the backward pass that autograd makes of \p Output.
static SlotId lowerBackward(ExprLowering &L, const CallSite &C,
                            const CXXMethodDecl *Backward, Operand Ctx,
                            Operand Output) {
  const PlaceId At = L.place(C.Call);
  const SlotId Gradients = L.define(DefineFact::Kind::Undefined, C.Call);
  L.assign(L.Slots.element(Gradients, 0), C.Call, DefineFact::Kind::Unknown);
  CallFact Call;
  Call.At = At;
  Call.Callee = L.module().require(Backward);
  Call.Arguments = {Ctx, {Gradients, At}};
  Call.Dst = L.temporary();
  Call.NoGrad = true;
  GivenBackward &Given = Call.Backward.emplace();
  Given.Output = Output;
  for (const Expr *A : C.Arguments) {
    const TypeClass Class = classify(A->getType());
    Given.Inputs.push_back(Class == TypeClass::Tensor ? L.operandOrNone(A)
                                                      : Operand());
  }
  const SlotId Dst = Call.Dst;
  L.emit(std::move(Call));
  return Dst;
}

static Recognised lowerApply(ExprLowering &L, const CallSite &C) {
  const std::optional<AutogradPasses> Passes = autogradPasses(C.Callee);
  if (!Passes || !L.module().isKnown(Passes->Forward))
    return std::nullopt;
  const PlaceId At = L.place(C.Call);
  const Operand Ctx{L.define(DefineFact::Kind::Undefined, C.Call), At};
  CallFact Call;
  Call.At = At;
  Call.Callee = L.module().require(Passes->Forward);
  Call.Arguments.push_back(Ctx);
  for (const Expr *A : C.Arguments)
    Call.Arguments.push_back(L.operandOrNone(A));
  Call.Dst = L.temporary();
  Call.NoGrad = true;
  const Operand Output{Call.Dst, At};
  L.emit(std::move(Call));
  if (!isTensor(C.Call->getType()) || !Passes->Backward ||
      !L.module().isKnown(Passes->Backward))
    return L.define(DefineFact::Kind::Unknown, C.Call);
  const SlotId Made = lowerBackward(L, C, Passes->Backward, Ctx, Output);
  checkResult(L, Passes->Forward, {Made, At}, C.Call);
  return Made;
}

/// What is kept for the backward pass, and taken up there.
static Recognised lowerContext(ExprLowering &L, const CallSite &C) {
  const SlotId Ctx = L.value(C.Receiver);
  const llvm::StringRef Base = C.base();
  if (Ctx == SlotId::None || !C.Callee)
    return std::nullopt;
  if (Base == "get_saved_variables")
    return L.Slots.field(Ctx, "saved variables");
  if (Base == "save_for_backward" && C.argument(0)) {
    bindBraces(L, L.Slots.field(Ctx, "saved variables"), C.argument(0));
    return SlotId::None;
  }
  return std::nullopt;
}

Recognised lowerAutograd(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  if (Name == "torch::autograd::Function::apply")
    return lowerApply(L, C);
  if (!C.Receiver)
    return std::nullopt;
  if (Name.starts_with(AutogradContextName))
    return lowerContext(L, C);
  if (C.base() == "operator[]")
    if (const SlotId S = savedDatum(L, C.Call); S != SlotId::None)
      return S;
  // What is kept is what was put there, whatever it is called in between.
  if (Name.starts_with("c10::IValue::to") && C.Arguments.empty())
    return L.value(C.Receiver);
  return std::nullopt;
}

} // namespace spmd::lint::lower
