//===- LowerPlaces.cpp - Parts of a buffer under several names ------------===//

#include "LowerPlaces.h"

#include "LowerBraceLists.h"
#include "PointerPlaces.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Asked for anew where it is needed, as few functions have any.
static PointerPlaces placesIn(const ExprLowering &L) {
  return {L.function(), L.Body.constancy()};
}

/// The slot of all of a buffer.
static SlotId wholeOf(const ParmVarDecl *P) {
  return SlotId(P->getFunctionScopeIndex());
}

/// The parameter of several places that \p E names; null if it is none.
static const ParmVarDecl *placed(ExprLowering &L, const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  return P && P->getDeclContext() == L.function() &&
                 L.Slots.variable(P) != wholeOf(P)
             ? P
             : nullptr;
}

/// The slot of a place that is called \p Name.
static SlotId place(ExprLowering &L, llvm::StringRef Name) {
  Function &F = L.ir();
  for (std::uint32_t I = F.NumParameters; I != F.Slots.size(); ++I)
    if (F.Slots[I].Kind == SlotKind::Local && F.Slots[I].Name == Name)
      return SlotId(I);
  Slot S;
  S.Name = Name.str();
  S.Kind = SlotKind::Local;
  return F.addSlot(std::move(S));
}

void nameBeginnings(ExprLowering &L) {
  for (const ParmVarDecl *P : placesIn(L).parameters())
    if (!L.slot(wholeOf(P)).Declared)
      L.Slots.name(P, place(L, P->getName()));
}

/// The place with which the buffer \p P begins, and behind which it \p GoesOn
/// for whoever writes there.
static void emitBeginning(ExprLowering &L, const ParmVarDecl *P, bool GoesOn,
                          std::vector<Fact> &Into) {
  ViewFact Begin;
  Begin.K = ViewFact::Kind::Region;
  Begin.Dst = L.Slots.variable(P);
  Begin.Src.Slot = wholeOf(P);
  if (GoesOn) {
    Begin.Offset.Slot = L.temporary();
    DefineFact Zero;
    Zero.K = DefineFact::Kind::Zero;
    Zero.Dst = Begin.Offset.Slot;
    Into.push_back(Zero);
  }
  Into.push_back(Begin);
}

/// \p Place is a part of the memory that \p List leads to; \p GoesOn: or all
/// of it from there on.
static void emitPlaceInList(ExprLowering &L, SlotId Place, Operand List,
                            PlaceId At, std::vector<Fact> &Into,
                            bool GoesOn = false) {
  DefineFact Number;
  Number.K = GoesOn ? DefineFact::Kind::Zero : DefineFact::Kind::Constant;
  Number.Dst = L.temporary();
  Number.At = At;
  ViewFact Part;
  Part.K = ViewFact::Kind::Region;
  Part.Dst = Place;
  Part.Src = List;
  Part.Offset.Slot = Number.Dst;
  Part.At = At;
  Into.push_back(Number);
  Into.push_back(Part);
}

namespace {

/// Whether a body may put other pointers into the lists that are the member
/// \p Field of some object.
class ListChanges : public RecursiveASTVisitor<ListChanges> {
public:
  explicit ListChanges(const FieldDecl *Field) : Field(Field) {}

  bool mayBeIn(Stmt *Body) {
    TraverseStmt(Body);
    return Mentions != Read;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    Mentions += E->getMemberDecl() == Field;
    return true;
  }
  /// `m->grads[p]` where nothing but the pointer is asked for.
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    const auto *At =
        E->getCastKind() == CK_LValueToRValue
            ? dyn_cast<ArraySubscriptExpr>(E->getSubExpr()->IgnoreParens())
            : nullptr;
    const auto *List =
        At ? dyn_cast<MemberExpr>(At->getBase()->IgnoreParenImpCasts())
           : nullptr;
    Read += List && List->getMemberDecl() == Field;
    return true;
  }

private:
  const FieldDecl *Field;
  unsigned Mentions = 0, Read = 0;
};

/// Whether a call is given a pointer of a list, and the number of the same
/// place in a list of sizes: it is of that part alone.
class SizedCalls : public RecursiveASTVisitor<SizedCalls> {
public:
  SizedCalls(const ExprLowering &L, const Expr *Pointer)
      : L(L), Pointer(strip(Pointer)) {}

  bool areIn(Stmt *Body) {
    TraverseStmt(Body);
    return Found;
  }
  bool VisitCallExpr(CallExpr *E) {
    const auto IsPointer = [this](const Expr *A) {
      return strip(A) == Pointer;
    };
    Found |= llvm::any_of(E->arguments(), IsPointer) &&
             llvm::any_of(E->arguments(),
                          [this](const Expr *A) { return isSize(A); });
    return !Found;
  }

private:
  bool isSize(const Expr *E) const {
    const auto *Size = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
    return Size && Size->getType()->isIntegerType() &&
           L.constant(Size->getIdx()) ==
               L.constant(cast<ArraySubscriptExpr>(Pointer)->getIdx());
  }

  const ExprLowering &L;
  const Expr *Pointer;
  bool Found = false;
};

