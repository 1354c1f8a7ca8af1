//===- LowerCall.cpp - Calls: who knows what they do ----------------------===//

#include "Recognisers.h"

#include "cxx/OwnTensor.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// `object.method()`, not `object.Base::method()`.
static bool isVirtualCall(const Expr *E) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  const auto *Member =
      Call ? dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens()) : nullptr;
  if (!Member || Member->hasQualifier())
    return false;
  // A variable or field that is an object, not a reference to one, is of
  // exactly its class.
  const Expr *Object = Member->getBase()->IgnoreParenImpCasts();
  const ValueDecl *Named = nullptr;
  if (const auto *D = dyn_cast<DeclRefExpr>(Object))
    Named = D->getDecl();
  else if (const auto *M = dyn_cast<MemberExpr>(Object))
    Named = M->getMemberDecl();
  return Member->isArrow() || !Named || Named->getType()->isReferenceType();
}

/// What the compiler makes of a call by itself: `numeric_limits<float>::max()`,
/// the builtin behind INFINITY.
static std::optional<DefineFact::Kind>
constantCall(const Expr *E, const FunctionDecl *Callee, const ASTContext &Ctx) {
  Expr::EvalResult R;
  if (!Callee || !(Callee->isConstexpr() || Callee->getBuiltinID()) ||
      !E->getType()->isArithmeticType() || E->isValueDependent() ||
      !E->EvaluateAsRValue(R, Ctx) || R.HasSideEffects)
    return std::nullopt;
  const bool Zero = R.Val.isFloat() ? R.Val.getFloat().isZero()
                                    : R.Val.isInt() && R.Val.getInt().isZero();
  return Zero ? DefineFact::Kind::Zero : DefineFact::Kind::Constant;
}

static bool isClosure(const Expr *E) {
  const CXXRecordDecl *RD =
      E->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return RD && RD->isLambda();
}

SlotId FunctionLowering::lowerCall(const Expr *E) {
  const CallSite C(E);
  if (const auto Constant = constantCall(E, C.Callee, M.context()))
    return define(*Constant, E);
  if (!C.Callee) {
    if (const auto *X = dyn_cast<CallExpr>(E))
      value(X->getCallee());
    for (const Expr *A : C.Arguments)
      lendClosure(A, E);
    return lowerUnknownCall(C);
  }
  // An annotation overrides what is known by name: it is the user's word.
  if (const OpRule *Own = M.ownRule(C.Callee))
    return lowerOwnOp(C, *Own);
  if (const OwnMember Own = C.Receiver ? ownMember(C.Callee) : OwnMember::Other;
      Own == OwnMember::Data)
    return value(C.Receiver);
  else if (Own == OwnMember::Gradient)
    return gradientOf(operand(C.Receiver), E);
  else if (Own == OwnMember::Backward)
    return lowerTorchCall(*this, C).value_or(SlotId::None);
  if (llvm::any_of(C.Arguments, isClosure) && !M.isKnown(C.Callee) &&
      !llvm::StringRef(C.Name).starts_with("spmd::"))
    for (const Expr *A : C.Arguments)
      lendClosure(A, E);
  using Recogniser = Recognised (*)(FunctionLowering &, const CallSite &);
  static constexpr Recogniser Recognisers[] = {
      lowerSpmdCall, lowerCollectiveCall, lowerReducedPrecision, lowerCudaCall,
      lowerLayer,    lowerModuleCall,     lowerAutograd,         lowerStdCall};
  for (Recogniser R : Recognisers)
    if (Recognised S = R(*this, C))
      return *S;
  if (std::optional<SlotId> S = lowerLambdaCall(C))
    return *S;
  const CXXMethodDecl *Held = heldForward(C);
  const FunctionDecl *Target = Held ? Held : C.Callee;
  const auto *Method = dyn_cast<CXXMethodDecl>(Target);
  if (Method && (Held || isVirtualCall(E)) && M.isDispatched(Method))
    return lowerKnownCall(C, M.requireDispatch(Method));
  if (M.isKnown(Target))
    return lowerKnownCall(C, M.require(Target));
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(E);
  if (Op && Op->getOperator() == OO_Equal && C.Receiver)
    return lowerAssign(C.Receiver, C.argument(0), E);
  if (Recognised S = lowerTorchCall(*this, C))
    return *S;
  if (Recognised S = lowerIndexing(*this, C))
    return *S;
  if (Recognised S = lowerCatalogueCall(*this, C))
    return *S;
  if (M.mayBeElsewhere(Target) && M.axesOf(Target).empty())
    return lowerKnownCall(C, M.requireElsewhere(Target));
  return lowerUnknownCall(C);
}

