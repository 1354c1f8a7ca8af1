//===- MetInLoops.cpp - Loops in which ranks meet -------------------------===//

#include "MetInLoops.h"

#include "passes/EachIteration.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether all ranks of its communicator meet in \p T.
static bool meetsAll(const TransferFact &T) {
  return communicates(T.K) && T.K != TransferKind::Permute &&
         T.Axis.Slot != SlotId::None;
}

/// The axes of what \p Callee does, itself or by what it calls: those of its
/// communicators, all of them where nobody says which.
AxisMask MetInLoops::metIn(const Function &Callee) const {
  AxisMask Out = 0;
  for (const TransferFact &T : factsOf<TransferFact>(Callee))
    if (meetsAll(T)) {
      const Slot &Comm = Callee.slot(T.Axis.Slot);
      if (Comm.DeclaredAxes.empty())
        return ~AxisMask(0);
      for (AxisId A : In.Decls.axesOf(Comm.DeclaredAxes, Comm.Mesh.get()))
        Out |= 1u << A;
    }
  return Out;
}

MetInLoops::Loop MetInLoops::find(std::uint32_t Head) const {
  Loop Out;
  const Loops &Cycles = In.Facts.Cycles;
  for (std::uint32_t B = Head; B != In.F.Blocks.size(); ++B) {
    if (Cycles.leaves(Head, B))
      continue;
    Loop Here;
    for (const Fact &X : In.F.Blocks[B].Facts) {
      if (const auto *T = std::get_if<TransferFact>(&X); T && meetsAll(*T))
        Here.Over.push_back(T->Axis.Slot);
      const auto *Call = std::get_if<CallFact>(&X);
      const Function *Callee = Call ? In.E.find(Call->Callee) : nullptr;
      if (!Callee)
        continue;
      Here.ByCallees |= metIn(*Callee);
      for (const Function *Other : In.E.calledFrom(*Callee))
        Here.ByCallees |= metIn(*Other);
    }
    if ((Here.Over.empty() && !Here.ByCallees) ||
        !comesToEach(In.F, Cycles, Head, B))
      continue;
    Out.Over.append(Here.Over);
    Out.ByCallees |= Here.ByCallees;
  }
  return Out;
}

void MetInLoops::forgetMet(std::uint32_t Block, AbstractValue &Decides) {
  const auto MayDiffer = [](const AxisState &A) {
    return !A.Set.isAll() && A.Set.contains(LocalType::V);
  };
  if (llvm::none_of(Decides.Axes, MayDiffer))
    return;
  const AxisMask Met = metAround(Block);
  for (AxisId A = 0; A != Decides.Axes.size(); ++A)
    if (Met & 1u << A)
      Decides.Axes[A] = AxisState();
}

/// The axes on which all ranks meet in each iteration of the loop of whose
/// condition \p Block is.
AxisMask MetInLoops::metAround(std::uint32_t Block) {
  const std::uint32_t Head = In.Facts.Cycles.loopOfCondition(Block);
  if (!In.Facts.Cycles.beginsAt(Head))
    return 0;
  const auto [At, New] = Known.try_emplace(Head);
  if (New)
    At->second = find(Head);
  AxisMask Out = At->second.ByCallees;
  for (const SlotId Comm : At->second.Over)
    for (AxisId A : In.Store.read(Comm).Span)
      Out |= 1u << A;
  return Out;
}

} // namespace spmd::rules::inference
