//===- MovingElements.cpp - One element of a list after the other ---------===//

#include "MovingElements.h"

#include "spmd/ir/Walk.h"

namespace spmd::rules::inference {

/// What \p S, the value of an expression, is a copy of.
SlotId MovingElements::copied(SlotId S) const {
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst == S && O.WritesTo == SlotId::None && O.Operands.size() == 1 &&
        O.Rule->is(OpRole::Copies))
      return O.Operands[0].Slot;
  return S;
}

/// Whether iterations of the loop at \p Head change \p Number, and none begins
/// with a new one.
bool MovingElements::isCounter(std::uint32_t Head, SlotId Number) const {
  bool Steps = false;
  for (std::uint32_t B = Head; B != F.Blocks.size(); ++B) {
    if (Cycles.leaves(Head, B))
      continue;
    for (const Fact &X : F.Blocks[B].Facts) {
      if (const auto *Begins = std::get_if<BindFact>(&X);
          Begins && Begins->Dst == Number)
        return false;
      const auto *O = std::get_if<OpFact>(&X);
      Steps |= O && O->WritesTo == Number;
    }
  }
  return Steps;
}

bool MovingElements::isInnermost(std::uint32_t Head,
                                 std::uint32_t Block) const {
  for (std::uint32_t In = Head + 1; In <= Block; ++In)
    if (Cycles.beginsAt(In) && !Cycles.leaves(Head, In) &&
        !Cycles.leaves(In, Block))
      return false;
  return !Cycles.leaves(Head, Block);
}

bool MovingElements::isNext(std::uint32_t Head, std::uint32_t Block,
                            const ViewFact &Element) const {
  if (Element.Offset.Slot == SlotId::None)
    return false;
  // Of a range the loop has no number: it is where the element is named.
  return Element.Offset.At == Element.At
             ? isInnermost(Head, Block)
             : movesWithCounter(Head, Element.Offset.Slot);
}

/// Whether \p Number is another one in each iteration of the loop at \p Head:
/// a counter, or so many times one, behind something.
bool MovingElements::movesWithCounter(std::uint32_t Head, SlotId Number,
                                      unsigned Depth) const {
  constexpr unsigned MaxDepth = 4;
  Number = copied(Number);
  if (Depth == MaxDepth)
    return false;
  if (isCounter(Head, Number))
    return true;
  for (const OpFact &O : factsOf<OpFact>(F))
    if (O.Dst == Number &&
        (O.Rule->is(OpRole::Multiplies) || O.Rule->is(OpRole::Adds) ||
         O.Rule->is(OpRole::Subtracts)))
      for (const Operand &X : O.Operands)
        if (movesWithCounter(Head, X.Slot, Depth + 1))
          return true;
  return false;
}

/// Whether something in the loop at \p Head makes or writes \p S.
bool MovingElements::isMadeIn(std::uint32_t Head, SlotId S) const {
  bool Out = false;
  for (std::uint32_t B = Head; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts) {
      if (Cycles.leaves(Head, B))
        break;
      forEachSlot(X, [&](SlotId Here, SlotAccess How) {
        Out |= Here == S && (How.Defines || How.Writes);
      });
    }
  return Out;
}

/// Whether \p O takes, for one iteration of the loop at \p Head, an element of
/// a list as it was before the loop.
bool MovingElements::takesElement(std::uint32_t Head, const OpFact &O) const {
  return O.WritesTo == SlotId::None && O.Operands.size() == 1 &&
         !O.Operands[0].Scalar && O.Rule->is(OpRole::Copies) &&
         !isMadeIn(Head, O.Operands[0].Slot);
}

bool MovingElements::isOne(std::uint32_t Head, SlotId Slot) const {
  llvm::SmallDenseSet<SlotId, 8> Seen;
  for (SlotId S = Slot; S != SlotId::None && Seen.insert(S).second;) {
    SlotId From = F.slot(S).Base;
    for (std::uint32_t B = Head; B != F.Blocks.size(); ++B)
      for (const Fact &X : F.Blocks[B].Facts) {
        if (Cycles.leaves(Head, B))
          break;
        if (const auto *V = std::get_if<ViewFact>(&X); V && V->Dst == S) {
          if (isNext(Head, B, *V))
            return true;
          From = V->Src.Slot;
        } else if (const auto *O = std::get_if<OpFact>(&X);
                   O && O->Dst == S && takesElement(Head, *O)) {
          return true;
        } else if (const auto *Bind = std::get_if<BindFact>(&X);
                   Bind && Bind->Dst == S && !Bind->Joins) {
          From = Bind->Src.Slot;
        }
      }
    S = From;
  }
  return false;
}

bool MovingElements::mentionsOne(std::uint32_t Head, const Fact &X) const {
  bool Out = false;
  forEachSlot(X, [&](SlotId S, SlotAccess) { Out |= isOne(Head, S); });
  return Out;
}

} // namespace spmd::rules::inference
