//===- LowerCall.cpp - Calls: who knows what they do --------------------===//

#include "LowerCall.h"

#include "Closures.h"
#include "Contracts.h"
#include "Elements.h"
#include "GradientBuffers.h"
#include "HeldFunctions.h"
#include "LowerForEach.h"
#include "LowerUploads.h"
#include "Recognisers.h"
#include "Stores.h"
#include "UnknownCode.h"
#include "WholeRecords.h"
#include "apis/Clocks.h"

#include "apis/Generators.h"
#include "apis/StepClosures.h"

#include "cxx/KnownCalls.h"
#include "cxx/OwnTensor.h"
#include "cxx/Tuples.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

bool isVirtualCall(const Expr *E) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  const auto *Member =
      Call ? dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens()) : nullptr;
  if (!Member || Member->hasQualifier())
    return false;
  // A variable or field that is an object, not a reference to one, is of
  // exactly its class.
  const ValueDecl *Named = namedBy(Member->getBase()->IgnoreParenImpCasts());
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

/// A forward pass uses all parameters of what is declared as a whole: its body
/// names some, of which it is not seen that a list of all changes them. The
/// list has a name in any case: an optimizer may have the same.
static void readParameters(ExprLowering &L, const CallSite &C) {
  const QualType Module = strip(C.Receiver)->getType();
  const SlotId Object = L.value(C.Receiver);
  if (Object == SlotId::None || !isModule(Module) ||
      (C.base() != "forward" && C.base() != "operator()"))
    return;
  const SlotId List = L.Slots.parametersOf(Object, Module);
  if (List != SlotId::None && L.slot(Object).Declared &&
      !L.Slots.hasDifferentParts(List, Module))
    L.emitOp(L.module().layerRule("forward"), {{List, L.place(C.Receiver)}},
             C.Call);
}

/// `reduce(p.mutable_grad())`: what the callee makes of its parameter is the
/// gradient then.
static void keepGivenGradients(ExprLowering &L, const CallSite &C) {
  for (const Expr *A : C.Arguments)
    if (namesGradient(A))
      L.emitOp(ScalarRules::get().Copy, {L.operand(A)}, C.Call,
               L.gradientOf(L.operand(CallSite(strip(A)).Receiver), A));
}

/// Whether \p E is no pointer, where a callee may read numbers: it finds none.
static bool isNoBuffer(const ExprLowering &L, const CallSite &C, unsigned I,
                       const Expr *E) {
  if (!E->isNullPointerConstant(L.context(),
                                Expr::NPC_ValueDependentIsNotNull) ||
      I >= C.Callee->getNumParams())
    return false;
  const ParmVarDecl *P = C.Callee->getParamDecl(I);
  const QualType To = P->getType()->getPointeeType();
  return !To.isNull() && To.isConstQualified() && To->isArithmeticType() &&
         !L.module().annotations().typeOf(P);
}

