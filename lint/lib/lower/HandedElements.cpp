//===- HandedElements.cpp - Elements that other containers name -----------===//

#include "HandedElements.h"

#include "FactWriter.h"
#include "Strip.h"

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
                          SlotId Object) {
  const auto *Ref =
      dyn_cast_or_null<DeclRefExpr>(Container ? strip(Container) : nullptr);
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const SlotId List = VD ? listAround(F, Object) : SlotId::None;
  if (List != SlotId::None)
    ListsIn[VD->getCanonicalDecl()].insert(List);
}

void HandedElements::lose(FactWriter &L, const VarDecl *VD,
                          const Expr *At) const {
  const auto In = ListsIn.find(VD->getCanonicalDecl());
  if (In == ListsIn.end())
    return;
  for (const SlotId List : In->second)
    L.emit(HavocFact{List, /*Rebinds=*/false, L.place(At)});
}

} // namespace spmd::lint::lower
