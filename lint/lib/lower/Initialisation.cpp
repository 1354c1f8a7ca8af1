//===- Initialisation.cpp - What variables and members begin with ---------===//

#include "Recognisers.h"

#include "cxx/AutogradFunctions.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Whether \p E names a variable or member itself, or points to one: not an
/// element of something, of which there may be others.
static bool isNamedObject(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (E->getType()->isArrayType())
    return false;
  if (const auto *X = dyn_cast<MemberExpr>(E))
    return isNamedObject(X->getBase());
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return (X->getOpcode() == UO_AddrOf || X->getOpcode() == UO_Deref) &&
           isNamedObject(X->getSubExpr());
  return isa<DeclRefExpr, CXXThisExpr>(E);
}

bool FunctionLowering::refers(QualType T, const Expr *Init) {
  return (T->isReferenceType() || T->isPointerType()) &&
         classify(T) == TypeClass::Other && isNamedObject(Init);
}

/// The tensors of a struct that nobody initialises hold nothing yet.
void FunctionLowering::defineFields(SlotId Object, const Expr *Init) {
  const auto *E = dyn_cast<CXXConstructExpr>(Init);
  if (Object == SlotId::None || !E || E->getNumArgs() != 0 ||
      !E->getConstructor()->isDefaulted())
    return;
  for (const FieldDecl *Field : E->getConstructor()->getParent()->fields()) {
    const TypeClass Class = classify(Field->getType());
    if (Field->hasInClassInitializer() ||
        (Class != TypeClass::Tensor && Class != TypeClass::TensorList))
      continue;
    const SlotId S = fieldSlot(Object, Field->getName(), Field);
    if (!F.slot(S).Declared)
      assign(S, E, DefineFact::Kind::Undefined);
  }
}

/// Of a tuple; what is behind is unknown.
static constexpr unsigned MaxElements = 8;

/// The list \p List begins with what \p Init gives each element.
void FunctionLowering::initialiseElements(SlotId List, const Expr *Init) {
  const auto *Values = dyn_cast_or_null<InitListExpr>(Init);
  // The braces of std::array are those of the array in it.
  while (Values && Values->getNumInits() == 1 &&
         Values->getInit(0)->getType()->isArrayType() &&
         isa<InitListExpr>(strip(Values->getInit(0))))
    Values = cast<InitListExpr>(strip(Values->getInit(0)));
  if (Values)
    bindElements(List, Values);
}

void FunctionLowering::bindElements(SlotId List, const InitListExpr *Values) {
  for (unsigned I = 0; I != Values->getNumInits(); ++I) {
    const SlotId Element = elementSlot(List, I);
    if (const Operand V = operandOrNone(Values->getInit(I));
        V.Slot != SlotId::None)
      emit(BindFact{Element, V, V.At});
    else
      assign(Element, Values->getInit(I), DefineFact::Kind::Undefined);
  }
}

void FunctionLowering::initialise(const VarDecl *VD, const Expr *Init) {
  const TypeClass Class = classify(VD->getType());
  // Closures, and tuples that are taken apart, keep the fields they have.
  if (Init && (isa<LambdaExpr>(strip(Init)) ||
               (isa<DecompositionDecl>(VD) && value(Init) != SlotId::None))) {
    Variables[VD->getCanonicalDecl()] = value(Init);
    return;
  }
  if (singles().contains(VD) && isSavedVariables(Init)) {
    Variables[VD->getCanonicalDecl()] = value(Init);
    return;
  }
  const SlotId S = variableSlot(VD);
  const PlaceId At = place(VD->getSourceRange());
  const Expr *E = Init ? strip(Init) : nullptr;
  if (singles().contains(VD))
    return initialiseElements(S, E);
  // `at::Tensor x;` and `float x;` hold nothing yet.
  const auto *Construct = dyn_cast_or_null<CXXConstructExpr>(E);
  const bool Empty =
      !E || (Construct && Construct->getNumArgs() == 0 &&
             Class != TypeClass::Other && Class != TypeClass::Comm);
  if (Empty) {
    DefineFact D;
    D.Dst = S;
    D.At = At;
    D.K = F.slot(S).Declared ? DefineFact::Kind::Declared
                             : DefineFact::Kind::Undefined;
    if (F.slot(S).Declared)
      D.Type = std::make_shared<TypeSpec>(F.slot(S).Declared->Entry);
    if (Class == TypeClass::Comm || Class == TypeClass::Mesh)
      return;
    emit(std::move(D));
    return;
  }
  const Operand V = converted(VD, operand(Init));
  defineFields(V.Slot, E);
  if (V.Slot == SlotId::None) {
    if (Class != TypeClass::Untracked && Class != TypeClass::Comm) {
      DefineFact D{S, DefineFact::Kind::Unknown, At, nullptr, SlotId::None, {}};
      if (F.slot(S).Declared) {
        D.K = DefineFact::Kind::Declared;
        D.Type = std::make_shared<TypeSpec>(F.slot(S).Declared->Entry);
      }
      emit(std::move(D));
    }
    return;
  }
  checkStore(S, V, Init);
  // The annotation of a communicator is believed.
  if (!F.slot(S).DeclaredAxes.empty())
    return;
  if (Class == TypeClass::TensorList && growing().contains(VD)) {
    assign(S, Init, DefineFact::Kind::Undefined);
    return joinList(S, V, Init);
  }
  // A copy of a tuple has copies of its elements.
  if (isTuple(VD->getType()))
    for (unsigned I = 0; I != MaxElements; ++I)
      if (const std::string Member = tupleMember(VD->getType(), I);
          findField(V.Slot, Member) != SlotId::None)
        fieldSlot(S, Member);
  emit(BindFact{S, V, At, refers(VD->getType(), Init)});
  if (makesModule(Init))
    drawParameters(*this, S, Init);
}

void FunctionLowering::initialiseField(const CXXCtorInitializer *Init) {
  const FieldDecl *Field = Init->getAnyMember();
  if (!Field || !Init->getInit())
    return;
  const SlotId S = fieldSlot(thisSlot(), Field->getName(), Field);
  const Operand V = operand(Init->getInit());
  if (V.Slot == SlotId::None)
    return;
  checkStore(S, V, Init->getInit());
  if (F.slot(S).DeclaredAxes.empty())
    emit(BindFact{S, V, place(Init->getInit()),
                  refers(Field->getType(), Init->getInit())});
  if (makesModule(Init->getInit()))
    drawParameters(*this, S, Init->getInit());
}

} // namespace spmd::lint::lower