SlotId lowerKnownCall(ExprLowering &L, const CallSite &C, std::string Symbol) {
  CallFact Call;
  Call.At = L.place(C.Call);
  if (C.Receiver)
    Call.Receiver = L.operand(C.Receiver);
  llvm::SmallVector<std::pair<Operand, llvm::SmallVector<SlotId, 8>>, 2> Wholes;
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const Expr *A = C.Arguments[I];
    if (const LambdaExpr *Held = heldLambda(A)) {
      Call.Arguments.push_back({L.value(Held), L.place(A)});
      continue;
    }
    // Who says where the parts of a buffer begin writes nothing into it.
    if (L.Slots.isListOfParts(variableOf(A)) &&
        L.module().listsOfParts().isFilledBy(C.Callee, I)) {
      Call.Arguments.push_back(
          {L.define(DefineFact::Kind::Undefined, A), L.place(A)});
      continue;
    }
    if (isNoBuffer(L, C, I, A)) {
      Call.Arguments.push_back(
          {L.define(DefineFact::Kind::Zero, A), L.place(A)});
      continue;
    }
    // Who is given the struct itself names its members.
    const bool IsItself = A->getType()->isPointerType() &&
                          A->getType()->getPointeeType()->isRecordType();
    const auto Members =
        IsItself ? llvm::SmallVector<SlotId, 8>() : membersOfWhole(L, A);
    Call.Arguments.push_back(Members.empty() ? L.operandOrNone(A)
                                             : gathered(L, Members, A));
    if (const SlotId Given = Call.Arguments.back().Slot;
        Given != SlotId::None && makesModule(A))
      drawParameters(L, Given, A->getType(), A);
    if (!Members.empty() && mayWriteThrough(A))
      Wholes.emplace_back(Call.Arguments.back(), Members);
  }
  Call.Numbers = givenNumbers(C, L.function(), L.Body.constancy(), L.context());
  Call.Callee = std::move(Symbol);
  if (isa<CXXConstructorDecl>(C.Callee)) {
    const SlotId Object = L.define(DefineFact::Kind::Undefined, C.Call);
    Call.Receiver = {Object, Call.At};
    L.emit(std::move(Call));
    return Object;
  }
  const bool Void = C.Call->getType()->isVoidType();
  Call.Dst = Void ? SlotId::None : L.temporary();
  const SlotId Dst = Call.Dst;
  if (C.Receiver)
    readParameters(L, C);
  const llvm::SmallVector<Operand, 0> Given = Call.Arguments;
  L.emit(std::move(Call));
  checkUploads(L, C, Given);
  for (const auto &[Buffer, Members] : Wholes)
    scatter(L, Buffer, Members, C.Call);
  keepGivenGradients(L, C);
  if (isTuple(C.Call->getType()) && C.Callee->hasBody())
    for (const std::string &Member : tupleMembers(C.Call->getType()))
      L.Slots.field(Dst, Member);
  return Dst;
}

static HeldIn heldIn(const ExprLowering &L) {
  return {L.Body.constancy(), L.source().Handed};
}

/// A call of a closure whose body is in the module.
static std::optional<SlotId> lowerLambdaCall(ExprLowering &L,
                                             const CallSite &C) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  if (!Method || !Method->getParent()->isLambda() || !C.Receiver)
    return std::nullopt;
  if (!L.module().isKnown(Method))
    return std::nullopt;
  return lowerKnownCall(L, C, L.module().require(Method));
}

/// `f(x)` of a variable that holds \p Held.
static SlotId lowerHeldFunction(ExprLowering &L, const CallSite &C,
                                const FunctionDecl *Held) {
  CallSite Of = C;
  Of.Callee = Held;
  // What a closure has captured is in what the variable holds.
  if (!isa<CXXMethodDecl>(Held))
    Of.Receiver = nullptr;
  else if (!Of.Receiver)
    Of.Receiver = cast<CallExpr>(C.Call)->getCallee()->IgnoreParenImpCasts();
  return lowerKnownCall(L, Of, L.module().require(Held));
}

/// The engine that a [[spmd::op]] function draws from is the last of its
/// operands.
static void addEngine(ExprLowering &L, const CallSite &C, const OpRule &Rule,
                      llvm::SmallVectorImpl<Operand> &Inputs) {
  const std::optional<unsigned> At = engineParameter(C.Callee);
  if (!At || !C.argument(*At) || Inputs.size() >= Rule.Formals.size())
    return;
  Inputs.resize(Rule.Formals.size());
  Inputs.back() = L.operand(C.argument(*At));
}

