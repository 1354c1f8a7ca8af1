//===- UnknownCode.cpp - What code that is not seen may do --------------===//

#include "UnknownCode.h"

#include "Contracts.h"
#include "ReadingCalls.h"
#include "Recognisers.h"

#include "cxx/KnownTypes.h"
#include "cxx/LibraryNames.h"
#include "cxx/OwnTensor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// A stream takes what is printed, and changes nothing else.
static bool isStream(QualType T) {
  const std::string Name = className(T.getNonReferenceType());
  return Name == "std::basic_ostream" || Name == "std::basic_ofstream" ||
         Name == "std::basic_ostringstream";
}

/// A stream of the device's is a handle of work, and no memory.
static bool isDeviceStream(const Expr *E) {
  const QualType T = E->IgnoreParenImpCasts()->getType();
  const std::string Name =
      T->isPointerType() ? className(T->getPointeeType()) : std::string();
  return Name == "CUstream_st" || Name == "ihipStream_t";
}

void havoc(ExprLowering &L, const Expr *Argument, const Expr *At, SlotId Comm) {
  const SlotId S = L.value(Argument);
  if (S == SlotId::None || isStream(Argument->getType()) ||
      isDeviceStream(Argument))
    return;
  if (pointsToCommunicator(Argument->getType()))
    return L.emit(HavocFact{S, /*Rebinds=*/true, L.place(At)});
  const TypeClass Class = classify(Argument->getType());
  if (Class == TypeClass::Comm || Class == TypeClass::Mesh)
    return;
  const bool Handle = Class == TypeClass::Other || Class == TypeClass::Tensor ||
                      Class == TypeClass::TensorList;
  const bool Rebinds = Handle && Argument->isLValue() && Comm == SlotId::None;
  L.emit(HavocFact{S, Rebinds, L.place(At), /*Gradients=*/false,
                   /*Alone=*/false, Comm});
}

void hookGradients(ExprLowering &L, SlotId Tensor, const Expr *At) {
  if (const SlotId Of = L.Lists.listOf(Tensor); Of != SlotId::None)
    L.emit(HavocFact{Of, /*Rebinds=*/true, L.place(At), /*Gradients=*/true});
}

void loseGradient(ExprLowering &L, SlotId Tensor, const Expr *At) {
  const SlotId List = L.Lists.listOf(Tensor);
  for (const SlotId S : {Tensor, List})
    if (S != SlotId::None && (S == Tensor || List != Tensor))
      L.emit(HavocFact{S, /*Rebinds=*/false, L.place(At), /*Gradients=*/true});
}

/// Whether unknown code may change what \p P refers to.
static bool isWritable(QualType P) {
  const bool Indirect = P->isPointerType() || P->isLValueReferenceType();
  return Indirect && !P->getPointeeType().isConstQualified() &&
         !P->isFunctionPointerType();
}

/// Whether \p C leaves \p A, which is \p S, as it is declared to be.
static bool leavesDeclared(const ExprLowering &L, const CallSite &C,
                           const Expr *A, SlotId S) {
  return (L.ir().slot(S).Declared || isModule(A->getType())) && readsByName(C);
}

/// A std::function runs code of the user's.
static bool isLibrary(llvm::StringRef Name) {
  return Name != "std::function::operator()" && isOfLibrary(Name);
}

static bool holdsTensors(QualType T) {
  const TypeClass Class = classify(T.getNonReferenceType());
  return Class == TypeClass::TensorList || Class == TypeClass::Tensor;
}

/// A handle to wait for.
static bool isWork(QualType T) {
  if (className(T) == "c10::intrusive_ptr" || className(T) == "std::shared_ptr")
    T = elementType(T);
  return !T.isNull() && className(T) == "c10d::Work";
}

/// Whether \p C is of code of the user's that is there for what it does to the
/// tensors that it is given: it returns nothing, or a handle to wait for, and
/// has no parameter for a result. That they are handles by value, or const,
/// keeps nobody from it.
static bool actsOnTensors(const CallSite &C) {
  const QualType Result = C.Callee ? C.Callee->getReturnType() : QualType();
  return C.Callee && (Result->isVoidType() || isWork(Result)) &&
         !isLibrary(C.Name) &&
         llvm::none_of(C.Callee->parameters(), [](const ParmVarDecl *P) {
           return isWritable(P->getType()) && holdsTensors(P->getType());
         });
}

/// Such code may sum \p Given, and its gradient, at once.
static void giveTensor(ExprLowering &L, Operand Given, const Expr *At) {
  ViewFact All;
  All.Dst = L.temporary();
  All.Src = Given;
  All.At = L.place(At);
  const SlotId Gradient = L.gradientOf(Given, At);
  L.emit(All);
  for (SlotId S : {Gradient, All.Dst})
    L.emit(HavocFact{S, /*Rebinds=*/false, All.At, /*Gradients=*/true});
}

