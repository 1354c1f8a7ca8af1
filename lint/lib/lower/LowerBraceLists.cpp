//===- LowerBraceLists.cpp - Lists of pointers that have names ------------===//

#include "LowerBraceLists.h"

#include "BraceLists.h"
#include "PointerOrigins.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static SlotId placeOf(ExprLowering &L, const VarDecl *List, unsigned Number) {
  return L.Slots.placeInList(List->getCanonicalDecl(), Number,
                             List->getNameAsString() + "[" +
                                 std::to_string(Number) + "]");
}

void nameElements(ExprLowering &L, const VarDecl *VD) {
  const InitListExpr *Names = keptElements(VD);
  if (!Names)
    return;
  for (unsigned I = 0; I != Names->getNumInits(); ++I)
    if (const Operand V = L.operandOrNone(Names->getInit(I));
        V.Slot != SlotId::None)
      L.emit(BindFact{placeOf(L, VD, I), V, V.At});
}

SlotId namedElement(ExprLowering &L, const VarDecl *List, std::int64_t Number) {
  const InitListExpr *Names =
      List->getDeclContext() == L.function() ? keptElements(List) : nullptr;
  return Names && Number >= 0 && Number < Names->getNumInits()
             ? placeOf(L, List, static_cast<unsigned>(Number))
             : SlotId::None;
}

/// The list \p List, or what it has of the elements that \p Loop comes to.
static Operand listGoneOver(ExprLowering &L, const EachLoop &Loop,
                            const Expr *List) {
  const auto Part = partGoneOver(Loop.Loop, List);
  if (!Part)
    return L.operand(List);
  const VarDecl *VD = variableOf(List);
  const SlotId Some = L.temporary();
  const PlaceId At = L.place(List);
  if (Part->First + 1 == Part->Behind) {
    L.emit(BindFact{Some, {placeOf(L, VD, Part->First), At}, At});
    return {Some, At};
  }
  L.assign(Some, List, DefineFact::Kind::Undefined);
  for (unsigned I = Part->First; I != Part->Behind; ++I)
    L.joinList(Some, {placeOf(L, VD, I), At}, List);
  return {Some, At};
}

void beginLoop(ExprLowering &L, const EachLoop &Loop) {
  L.Lists.begin(Loop, [&](const Expr *E) { return listGoneOver(L, Loop, E); });
}

} // namespace spmd::lint::lower
