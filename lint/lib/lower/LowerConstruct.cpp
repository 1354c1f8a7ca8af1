//===- LowerConstruct.cpp - Objects that are made -----------------------===//

#include "LowerConstruct.h"

#include "Closures.h"
#include "Contracts.h"
#include "LowerCall.h"
#include "Recognisers.h"
#include "UnknownCode.h"
#include "apis/Clocks.h"
#include "apis/StepClosures.h"

#include "cxx/DeclaredClasses.h"
#include "cxx/OwnTensor.h"
#include "cxx/Tuples.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static SlotId summary(ExprLowering &L, llvm::ArrayRef<const Expr *> Elements,
                      const Expr *At) {
  const SlotId S = L.temporary();
  L.assign(S, At, DefineFact::Kind::Undefined);
  for (const Expr *E : Elements) {
    const Operand V = L.operandOrNone(E);
    if (V.Slot == SlotId::None)
      continue;
    if (Elements.size() == 1) {
      L.emit(BindFact{S, V, V.At});
      return S;
    }
    if (isHandle(E->getType()))
      L.joinList(S, V, E);
    else
      L.emitOp(ScalarRules::get().Copy, {V}, E, S, /*Partial=*/true);
  }
  return S;
}

/// What is made of \p E, as a container of pairs is, holds the handles in it in
/// \p Made, under names that nobody knows.
static void holdHandles(ExprLowering &L, SlotId Made, const Expr *E) {
  E = strip(E);
  if (isHandle(E->getType())) {
    if (const Operand Held = L.operandOrNone(E); Held.Slot != SlotId::None)
      L.joinList(Made, Held, E);
  } else if (const auto *Braces = dyn_cast<InitListExpr>(E)) {
    for (const Expr *Part : Braces->inits())
      holdHandles(L, Made, Part);
  } else if (isTuple(E->getType())) {
    if (const auto *Tuple = dyn_cast<CXXConstructExpr>(E))
      for (const Expr *Part : Tuple->arguments())
        holdHandles(L, Made, Part);
    else if (const auto *Call = dyn_cast<CallExpr>(E))
      for (const Expr *Part : Call->arguments())
        holdHandles(L, Made, Part);
  }
}

/// An own tensor of the buffer among \p Parts, or of new memory.
static SlotId wrapped(ExprLowering &L, llvm::ArrayRef<const Expr *> Parts,
                      const Expr *At) {
  SlotId Buffer = SlotId::None;
  for (const Expr *E : Parts) {
    const Operand Part = L.operandOrNone(E);
    if (Buffer != SlotId::None || Part.Slot == SlotId::None)
      continue;
    if (holdsOwnData(E->getType()))
      Buffer = Part.Slot;
    else if (isVectorName(className(E->getType()))) // its bits
      Buffer = L.emitOp(ScalarRules::get().Copy, {Part}, E);
  }
  return Buffer == SlotId::None ? L.define(DefineFact::Kind::Undefined, At)
                                : Buffer;
}

SlotId lowerInitList(ExprLowering &L, const InitListExpr *E) {
  if (const InitListExpr *Semantic = E->getSemanticForm())
    E = Semantic;
  const TypeClass Class = classify(E->getType());
  if (E->getNumInits() == 0)
    return L.define(Class == TypeClass::Scalar ? DefineFact::Kind::Zero
                                               : DefineFact::Kind::Undefined,
                    E);
  const RecordDecl *RD = E->getType()->getAsRecordDecl();
  if (isOwnTensor(E->getType()))
    return wrapped(L, E->inits(), E);
  if (!RD || Class != TypeClass::Other)
    return summary(L, E->inits(), E);
  const SlotId S = L.define(DefineFact::Kind::Undefined, E);
  auto Field = RD->field_begin();
  unsigned I = 0;
  if (const auto *CXX = dyn_cast<CXXRecordDecl>(RD))
    I = CXX->getNumBases();
  for (; I < E->getNumInits() && Field != RD->field_end(); ++I, ++Field) {
    const Operand V = L.operandOrNone(E->getInit(I));
    if (V.Slot == SlotId::None)
      continue;
    const SlotId Member = L.Slots.field(S, Field->getName(), *Field);
    checkStore(L, Member, Field->getType(), V, E->getInit(I));
    if (L.slot(Member).DeclaredAxes.empty())
      L.emit(BindFact{Member, V, V.At});
  }
  return S;
}

/// `vector(first, last)` and `vector(n, value)`: what its elements begin with,
/// where that is no constant.
static Operand elementsOf(ExprLowering &L, const CXXConstructExpr *E) {
  const auto IsGiven = [](const Expr *A) { return !isa<CXXDefaultArgExpr>(A); };
  if (classify(E->getType()) != TypeClass::Buffer || E->getNumArgs() < 2 ||
      !IsGiven(E->getArg(1)))
    return {};
  const bool IsRange = !E->getArg(0)->getType()->isArithmeticType();
  const Expr *Of = E->getArg(IsRange ? 0 : 1);
  if (!IsRange && (classify(Of->getType()) != TypeClass::Scalar ||
                   Of->isEvaluatable(L.context())))
    return {};
  return L.operandOrNone(Of);
}

