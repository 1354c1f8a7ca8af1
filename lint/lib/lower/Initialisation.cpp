//===- Initialisation.cpp - What variables and members begin with -------===//

#include "Initialisation.h"

#include "Contracts.h"
#include "Elements.h"
#include "HeldFunctions.h"
#include "LowerBraceLists.h"
#include "LowerModuleLoops.h"
#include "Recognisers.h"
#include "Records.h"
#include "Stores.h"

#include "cxx/AutogradFunctions.h"
#include "cxx/Tuples.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// `[[spmd::type("dp: V -> dp: P")]] auto loss = …` says what the ranks' values
/// mean together, and moves nothing. A buffer keeps its other names.
static Operand converted(ExprLowering &L, const VarDecl *VD, Operand Value) {
  const Annotation<TypeAnnotation> A = L.module().annotations().typeOf(VD);
  if (!A || !A->Exit || Value.Slot == SlotId::None)
    return Value;
  for (const AxisAtom &To : A->Exit->Axes) {
    const AxisAtom *From = A->Entry.find(To.Axis);
    if (!From || From->Value == To.Value)
      continue;
    TransferFact T{};
    T.K = TransferKind::Reinterpret;
    T.Src = Value;
    T.Axis = {L.defineAxes(VD->getInit(), {To.Axis}), PlaceId::None};
    T.From = From->Value;
    T.To = To.Value;
    T.At = L.place(VD->getInit());
    if (classify(VD->getType()) == TypeClass::Buffer)
      T.Out = Value;
    else
      T.Dst = Value.Slot = L.temporary();
    L.emit(T);
  }
  return Value;
}

/// The tensors of a struct that nobody initialises hold nothing yet.
static void defineFields(ExprLowering &L, SlotId Object, const Expr *Init) {
  const auto *E = dyn_cast<CXXConstructExpr>(Init);
  if (Object == SlotId::None || !E || E->getNumArgs() != 0 ||
      !E->getConstructor()->isDefaulted())
    return;
  for (const FieldDecl *Field : E->getConstructor()->getParent()->fields()) {
    const TypeClass Class = classify(Field->getType());
    if (Field->hasInClassInitializer() ||
        (Class != TypeClass::Tensor && Class != TypeClass::TensorList))
      continue;
    const SlotId S = L.Slots.field(Object, Field->getName(), Field);
    if (!L.slot(S).Declared)
      L.assign(S, E, DefineFact::Kind::Undefined);
  }
}

/// The list \p List begins with what \p Init gives each element.
static void initialiseElements(ExprLowering &L, SlotId List, const Expr *Init) {
  const auto *Values = dyn_cast_or_null<InitListExpr>(Init);
  // The braces of std::array are those of the array in it.
  while (Values && Values->getNumInits() == 1 &&
         Values->getInit(0)->getType()->isArrayType() &&
         isa<InitListExpr>(strip(Values->getInit(0))))
    Values = cast<InitListExpr>(strip(Values->getInit(0)));
  if (Values)
    bindElements(L, List, Values);
}

/// \p S begins as what is declared of it; else as \p K.
static void begin(ExprLowering &L, SlotId S, DefineFact::Kind K, PlaceId At) {
  DefineFact D{S, K, At, nullptr, SlotId::None, {}};
  if (L.slot(S).Declared) {
    D.K = DefineFact::Kind::Declared;
    D.Type = std::make_shared<TypeSpec>(L.slot(S).Declared->Entry);
  }
  L.emit(std::move(D));
}

/// Closures, and tuples that are taken apart, keep the fields they have.
static bool isRenamed(ExprLowering &L, const VarDecl *VD, const Expr *Init) {
  return Init &&
         (isa<LambdaExpr>(strip(Init)) ||
          (isa<DecompositionDecl>(VD) && L.value(Init) != SlotId::None) ||
          (L.Body.singles().contains(VD) && isSavedVariables(Init)));
}