void giveModules(ExprLowering &L, const CallSite &C) {
  const bool Known = isLibrary(C.Name);
  if (Known && C.Name != "torch::load")
    return;
  for (const Expr *A : C.Arguments) {
    const SlotId S = L.operandOrNone(A).Slot;
    const bool Module = isModule(A->getType());
    if (S == SlotId::None ||
        (classify(A->getType()) != TypeClass::TensorList && !Module))
      continue;
    if (!Known)
      L.emit(
          HavocFact{S, /*Rebinds=*/false, L.place(C.Call), /*Gradients=*/true});
    if (Module && !A->getType().isConstQualified() &&
        !leavesDeclared(L, C, A, S))
      L.emit(HavocFact{L.Slots.parametersOf(S), /*Rebinds=*/false,
                       L.place(C.Call)});
  }
}

void lowerAssumptions(FactWriter &L) {
  L.ir().Blocks.resize(1);
  const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
  if (Method && !Method->isStatic() && !Method->isConst())
    L.emit(HavocFact{L.ir().ThisSlot, /*Rebinds=*/true, PlaceId::None});
  for (unsigned I = 0; I != L.function()->getNumParams(); ++I) {
    const QualType P = L.function()->getParamDecl(I)->getType();
    const TypeClass Class = classify(P.getNonReferenceType());
    if (!isWritable(P) || Class == TypeClass::Comm || Class == TypeClass::Mesh)
      continue;
    const bool Handle = Class == TypeClass::Other ||
                        Class == TypeClass::Tensor ||
                        Class == TypeClass::TensorList;
    L.emit(HavocFact{SlotId(I), Handle && P->isLValueReferenceType(),
                     PlaceId::None});
  }
  ReturnFact Return;
  const QualType Result = L.function()->getReturnType();
  if (!Result->isVoidType() && classify(Result) != TypeClass::Untracked)
    Return.Value.Slot = L.temporary();
  L.emit(Return);
}

/// An algorithm that runs a closure on each tensor of a range may collect their
/// gradients, for others to reduce.
static void giveRanges(ExprLowering &L, const CallSite &C) {
  if (C.Receiver || !llvm::StringRef(C.Name).starts_with("std::") ||
      llvm::none_of(C.Arguments, isClosure))
    return;
  for (const Expr *A : C.Arguments)
    if (llvm::StringRef(className(A->getType())).contains("iterator") &&
        !isNumberIterator(A->getType()))
      if (const SlotId S = L.operandOrNone(A).Slot; S != SlotId::None)
        L.emit(HavocFact{S, /*Rebinds=*/false, L.place(C.Call),
                         /*Gradients=*/true});
}

/// Whether \p C runs what a pointer to function or a std::function holds, for
/// what that does: a callback.
static bool isCallback(const CallSite &C) {
  return C.Call->getType()->isVoidType() &&
         (!C.Callee || C.Name == "std::function::operator()");
}

/// A callback has what its owner has captured, as the model whose gradients it
/// reduces: of the object, and of what the function is given.
static void giveToCallback(ExprLowering &L, const Expr *At) {
  const auto Give = [&](SlotId S) {
    L.emit(HavocFact{S, /*Rebinds=*/false, L.place(At), /*Gradients=*/true});
  };
  if (L.ir().ThisSlot != SlotId::None)
    Give(L.ir().ThisSlot);
  for (const ParmVarDecl *P : L.function()->parameters())
    if (const QualType T = P->getType(); isModule(T) ||
                                         isOptimizer(T.getNonReferenceType()) ||
                                         classify(T) == TypeClass::TensorList)
      Give(SlotId(P->getFunctionScopeIndex()));
}

/// Whether \p T is, refers to or points to what \p Is says.
static bool refersTo(QualType T, bool (*Is)(QualType)) {
  T = T.getNonReferenceType();
  if (T->isPointerType() || isSmartPointer(T))
    T = elementType(T);
  return !T.isNull() && Is(T);
}

/// Whether \p Method is given tensors whose gradients an object may reduce: an
/// optimizer alone has what schedules its rate.
static bool takesModel(const CXXMethodDecl *Method) {
  const auto Takes = [&](bool (*Is)(QualType)) {
    return llvm::any_of(Method->parameters(), [&](const ParmVarDecl *P) {
      return refersTo(P->getType(), Is);
    });
  };
  return !Method->isImplicit() &&
         (Takes(isModule) || Takes([](QualType T) {
            return classify(T) == TypeClass::TensorList;
          }) ||
          (Takes(isOptimizer) &&
           llvm::any_of(Method->parameters(), [](auto *P) {
             return classify(P->getType()) == TypeClass::Comm;
           })));
}

/// `train()` and `to(device)` of a model's wrapper, as it is computed with
/// `forward`: what torch::nn::Module does by these names.
static bool setsModeOfModel(const CXXMethodDecl *Method) {
  const auto Named = [](const CXXMethodDecl *M, llvm::StringRef Name) {
    return M->getIdentifier() && M->getName() == Name;
  };
  return (Named(Method, "train") || Named(Method, "to")) &&
         llvm::any_of(Method->getParent()->methods(),
                      [&](const auto *M) { return Named(M, "forward"); });
}