/// A call of a closure whose body is in the module.
std::optional<SlotId> FunctionLowering::lowerLambdaCall(const CallSite &C) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  if (!Method || !Method->getParent()->isLambda() || !C.Receiver)
    return std::nullopt;
  if (!M.isKnown(Method))
    return std::nullopt;
  return lowerKnownCall(C, M.require(Method));
}

/// The arguments that are numbers, whatever the call is for: `sum(x, true)`.
static llvm::SmallVector<GivenNumber, 1> givenNumbers(const CallSite &C,
                                                      const FunctionDecl *In,
                                                      const Constancy &Constant,
                                                      const ASTContext &Ctx) {
  llvm::SmallVector<GivenNumber, 1> Out;
  for (std::uint32_t I = 0; I != C.Arguments.size(); ++I) {
    const Expr *A = C.Arguments[I];
    Expr::EvalResult Value;
    if (!A->getType()->isIntegralOrEnumerationType() || A->isValueDependent())
      continue;
    if (A->EvaluateAsInt(Value, Ctx)) {
      if (const auto Number = Value.Val.getInt().tryExtValue())
        Out.push_back({I, *Number, SlotId::None});
    } else if (const auto *D =
                   dyn_cast<DeclRefExpr>(A->IgnoreParenImpCasts())) {
      const auto *P = dyn_cast<ParmVarDecl>(D->getDecl());
      if (P && P->getDeclContext() == In && Constant.isKeptHere(P))
        Out.push_back({I, 0, SlotId(P->getFunctionScopeIndex())});
    }
  }
  return Out;
}

SlotId FunctionLowering::lowerKnownCall(const CallSite &C, std::string Symbol) {
  CallFact Call;
  Call.At = place(C.Call);
  if (C.Receiver)
    Call.Receiver = operand(C.Receiver);
  for (const Expr *A : C.Arguments)
    Call.Arguments.push_back(operandOrNone(A));
  Call.Numbers = givenNumbers(C, FD, constancy(), M.context());
  Call.Callee = std::move(Symbol);
  if (isa<CXXConstructorDecl>(C.Callee)) {
    const SlotId Object = define(DefineFact::Kind::Undefined, C.Call);
    Call.Receiver = {Object, Call.At};
    emit(std::move(Call));
    return Object;
  }
  const bool Void = C.Call->getType()->isVoidType();
  Call.Dst = Void ? SlotId::None : temporary();
  const SlotId Dst = Call.Dst;
  emit(std::move(Call));
  return Dst;
}

/// A [[spmd::op]] function: its const parameters are operands, the others and
/// the result are outputs. One with outputs alone changes them in place.
SlotId FunctionLowering::lowerOwnOp(const CallSite &C, const OpRule &Rule) {
  auto IsData = [](QualType T) {
    const TypeClass K = classify(T);
    return K == TypeClass::Tensor || K == TypeClass::TensorList ||
           K == TypeClass::Buffer;
  };
  llvm::SmallVector<Operand, 4> Inputs;
  llvm::SmallVector<const Expr *, 2> Outputs;
  if (C.Receiver && IsData(C.Receiver->getType()))
    Inputs.push_back(operand(C.Receiver));
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const Expr *A = C.Arguments[I];
    if (I >= C.Callee->getNumParams())
      break;
    const QualType P = C.Callee->getParamDecl(I)->getType();
    if (!IsData(P)) {
      value(A);
      continue;
    }
    const bool Indirect = P->isPointerType() || P->isReferenceType();
    if (Indirect && !P->getPointeeType().isConstQualified())
      Outputs.push_back(A);
    else if (Operand O = operandOrNone(A); O.Slot != SlotId::None)
      Inputs.push_back(O);
  }
  SlotId Result = SlotId::None;
  if (Outputs.empty())
    return emitOp(Rule, Inputs, C.Call);
  // `gelu_(x)`: in place.
  if (Inputs.empty())
    for (const Expr *Out : Outputs)
      Inputs.push_back(operand(Out));
  for (const Expr *Out : Outputs) {
    bool Partial = false;
    const SlotId Into = value(viewedObject(Out, Partial));
    Result = emitOp(Rule, Inputs, C.Call, Into, Partial);
  }
  return C.Call->getType()->isVoidType() ? SlotId::None : Result;
}

