//===- HandedElements.cpp - Elements that other containers name -----------===//

#include "HandedElements.h"

#include "FactWriter.h"
#include "Slots.h"
#include "Strip.h"

#include "cxx/TypeClass.h"

#include "spmd/ir/Walk.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The list that \p Object, in \p F as far as it is lowered, is an element of:
/// by number, or by the iterator of a loop.
static SlotId listAround(const Function &F, SlotId Object) {
  SlotId Out = SlotId::None, Of = Object;
  constexpr unsigned MaxNames = 6; // variables, pointers, iterators, ranges
  for (unsigned I = 0; I != MaxNames; ++I) {
    SlotId Next = SlotId::None;
    for (const BindFact &B : factsOf<BindFact>(F))
      if (B.Dst == Of)
        Next = B.Src.Slot;
    if (Next != SlotId::None && F.slot(Of).Name.starts_with("__range"))
      Out = Next;
    for (const ViewFact &V : factsOf<ViewFact>(F))
      if (V.Dst == Of &&
          (V.K == ViewFact::Kind::Element || V.K == ViewFact::Kind::Handle))
        Out = Next = V.Src.Slot;
    if (Next == SlotId::None)
      break;
    Of = Next;
  }
  return Out;
}

void HandedElements::note(const Function &F, const Expr *Container,
                          SlotId Object, const RecordDecl *Of) {
  const auto *Ref =
      dyn_cast_or_null<DeclRefExpr>(Container ? strip(Container) : nullptr);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const SlotId List = VD && Of ? listAround(F, Object) : SlotId::None;
  if (List != SlotId::None)
    ListsIn[VD->getCanonicalDecl()].insert({List, Of});
}

/// The buffers and tensors that \p Object, a struct of the class \p Of, has.
static void loseMembers(FactWriter &L, SlotTable &Slots, SlotId Object,
                        const RecordDecl *Of, PlaceId At, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 3;
  if (Depth == MaxDepth)
    return;
  for (const FieldDecl *Field : Of->fields()) {
    const QualType T = Field->getType();
    const RecordDecl *In = T->getAsRecordDecl();
    In = In ? In->getDefinition() : nullptr;
    if (classify(T) == TypeClass::Scalar || !Field->getIdentifier())
      continue;
    const SlotId S = Slots.field(Object, Field->getName(), Field);
    if (isObject(T) && In)
      loseMembers(L, Slots, S, In, At, Depth + 1);
    else if (classify(T) != TypeClass::Other)
      L.emit(HavocFact{S, /*Rebinds=*/false, At});
  }
}

void HandedElements::lose(FactWriter &L, SlotTable &Slots, const VarDecl *VD,
                          const Expr *At) const {
  const auto In = ListsIn.find(VD->getCanonicalDecl());
  if (In == ListsIn.end())
    return;
  for (const auto &[List, Of] : In->second)
    loseMembers(L, Slots, List, Of, L.place(At));
}

} // namespace spmd::lint::lower