/// A [[spmd::op]] function: its const parameters are operands, the others and
/// the result are outputs. One with outputs alone changes them in place.
static SlotId lowerOwnOp(ExprLowering &L, const CallSite &C,
                         const OpRule &Rule) {
  auto IsData = [](QualType T) {
    const TypeClass K = classify(T);
    return K == TypeClass::Tensor || K == TypeClass::TensorList ||
           K == TypeClass::Buffer;
  };
  llvm::SmallVector<Operand, 4> Inputs;
  llvm::SmallVector<std::pair<const Expr *, const ParmVarDecl *>, 2> Outputs;
  if (C.Receiver && IsData(C.Receiver->getType()))
    Inputs.push_back(L.operand(C.Receiver));
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const Expr *A = C.Arguments[I];
    if (I >= C.Callee->getNumParams())
      break;
    const ParmVarDecl *P = C.Callee->getParamDecl(I);
    const QualType T = P->getType();
    const bool Indirect = T->isPointerType() || T->isReferenceType();
    if (IsData(T) && Indirect && !T->getPointeeType().isConstQualified()) {
      Outputs.emplace_back(A, P);
      continue;
    }
    const Operand O = L.operandOrNone(A);
    checkArgument(L, P, O, C.Call);
    if (IsData(T) && O.Slot != SlotId::None)
      Inputs.push_back(O);
  }
  SlotId Result = SlotId::None;
  // `gelu_(x)`: in place.
  if (Inputs.empty())
    for (const auto &[Out, P] : Outputs)
      Inputs.push_back(L.operand(Out));
  addEngine(L, C, Rule, Inputs);
  if (Outputs.empty())
    Result = L.emitOp(Rule, Inputs, C.Call);
  for (const auto &[Out, P] : Outputs) {
    const Viewed Of = viewedObject(L, Out);
    const SlotId Object = L.value(Of.Object);
    checkArgument(L, P, {Object, L.place(Out)}, C.Call);
    const SlotId Into = writtenPart(L, Of, Object, C.Call);
    Result = L.emitOp(Rule, Inputs, C.Call, Into, Of.Partial);
    if (const SlotId Said = declaredOutput(L, P, C.Call);
        Said != SlotId::None && Into != SlotId::None)
      Result = L.emitOp(ScalarRules::get().Copy, {{Said, L.place(Out)}}, C.Call,
                        Into, Of.Partial);
  }
  // What is declared of an op is the user's word, as its rule is.
  if (const SlotId Said = declaredResult(L, C.Callee, C.Call);
      Said != SlotId::None)
    return Said;
  return C.Call->getType()->isVoidType() ? SlotId::None : Result;
}

/// The struct that \p Accessor, `Layer &layer() { return layer_; }`, is a name
/// of; null if it does something else.
static const FieldDecl *namedStruct(const FunctionDecl *Accessor) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Accessor);
  const auto *Body = Method && !Method->isVirtual() &&
                             Method->getReturnType()->isReferenceType()
                         ? dyn_cast_or_null<CompoundStmt>(Method->getBody())
                         : nullptr;
  const auto *Return = Body && Body->size() == 1
                           ? dyn_cast<ReturnStmt>(Body->body_front())
                           : nullptr;
  const FieldDecl *Field = Return && Return->getRetValue()
                               ? memberOfThis(strip(Return->getRetValue()))
                               : nullptr;
  return Field && Field->getType()->isRecordType() &&
                 classify(Field->getType()) == TypeClass::Other
             ? Field
             : nullptr;
}

/// A call of \p Target, which is known. It may have a body for the functions
/// that it is handed; what it keeps of them, others may call.
static SlotId lowerCallOf(ExprLowering &L, const CallSite &C,
                          const FunctionDecl *Target) {
  const HeldFunctions Handed = handedFunctions(C, Target, heldIn(L));
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    if (const LambdaExpr *Lambda = heldLambda(C.Arguments[I]);
        Lambda && (I >= Handed.size() || !Handed[I]))
      lendClosure(L, Lambda, C.Call);
  return lowerKnownCall(L, C, L.module().require(Target, Handed));
}