/// Whether \p C is there for what an object does that may have a model.
static bool actsOnHeldModel(const CallSite &C) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  return Method && C.Receiver && !Method->isConst() && !Method->isStatic() &&
         Method->getReturnType()->isVoidType() && !isLibrary(C.Name) &&
         !readsByName(C) && !setsModeOfModel(Method) &&
         llvm::any_of(Method->getParent()->methods(), takesModel);
}

/// A module that is read from a file stays the object that it is.
static bool loadsInto(const CallSite &C, const Expr *Argument) {
  return C.Name == "torch::load" && isModule(Argument->getType());
}

/// The buffer of which \p E is a place or an element.
static const Expr *bufferOf(const Expr *E) {
  E = strip(E)->IgnoreParenCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_AddrOf)
    return bufferOf(U->getSubExpr());
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return bufferOf(S->getBase());
  const auto *B = dyn_cast<BinaryOperator>(E);
  return B && B->getOpcode() == BO_Add &&
                 B->getLHS()->getType()->isPointerType()
             ? bufferOf(B->getLHS())
             : E;
}

/// `fread(x + n, …)`: what a file says is stored at \p Place of a buffer that
/// is declared, as `x[n] = load()` stores it. Whether it was.
static bool storesRead(ExprLowering &L, const CallSite &C, const Expr *A,
                       SlotId Place) {
  if (!llvm::is_contained(
          {"fread", "std::fread", "read", "pread", "fscanf", "sscanf", "scanf"},
          llvm::StringRef(C.Name)) ||
      classify(A->getType()) != TypeClass::Buffer)
    return false;
  const SlotId Buffer = L.value(bufferOf(A));
  if (Buffer == SlotId::None || Buffer == Place || !L.slot(Buffer).Declared)
    return false;
  const Operand Read = {L.define(DefineFact::Kind::Unknown, C.Call),
                        L.place(C.Call), /*Scalar=*/true};
  checkStore(L, Buffer, Read, C.Call, Place);
  L.emitOp(ScalarRules::get().Copy, {Read}, C.Call, Place);
  return true;
}

/// What the struct that \p A, which is \p S, points to has: of an element of a
/// list, members are lost by name.
static void nameMembers(ExprLowering &L, const Expr *A, SlotId S) {
  const QualType T = strip(A)->getType();
  if (!T->isPointerType() || !L.module().isOwnStruct(T->getPointeeType()))
    return;
  const RecordDecl *Of = T->getPointeeType()->getAsRecordDecl();
  if ((Of = Of->getDefinition()))
    for (const FieldDecl *Field : Of->fields())
      if (Field->getIdentifier() &&
          classify(Field->getType()) == TypeClass::Buffer)
        L.Slots.field(S, Field->getName(), Field);
}

SlotId lowerUnknownCall(ExprLowering &L, const CallSite &C) {
  const FunctionProtoType *Proto =
      C.Callee ? C.Callee->getType()->getAs<FunctionProtoType>() : nullptr;
  if (C.Receiver) {
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
    const SlotId S = L.value(C.Receiver);
    // Methods of tensors that no rule names are queries far more often.
    if (S != SlotId::None && Method && !Method->isConst() &&
        (classify(C.Receiver->getType()) == TypeClass::Other ||
         isOwnTensor(C.Receiver->getType())) &&
        !leavesDeclared(L, C, C.Receiver, S) && !setsModeOfModel(Method))
      havoc(L, C.Receiver, C.Call);
  }
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const Expr *A = C.Arguments[I];
    const QualType P = Proto && I < Proto->getNumParams()
                           ? Proto->getParamType(I)
                           : A->getType();
    const SlotId S = L.operandOrNone(A).Slot;
    const bool Writable = S != SlotId::None && isWritable(P) &&
                          !loadsInto(C, A) && !leavesDeclared(L, C, A, S);
    const bool Acts =
        S != SlotId::None && holdsTensors(A->getType()) && actsOnTensors(C);
    if (isTensor(A->getType()) && (Acts || (Writable && !isLibrary(C.Name))))
      giveTensor(L, {S, L.place(A)}, C.Call);
    if (Writable && !isLibrary(C.Name))
      nameMembers(L, A, S);
    if (Writable && !storesRead(L, C, A, S))
      havoc(L, A, C.Call);
  }
  giveModules(L, C);
  giveRanges(L, C);
  if (isCallback(C) || actsOnHeldModel(C))
    giveToCallback(L, C.Call);
  if (C.Call->getType()->isVoidType() ||
      classify(C.Call->getType()) == TypeClass::Untracked)
    return SlotId::None;
  SlotId S = L.define(DefineFact::Kind::Unknown, C.Call);
  if (C.Callee) {
    // A communicator by name, or from a configured expression.
    std::vector<std::string> Axes = L.module().axesOf(C.Callee);
    if (!Axes.empty())
      S = L.defineAxes(C.Call, std::move(Axes));
    else if (const SlotId Size = L.declaredSize(C.Callee, C.Call);
             Size != SlotId::None)
      S = Size;
  }
  return S;
}

} // namespace spmd::lint::lower