/// The list that \p At is an element of, if that is a member which stays what
/// it is in the function; null of others.
const MemberExpr *keptListAt(ExprLowering &L, const Expr *At) {
  const auto *Element = dyn_cast<ArraySubscriptExpr>(strip(At));
  const auto *List =
      Element ? dyn_cast<MemberExpr>(Element->getBase()->IgnoreParenImpCasts())
              : nullptr;
  const auto *Field =
      List ? dyn_cast<FieldDecl>(List->getMemberDecl()) : nullptr;
  if (!Field || !At->getType()->isPointerType() ||
      classify(At->getType()) != TypeClass::Buffer)
    return nullptr;
  const Expr *Object = List->getBase()->IgnoreParenImpCasts();
  const VarDecl *VD = variableOf(Object);
  return isa<CXXThisExpr>(Object) || (VD && VD->isLocalVarDeclOrParm() &&
                                      (VD->getType()->isRecordType() ||
                                       L.Body.constancy().isConstant(VD)) &&
                                      !L.Body.constancy().isPerTurn(VD))
             ? List
             : nullptr;
}

} // namespace

/// The same of a list that is a member: `m->grads[0]`.
static SlotId lowerPlaceInMember(ExprLowering &L, const Expr *Index,
                                 const Expr *At) {
  const MemberExpr *List = keptListAt(L, At);
  const auto Number = List ? L.constant(Index) : std::nullopt;
  if (!Number)
    return SlotId::None;
  const Operand Of = L.operand(List);
  if (Of.Slot == SlotId::None || L.slot(Of.Slot).Declared ||
      ListChanges(cast<FieldDecl>(List->getMemberDecl()))
          .mayBeIn(L.function()->getBody()))
    return SlotId::None;
  const SlotId Place = place(L, printed(List, L.context()) + "[" +
                                    std::to_string(*Number) + "]");
  // With the first one all of an allocation may begin.
  const bool GoesOn =
      *Number == 0 && !SizedCalls(L, At).areIn(L.function()->getBody());
  emitPlaceInList(L, Place, Of, L.place(At), L.block().Facts, GoesOn);
  return Place;
}

SlotId lowerPlaceInList(ExprLowering &L, const Expr *Index, const Expr *At) {
  const VarDecl *List = pointerListAt(At);
  if (!List && Index)
    return lowerPlaceInMember(L, Index, At);
  const std::optional<std::int64_t> Number =
      List && Index ? L.constant(Index) : std::nullopt;
  if (!Number)
    return SlotId::None;
  if (const SlotId Named = namedElement(L, List, *Number);
      Named != SlotId::None)
    return Named;
  const bool IsOfBuffer = L.Slots.isListOfParts(List);
  if (!IsOfBuffer && !L.module().listsOfParts().isOnlyRead(List))
    return SlotId::None;
  const SlotId Place = L.Slots.placeInList(List->getCanonicalDecl(), *Number,
                                           printed(At, L.context()));
  if (IsOfBuffer)
    emitPlaceInList(L, Place, {L.Slots.variable(List), L.place(At)},
                    L.place(At), L.block().Facts);
  return Place;
}

/// The elements of other lists have names of their own.
static bool isPointerList(const ParmVarDecl *P) {
  const QualType Of = elementType(P->getType().getNonReferenceType());
  return !Of.isNull() && Of->isPointerType();
}

void bindBeginnings(ExprLowering &L) {
  std::vector<Fact> Binds;
  for (const ParmVarDecl *P : L.function()->parameters()) {
    if (L.Slots.variable(P) != wholeOf(P))
      emitBeginning(L, P, /*GoesOn=*/true, Binds);
    if (!isPointerList(P))
      continue;
    for (const SlotId Place : L.Slots.placesInList(P->getCanonicalDecl()))
      emitPlaceInList(L, Place, {wholeOf(P), PlaceId::None}, PlaceId::None,
                      Binds);
  }
  std::vector<Fact> &Entry = L.ir().Blocks.front().Facts;
  Entry.insert(Entry.begin(), Binds.begin(), Binds.end());
}

static SlotId lowerPlaceIn(ExprLowering &L, const ParmVarDecl *P,
                           const BinaryOperator *E) {
  ViewFact Place;
  Place.K = ViewFact::Kind::Region;
  Place.Dst = place(L, printed(E, L.context()));
  Place.Src = {wholeOf(P), L.place(E->getLHS())};
  const auto *Ref = dyn_cast<DeclRefExpr>(E->getRHS()->IgnoreParenImpCasts());
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  Place.Offset =
      VD ? Operand{L.Slots.variable(VD), L.place(Ref)} : L.operand(E->getRHS());
  Place.At = L.place(E);
  L.emit(Place);
  return Place.Dst;
}

FilledPlaces::FilledPlaces(ExprLowering &L, const CallExpr *E) : L(L) {
  if (llvm::none_of(E->arguments(),
                    [&](const Expr *A) { return placed(L, A); }))
    return;
  const PointerPlaces Places = placesIn(L);
  for (const ParmVarDecl *P : Places.filledBy(E)) {
    if (L.Slots.variable(P) == wholeOf(P))
      continue;
    Filled.push_back(P);
    // What is behind it is what it was before.
    for (const BinaryOperator *Place : Places.knownBefore(P, E))
      lowerPlaceIn(L, P, Place);
    emitBeginning(L, P, /*GoesOn=*/false, L.block().Facts);
  }
}

FilledPlaces::~FilledPlaces() {
  for (const ParmVarDecl *P : Filled)
    emitBeginning(L, P, /*GoesOn=*/true, L.block().Facts);
}

SlotId lowerPlace(ExprLowering &L, const BinaryOperator *E) {
  const ParmVarDecl *P =
      E->getOpcode() == BO_Add ? placed(L, E->getLHS()) : nullptr;
  return P && placesIn(L).find(E) ? lowerPlaceIn(L, P, E) : SlotId::None;
}

} // namespace spmd::lint::lower