void FunctionLowering::havoc(const Expr *Argument, const Expr *At) {
  const SlotId S = value(Argument);
  if (S == SlotId::None)
    return;
  if (pointsToCommunicator(Argument->getType()))
    return emit(HavocFact{S, /*Rebinds=*/true, place(At)});
  const TypeClass Class = classify(Argument->getType());
  if (Class == TypeClass::Comm || Class == TypeClass::Mesh)
    return;
  const bool Handle = Class == TypeClass::Other || Class == TypeClass::Tensor ||
                      Class == TypeClass::TensorList;
  emit(HavocFact{S, Handle && Argument->isLValue(), place(At)});
}

/// Whether unknown code may change what \p P refers to.
static bool isWritable(QualType P) {
  const bool Indirect = P->isPointerType() || P->isLValueReferenceType();
  return Indirect && !P->getPointeeType().isConstQualified() &&
         !P->isFunctionPointerType();
}

/// Unknown code that has a module, or a list of tensors, may change what their
/// gradients are, at once or by hooks, and give the module other parameters:
/// those of libraries do not, but for those that load them.
void FunctionLowering::giveModules(const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  const bool Known =
      llvm::any_of(llvm::ArrayRef({"torch::", "at::", "c10::", "std::"}),
                   [&](const char *Of) { return Name.starts_with(Of); });
  if (Known && Name != "torch::load")
    return;
  for (const Expr *A : C.Arguments) {
    const SlotId S = operandOrNone(A).Slot;
    const bool Module = isModule(A->getType());
    if (S == SlotId::None ||
        (classify(A->getType()) != TypeClass::TensorList && !Module))
      continue;
    if (!Known)
      emit(HavocFact{S, /*Rebinds=*/false, place(C.Call), /*Gradients=*/true});
    if (Module && !A->getType().isConstQualified())
      emit(HavocFact{parametersOf(S), /*Rebinds=*/false, place(C.Call)});
  }
}

void FunctionLowering::lowerAssumptions() {
  F.Blocks.resize(1);
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  if (Method && !Method->isStatic() && !Method->isConst())
    emit(HavocFact{F.ThisSlot, /*Rebinds=*/true, PlaceId::None});
  for (unsigned I = 0; I != FD->getNumParams(); ++I) {
    const QualType P = FD->getParamDecl(I)->getType();
    const TypeClass Class = classify(P.getNonReferenceType());
    if (!isWritable(P) || Class == TypeClass::Comm || Class == TypeClass::Mesh)
      continue;
    const bool Handle = Class == TypeClass::Other ||
                        Class == TypeClass::Tensor ||
                        Class == TypeClass::TensorList;
    emit(HavocFact{SlotId(I), Handle && P->isLValueReferenceType(),
                   PlaceId::None});
  }
  ReturnFact Return;
  const QualType Result = FD->getReturnType();
  if (!Result->isVoidType() && classify(Result) != TypeClass::Untracked)
    Return.Value.Slot = temporary();
  emit(Return);
}

SlotId FunctionLowering::lowerUnknownCall(const CallSite &C) {
  const FunctionProtoType *Proto =
      C.Callee ? C.Callee->getType()->getAs<FunctionProtoType>() : nullptr;
  if (C.Receiver) {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
    const SlotId S = value(C.Receiver);
    // Methods of tensors that no rule names are queries far more often.
    if (S != SlotId::None && Method && !Method->isConst() &&
        (classify(C.Receiver->getType()) == TypeClass::Other ||
         isOwnTensor(C.Receiver->getType())))
      havoc(C.Receiver, C.Call);
  }
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const Expr *A = C.Arguments[I];
    const QualType P = Proto && I < Proto->getNumParams()
                           ? Proto->getParamType(I)
                           : A->getType();
    const SlotId S = operandOrNone(A).Slot;
    if (S != SlotId::None && isWritable(P))
      havoc(A, C.Call);
  }
  giveModules(C);
  if (C.Call->getType()->isVoidType() ||
      classify(C.Call->getType()) == TypeClass::Untracked)
    return SlotId::None;
  SlotId S = define(DefineFact::Kind::Unknown, C.Call);
  if (C.Callee) {
    // A communicator by name, or from a configured expression.
    std::vector<std::string> Axes = M.axesOf(C.Callee);
    if (!Axes.empty())
      S = defineAxes(C.Call, std::move(Axes));
    else if (const SlotId Size = declaredSize(C.Callee, C.Call);
             Size != SlotId::None)
      S = Size;
  }
  return S;
}

} // namespace spmd::lint::lower