/// \p VD, which has the slot \p S, begins as \p V.
static void bind(ExprLowering &L, const VarDecl *VD, SlotId S, Operand V,
                 PlaceId At) {
  const Expr *Init = VD->getInit();
  if (classify(VD->getType()) == TypeClass::TensorList &&
      L.Body.growing().contains(VD)) {
    L.assign(S, Init, DefineFact::Kind::Undefined);
    return L.joinList(S, V, Init);
  }
  // A copy of a tuple has copies of its elements.
  if (isTuple(VD->getType()))
    for (const std::string &Member : tupleMembers(VD->getType()))
      if (L.Slots.findField(V.Slot, Member) != SlotId::None)
        L.Slots.field(S, Member);
  L.emit(BindFact{S, V, At, refers(VD->getType(), Init)});
  if (makesModule(Init))
    drawParameters(L, S, Init->getType(), Init);
}

/// The variable that \p Init asks for something: `__range` of
/// `__range.begin()`, or `__begin` of `*__begin`.
static const VarDecl *askedIn(const Expr *Init) {
  const Stmt *S = Init;
  while (S && !isa<DeclRefExpr>(S)) {
    const auto *C = dyn_cast<CXXOperatorCallExpr>(S);
    S = C && C->getNumArgs()    ? C->getArg(0)
        : S->children().empty() ? nullptr
                                : *S->child_begin();
  }
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(S);
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

/// Whether a struct, or one that derives from it, has buffers or tensors of the
/// program's own, and none of libtorch, whose gradients loops over elements
/// follow by themselves.
static bool hasBuffers(ExprLowering &L, QualType T) {
  const auto *Record = T->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  bool Out = false;
  for (const CXXRecordDecl *Class : L.module().familyOf(Record))
    for (const FieldDecl *Field : Class->fields()) {
      const TypeClass OfLibrary = classifyWith(
          Field->getType(), [](const CXXRecordDecl *) { return false; });
      if (OfLibrary == TypeClass::Tensor || OfLibrary == TypeClass::TensorList)
        return false;
      const TypeClass Of = classify(Field->getType());
      Out |= Of == TypeClass::Buffer || Of == TypeClass::Tensor;
    }
  return Out;
}

/// Whether \p Of names a list, or is `*list` of a module that is one.
static bool isNamedList(const Expr *Of) {
  if (const auto *Star = dyn_cast<CXXOperatorCallExpr>(Of);
      Star && Star->getOperator() == OO_Star && Star->getNumArgs() == 1)
    Of = Star->getArg(0)->IgnoreParenImpCasts();
  return isa<DeclRefExpr, MemberExpr>(Of);
}

/// `for (auto &layer : net.layers)`, where layers are modules, structs or
/// pointers to such: \p VD is an element, and what one has in a member all
/// have.
static Operand rangeElement(ExprLowering &L, const VarDecl *VD) {
  QualType Element = VD->getType().getNonReferenceType();
  const bool IsLayer = isModule(Element);
  const bool IsRecord = isStructOfNumbers(Element);
  if (Element->isPointerType() || isSmartPointer(Element))
    Element = elementType(Element);
  else if (!VD->getType()->isReferenceType() && !IsLayer && !IsRecord)
    return {};
  // What is done to an element may be done to a struct with another name.
  if (Element != VD->getType().getNonReferenceType() &&
      L.module().pointerLists().haveNamed(Element))
    return {};
  if (!VD->isCXXForRangeDecl() ||
      (!IsLayer && !IsRecord &&
       (!L.module().isOwnStruct(Element) || !hasBuffers(L, Element))))
    return {};
  const VarDecl *Begin = askedIn(VD->getInit());
  const VarDecl *Range =
      Begin && Begin->isImplicit() ? askedIn(Begin->getInit()) : nullptr;
  const Expr *Of = Range && Range->isImplicit() && Range->getInit()
                       ? Range->getInit()->IgnoreParenImpCasts()
                       : nullptr;
  if (!Of || !isNamedList(Of))
    return {};
  const Operand List = L.operandOrNone(Of);
  if (List.Slot == SlotId::None)
    return {};
  ViewFact V;
  V.K = ViewFact::Kind::Element;
  V.Dst = L.temporary();
  V.Src = List;
  V.At = L.place(VD->getSourceRange());
  // Another one in each iteration, and the same on all ranks.
  V.Offset = {L.define(DefineFact::Kind::Constant, VD->getInit()), V.At};
  L.emit(V);
  return {V.Dst, V.At};
}

/// What Clang could make nothing of, as a header is missing, has no type.
static bool isTyped(const Expr *Init) {
  return !Init || !Init->getType().isNull();
}

void initialise(ExprLowering &L, const VarDecl *VD) {
  const Expr *Init = VD->getInit();
  const TypeClass Class = classify(VD->getType());
  if (const LambdaExpr *Held = isTyped(Init) ? heldLambda(Init) : nullptr;
      Held && L.Body.constancy().isConstant(VD)) {
    L.value(Init);
    return L.Slots.name(VD, L.value(Held));
  }
  if (isTyped(Init) && isRenamed(L, VD, Init)) {
    const Operand Element = rangeElement(L, VD);
    return L.Slots.name(VD, Element.Slot != SlotId::None ? Element.Slot
                                                         : L.value(Init));
  }
  const SlotId S = L.Slots.variable(VD);
  const PlaceId At = L.place(VD->getSourceRange());
  if (!isTyped(Init))
    return begin(L, S, DefineFact::Kind::Unknown, At);
  const Expr *E = Init ? strip(Init) : nullptr;
  if (L.Body.singles().contains(VD))
    return initialiseElements(L, S, E);
  // `at::Tensor x;` and `float x;` hold nothing yet.
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(E);
  if (!E || (Construct && Construct->getNumArgs() == 0 &&
             Class != TypeClass::Other && Class != TypeClass::Comm)) {
    if (Class != TypeClass::Comm && Class != TypeClass::Mesh)
      begin(L, S, DefineFact::Kind::Undefined, At);
    return;
  }
  Operand Element = moduleOfLoop(L, VD);
  if (Element.Slot == SlotId::None)
    Element = rangeElement(L, VD);
  const Operand V = Element.Slot != SlotId::None
                        ? Element
                        : converted(L, VD, L.operand(Init));
  defineFields(L, V.Slot, E);
  if (V.Slot == SlotId::None) {
    // As where a pointer to nothing is assigned.
    const bool IsNull = Class == TypeClass::Buffer &&
                        Init->isNullPointerConstant(
                            L.context(), Expr::NPC_ValueDependentIsNotNull);
    if (Class != TypeClass::Untracked && Class != TypeClass::Comm)
      begin(L, S,
            IsNull ? DefineFact::Kind::Undefined : DefineFact::Kind::Unknown,
            At);
    return;
  }
  checkStore(L, S, VD->getType(), V, Init);
  // The annotation of a communicator is believed.
  if (L.slot(S).DeclaredAxes.empty())
    bind(L, VD, S, V, At);
  nameElements(L, VD);
}

void initialiseField(ExprLowering &L, const CXXCtorInitializer *Init) {
  const FieldDecl *Field = Init->getAnyMember();
  if (!Field || !Init->getInit())
    return;
  const SlotId S = L.Slots.field(L.Slots.self(), Field->getName(), Field);
  const Operand V = L.operand(Init->getInit());
  if (V.Slot == SlotId::None)
    return;
  checkStore(L, S, Field->getType(), V, Init->getInit());
  // Whoever made it has initialised its parameters.
  if (const ValueDecl *Given = namedBy(handedOver(Init->getInit()));
      isa_and_nonnull<ParmVarDecl>(Given) && isModule(Field->getType()))
    for (const SlotId Module : {V.Slot, S})
      L.Slots.parametersOf(Module, Field->getType());
  if (L.slot(S).DeclaredAxes.empty())
    L.emit(BindFact{S, V, L.place(Init->getInit()),
                    refers(Field->getType(), Init->getInit())});
  if (makesModule(Init->getInit()))
    drawParameters(L, S, Init->getInit()->getType(), Init->getInit());
}

} // namespace spmd::lint::lower