SlotId lowerCall(ExprLowering &L, const Expr *E) {
  const CallSite C(E);
  if (const auto Constant = constantCall(E, C.Callee, L.context()))
    return L.define(*Constant, E);
  if (const FunctionDecl *Held = heldFunction(E, heldIn(L));
      Held && L.module().isKnown(Held))
    return lowerHeldFunction(L, C, Held);
  const FunctionDecl *Like = nullptr;
  if (const std::string Choice =
          C.Callee ? std::string() : L.module().requireChoice(E, Like);
      !Choice.empty()) {
    CallSite Of = C;
    Of.Callee = Like;
    Of.Receiver = nullptr;
    return lowerKnownCall(L, Of, Choice);
  }
  if (!C.Callee) {
    if (const auto *X = dyn_cast<CallExpr>(E))
      L.value(X->getCallee());
    for (const Expr *A : C.Arguments)
      lendClosure(L, A, E);
    return lowerUnknownCall(L, C);
  }
  // An annotation overrides what is known by name: it is the user's word.
  if (const OpRule *Own = L.module().ownRule(C.Callee)) {
    const SlotId Out = lowerOwnOp(L, C, *Own);
    if (const auto Engine = engineParameter(C.Callee);
        Engine && C.argument(*Engine))
      advanceEngine(L, C.argument(*Engine), C.Call);
    return Out;
  }
  if (const OwnMember Own = C.Receiver ? ownMember(C.Callee) : OwnMember::Other;
      Own == OwnMember::Data)
    return L.value(C.Receiver);
  else if (Own == OwnMember::Gradient)
    return L.gradientOf(L.operand(C.Receiver), E);
  else if (Own == OwnMember::Backward)
    return lowerTorchCall(L, C).value_or(SlotId::None);
  if (lowerForEach(L, E))
    return SlotId::None;
  if (const FieldDecl *Field = C.Receiver ? namedStruct(C.Callee) : nullptr)
    if (const SlotId Object = L.value(C.Receiver); Object != SlotId::None)
      return L.Slots.field(Object, Field->getName(), Field);
  if (Recognised Last = lowerAlgorithm(L, C))
    return *Last;
  if (llvm::any_of(C.Arguments, isClosure) && !L.module().isKnown(C.Callee) &&
      !llvm::StringRef(C.Name).starts_with("spmd::") &&
      !(isOptimizerStep(C) && seesClosures(L, C)))
    for (const Expr *A : C.Arguments)
      lendClosure(L, A, E);
  using Recogniser = Recognised (*)(ExprLowering &, const CallSite &);
  static constexpr Recogniser Recognisers[] = {
      lowerClock,     lowerSpmdCall, lowerCollectiveCall, lowerReducedPrecision,
      lowerCudaCall,  lowerLayer,    lowerModuleCall,     lowerAutograd,
      lowerGenerator, lowerStdCall};
  for (Recogniser R : Recognisers)
    if (Recognised S = R(L, C))
      return *S;
  if (std::optional<SlotId> S = lowerLambdaCall(L, C))
    return *S;
  const CXXMethodDecl *Held = heldForward(C);
  const FunctionDecl *Target = Held ? Held : C.Callee;
  const auto *Method = dyn_cast<CXXMethodDecl>(Target);
  if (Method && (Held || isVirtualCall(E)) && L.module().isDispatched(Method))
    return lowerKnownCall(L, C, L.module().requireDispatch(Method));
  if (L.module().isKnown(Target))
    return lowerCallOf(L, C, Target);
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(E);
  if (Op && Op->getOperator() == OO_Equal && C.Receiver) {
    if (const Expr *Of = placedGradient(C, L.function()))
      hookGradients(L, L.value(Of), E);
    return lowerAssign(L, C.Receiver, C.argument(0), E);
  }
  if (Recognised S = lowerTorchCall(L, C))
    return *S;
  if (Recognised S = lowerIndexing(L, C))
    return *S;
  if (Recognised S = lowerCatalogueCall(L, C))
    return *S;
  if (L.module().mayBeElsewhere(Target) && L.module().axesOf(Target).empty())
    return lowerKnownCall(L, C, L.module().requireElsewhere(Target));
  return lowerUnknownCall(L, C);
}

} // namespace spmd::lint::lower
