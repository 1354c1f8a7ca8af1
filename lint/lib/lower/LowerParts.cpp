//===- LowerParts.cpp - Pointers to places in one allocation --------------===//

#include "LowerParts.h"

#include "BufferParts.h"
#include "PointerOrigins.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

void nameParts(ExprLowering &L) {
  for (const auto &[VD, Part] : L.Body.parts().variables())
    L.Slots.name(VD, L.Slots.partOf(Part.Buffer, Part.Number, VD->getName()));
}

bool isPartName(const ExprLowering &L, const VarDecl *VD) {
  return VD && L.Body.parts().of(VD);
}

bool isPartName(const ExprLowering &L, const Expr *Target) {
  return isPartName(L, variableOf(Target));
}

static SlotId lowerBeginning(ExprLowering &L, const VarDecl *Buffer,
                             bool GoesOn, const Expr *E) {
  ViewFact Begin;
  Begin.K = ViewFact::Kind::Region;
  Begin.Dst = L.Slots.partOf(Buffer, 0, Buffer->getName());
  Begin.Src = {L.Slots.variable(Buffer), L.place(E)};
  Begin.At = L.place(E);
  if (GoesOn)
    Begin.Offset = {L.define(DefineFact::Kind::Zero, E), Begin.At};
  const SlotId Dst = Begin.Dst;
  L.emit(std::move(Begin));
  return Dst;
}

SlotId lowerPart(ExprLowering &L, const Expr *E) {
  const BufferParts &Parts = L.Body.parts();
  if (const BufferParts::Mention *M = Parts.mention(E))
    return M->Of == BufferParts::Extent::Whole
               ? L.Slots.variable(M->Buffer)
               : lowerBeginning(L, M->Buffer,
                                M->Of == BufferParts::Extent::GoesOn, E);
  if (const BufferParts::Part *P = Parts.at(E)) {
    ViewFact Place;
    Place.K = ViewFact::Kind::Region;
    Place.Dst = L.Slots.partOf(P->Buffer, P->Number, printed(E, L.context()));
    Place.Src = {L.Slots.variable(P->Buffer), L.place(E)};
    Place.Offset = {L.define(DefineFact::Kind::Constant, E), L.place(E)};
    Place.At = L.place(E);
    const SlotId Dst = Place.Dst;
    L.emit(std::move(Place));
    return Dst;
  }
  const VarDecl *VD = isa<DeclRefExpr>(E) ? variableOf(E) : nullptr;
  if (VD && L.module().globalArenas().isFirstPart(VD))
    return lowerBeginning(L, VD, !L.Body.firstParts().isAlone(E), E);
  // Where nobody says how much is meant, all of the buffer.
  const BufferParts::Part *P = VD ? Parts.of(VD) : nullptr;
  return P && P->Number == 0 ? L.Slots.variable(P->Buffer) : SlotId::None;
}

} // namespace spmd::lint::lower