/// A wrapper of one value: optional, Scalar, ArrayRef, shared_ptr, View.
static SlotId holder(ExprLowering &L, const CXXConstructExpr *E) {
  const TypeClass Class = classify(E->getType());
  if (const Operand Elements = elementsOf(L, E); Elements.Slot != SlotId::None)
    return L.emitOp(ScalarRules::get().Copy, {Elements}, E);
  const Expr *Held = E->getNumArgs() ? E->getArg(0) : nullptr;
  const SlotId S = L.operandOrNone(Held).Slot;
  if (S != SlotId::None && (Class != TypeClass::Buffer ||
                            classify(Held->getType()) == TypeClass::Buffer))
    return S;
  return L.define(Class == TypeClass::Scalar   ? DefineFact::Kind::Constant
                  : Class == TypeClass::Buffer ? DefineFact::Kind::Zero
                                               : DefineFact::Kind::Undefined,
                  E);
}

/// An object of a class that is not the user's, or whose constructor is
/// unknown.
static SlotId library(ExprLowering &L, const CXXConstructExpr *E) {
  const llvm::ArrayRef<const Expr *> Arguments(E->getArgs(), E->getNumArgs());
  switch (classify(E->getType())) {
  case TypeClass::Tensor:
  case TypeClass::Scalar:
  case TypeClass::Comm:
  case TypeClass::Buffer:
    return holder(L, E);
  case TypeClass::TensorList:
    for (const Expr *A : Arguments) {
      const TypeClass Of = classify(A->getType());
      if (Of == TypeClass::TensorList || Of == TypeClass::Tensor)
        return L.value(A);
    }
    return L.define(DefineFact::Kind::Undefined, E);
  default:
    break;
  }
  if (className(E->getType()) == "at::indexing::Slice") {
    llvm::SmallVector<Operand, 3> Bounds;
    for (const Expr *A : Arguments)
      Bounds.push_back(L.operandOrNone(A));
    static const OpRule Slice = makeRule("slice", OpClass::Nonlinear, 3);
    return L.emitOp(Slice, Bounds, E);
  }
  if (Arguments.size() == 1 && classify(E->getType()) == TypeClass::Other) {
    // Holders and wrappers of user types: shared_ptr<T>(p), TensorIndex(x).
    const TypeClass Of = classify(Arguments[0]->getType());
    if (Of == TypeClass::Tensor || Of == TypeClass::Other)
      return L.value(Arguments[0]);
  }
  for (const Expr *A : Arguments)
    L.value(A);
  const SlotId Made = L.define(DefineFact::Kind::Unknown, E);
  for (const Expr *A : Arguments)
    if (isa<InitListExpr>(strip(A)))
      holdHandles(L, Made, A);
  return Made;
}

SlotId lowerConstruct(ExprLowering &L, const CXXConstructExpr *E) {
  const CXXConstructorDecl *Ctor = E->getConstructor();
  const QualType T = E->getType();
  const llvm::ArrayRef<const Expr *> Arguments(E->getArgs(), E->getNumArgs());
  const bool Copies = !Arguments.empty() && Ctor->isCopyOrMoveConstructor();
  if (Recognised R =
          lowerEngine(L, E)) // also of a copy, which goes its own way
    return *R;
  if (Recognised R = lowerTime(L, E))
    return *R;
  if ((Copies && !E->isElidable() && isVectorName(className(T))) ||
      (Copies && Ctor->isCopyConstructor() && copiesDeeply(T)))
    return L.emitOp(ScalarRules::get().Copy, {L.operand(Arguments[0])}, E);
  if (Copies || (!Arguments.empty() && E->isElidable()))
    return L.value(Arguments[0]);
  const bool Other = classify(T) == TypeClass::Other;
  if (Arguments.empty() && Ctor->isTrivial() && Other)
    return L.define(DefineFact::Kind::Undefined, E);
  if (isOwnTensor(T))
    return wrapped(L, Arguments, E);
  const CallSite C(E);
  if (Recognised R = lowerSpmdCall(L, C))
    return *R;
  if (Recognised R = lowerTuple(L, C))
    return *R;
  if (isOptimizer(T) &&
      (!L.module().isKnown(Ctor) || !declaredKind(Ctor->getParent()).empty()))
    return lowerOptimizer(L, Arguments, E);
  if (Other && L.module().isKnown(Ctor))
    return lowerKnownCall(L, C, L.module().require(Ctor));
  if (Other && L.module().mayBeElsewhere(Ctor))
    return lowerKnownCall(L, C, L.module().requireElsewhere(Ctor));
  if (isMadeForStep(L, E))
    return L.value(Arguments[0]);
  // A holder of a module that is there.
  if (isModule(T) && Arguments.size() == 1 && isModule(Arguments[0]->getType()))
    return L.value(Arguments[0]);
  for (const Expr *A : Arguments)
    lendClosure(L, A, E);
  const SlotId Made = library(L, E);
  if (Other && !Ctor->isImplicit())
    giveModules(L, C);
  return Made;
}

} // namespace spmd::lint::lower
