//===- Accumulations.cpp - Loops that add to elements of a buffer ---------===//

#include "Accumulations.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// What the temporaries of a function are made by: each by one fact.
class MadeBy {
public:
  explicit MadeBy(const Function &F) : By(F.Slots.size(), nullptr) {
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        if (const SlotId Slot = resultOf(X);
            Slot != SlotId::None && F.slot(Slot).Kind == SlotKind::Temporary)
          By[index(Slot)] = &X;
  }

  /// What \p Slot is a copy of, however often.
  SlotId copied(SlotId Slot) const {
    for (unsigned Step = 0; Step != MaxSteps; ++Step) {
      const auto *O = factOf<OpFact>(Slot);
      if (!O || !O->Rule->is(OpRole::Copies) || O->WritesTo != SlotId::None)
        break;
      Slot = O->Operands[0].Slot;
    }
    return Slot;
  }
  /// The buffer of which \p Slot is an element; None if it is none.
  SlotId bufferOf(SlotId Slot) const {
    const auto *View = factOf<ViewFact>(Slot);
    return View && View->K == ViewFact::Kind::Element ? View->Src.Slot
                                                      : SlotId::None;
  }

private:
  static constexpr unsigned MaxSteps = 4; // of an expression

  template <typename FactT> const FactT *factOf(SlotId Slot) const {
    return Slot != SlotId::None && By[index(Slot)]
               ? std::get_if<FactT>(By[index(Slot)])
               : nullptr;
  }

  std::vector<const Fact *> By;
};

/// The additions to elements of buffers, and what else is done to a buffer.
class BufferUses {
public:
  struct Addition {
    const OpFact *Op;
    Accumulations::Sum Of;
  };

  explicit BufferUses(const Function &F) : F(F), Made(F) {
    for (Block = 0; Block != F.Blocks.size(); ++Block)
      for (const Fact &X : F.Blocks[Block].Facts)
        see(X);
  }

  llvm::ArrayRef<Addition> additions() const { return Additions; }
  /// Whether in \p Loop nothing else is done to \p Buffer, or to what it is a
  /// field of.
  bool onlyAdds(const Loops &Cycles, std::uint32_t Loop, SlotId Buffer) const {
    for (; Buffer != SlotId::None; Buffer = F.slot(Buffer).Base)
      if (const auto Of = Others.find(index(Buffer));
          Of != Others.end() && !llvm::all_of(Of->second, [&](std::uint32_t B) {
            return Cycles.leaves(Loop, B);
          }))
        return false;
    return true;
  }

private:
  void see(const Fact &X) {
    const auto *O = std::get_if<OpFact>(&X);
    if (O && O->Rule->is(OpRole::Adds) && O->Operands.size() == 2 &&
        O->Dst != SlotId::None)
      Adds[index(O->Dst)] = O;
    if (O && addsTo(*O))
      return;
    if (std::holds_alternative<ViewFact>(X) ||
        std::holds_alternative<AssertFact>(X) ||
        std::holds_alternative<PointFact>(X))
      return;
    forEachSlot(X, [&](SlotId S, SlotAccess A) {
      if (O && !A.Writes && !A.Defines)
        return;
      Others[index(S)].push_back(Block);
      if (const SlotId Of = Made.bufferOf(S); Of != SlotId::None)
        Others[index(Of)].push_back(Block);
    });
  }

  /// Whether \p O puts back an element with something added.
  bool addsTo(const OpFact &O) {
    const SlotId Into = Made.bufferOf(O.WritesTo);
    if (Into == SlotId::None || !O.Rule->is(OpRole::Copies))
      return false;
    const auto Add = Adds.find(index(Made.copied(O.Operands[0].Slot)));
    if (Add == Adds.end())
      return false;
    for (const std::size_t I : {0, 1})
      if (Made.bufferOf(Made.copied(Add->second->Operands[I].Slot)) == Into) {
        Additions.push_back({Add->second, {I, Into, Block}});
        return true;
      }
    return false;
  }

  const Function &F;
  const MadeBy Made;
  /// By their results; of an iteration that is there twice, the last so far.
  llvm::DenseMap<std::uint32_t, const OpFact *> Adds;
  llvm::SmallVector<Addition, 4> Additions;
  std::uint32_t Block = 0;
  /// By slot: the blocks.
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<std::uint32_t, 4>> Others;
};

} // namespace

Accumulations::Accumulations(const Function &F, const Loops &Cycles) {
  const BufferUses Uses(F);
  for (const auto &[Op, Of] : Uses.additions()) {
    const std::uint32_t In = Of.Loop;
    const auto Around =
        Cycles.withBlock([In](std::uint32_t B) { return B == In; });
    std::vector<std::uint32_t> Heads(Around.begin(), Around.end());
    llvm::sort(Heads); // an outer one begins before what it has in it
    const auto Outermost = llvm::find_if(Heads, [&](std::uint32_t Head) {
      return Uses.onlyAdds(Cycles, Head, Of.Buffer);
    });
    if (Outermost == Heads.end())
      continue;
    InLoops.insert(*Outermost);
    Sums.try_emplace(Op, Sum{Of.Operand, Of.Buffer, *Outermost});
  }
}

} // namespace spmd::rules::inference
