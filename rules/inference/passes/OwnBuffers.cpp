//===- OwnBuffers.cpp - Buffers of which nobody else has a pointer --------===//

#include "BodyFacts.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace spmd::rules::inference {

namespace {

/// Finds whether a buffer is handed on, by what mentions it and its parts.
class Keepers {
public:
  explicit Keepers(const Function &F) : Kept(F.Slots.size(), false), F(F) {
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      Kept[I] = F.Slots[I].Escapes;
    for (const Block &B : F.Blocks)
      for (const Fact &X : B.Facts)
        std::visit([&](const auto &Y) { note(Y); }, X);
  }

  /// A number has no elements.
  bool isBuffer(SlotId S) const { return Parts.contains(index(S)); }
  /// Who has a part has the whole.
  bool keeps(SlotId S) {
    if (Kept[index(S)])
      return true;
    const auto Of = Parts.find(index(S));
    return Of != Parts.end() && llvm::any_of(Of->second, [&](SlotId Part) {
             return Part != S && keeps(Part);
           });
  }

private:
  void keep(const Operand &O) {
    if (O.Slot != SlotId::None)
      Kept[index(O.Slot)] = true;
  }
  void note(const BindFact &X) { keep(X.Src); }
  void note(const ViewFact &X) {
    if (X.Src.Slot == SlotId::None)
      return;
    if (F.slot(X.Dst).Kind == SlotKind::Temporary && X.Dst > X.Src.Slot)
      Parts[index(X.Src.Slot)].push_back(X.Dst);
    else
      keep(X.Src);
  }
  void note(const CallFact &X) {
    llvm::for_each(X.Arguments, [&](const Operand &O) { keep(O); });
    keep(X.Receiver);
  }
  void note(const HavocFact &X) { Kept[index(X.Slot)] = true; }
  template <typename Other> void note(const Other &) {}

  std::vector<bool> Kept; ///< by slot: somebody has it besides
  llvm::DenseMap<std::uint32_t, llvm::SmallVector<SlotId, 2>> Parts;
  const Function &F;
};

} // namespace

std::vector<SlotId> findOwnBuffers(const Function &F) {
  llvm::DenseSet<SlotId> Zeros;
  for (const DefineFact &D : factsOf<DefineFact>(F))
    if (D.K == DefineFact::Kind::Zero)
      Zeros.insert(D.Dst);
  if (Zeros.empty())
    return {};
  Keepers Of(F);
  const auto IsOwn = [&](const BindFact &B) {
    return Zeros.contains(B.Src.Slot) && !B.Refers && !B.Joins &&
           F.slot(B.Dst).Kind == SlotKind::Local && Of.isBuffer(B.Dst) &&
           !Of.keeps(B.Dst);
  };
  llvm::SmallSetVector<SlotId, 4> Out;
  for (const BindFact &B : factsOf<BindFact>(F))
    if (IsOwn(B))
      Out.insert(B.Dst);
  for (const BindFact &B : factsOf<BindFact>(F)) // of whatever else it is
    if (!IsOwn(B))
      Out.remove(B.Dst);
  return {Out.begin(), Out.end()};
}

} // namespace spmd::rules::inference
