//===- Deciders.h - The branches on which a block hangs ---------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_DECIDERS_H
#define SPMD_INFERENCE_WAYS_DECIDERS_H

#include "spmd/ir/ControlFlow.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// The block of \p F with the fact \p Cause; without one, with a fact at \p At.
inline std::optional<std::uint32_t> blockOf(const Function &F, PlaceId At,
                                            const Fact *Cause) {
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (const Fact &X : F.Blocks[B].Facts)
      if (Cause ? &X == Cause : placeOf(X) == At)
        return B;
  return std::nullopt;
}

/// The blocks that decide whether another one is reached.
class Deciders {
public:
  explicit Deciders(const Function &F) : F(F), Flow(F) {}

  /// All that decide about \p Block.
  llvm::BitVector allOf(std::uint32_t Block) const {
    llvm::BitVector Out(size());
    llvm::SmallVector<std::uint32_t, 8> Work{Block};
    while (!Work.empty()) {
      const std::uint32_t X = Work.pop_back_val();
      for (std::uint32_t C = 0; C != F.Blocks.size(); ++C)
        if (!Out.test(C) && decides(C, X)) {
          Out.set(C);
          Work.push_back(C);
        }
    }
    return Out;
  }
  /// The same but for what data decide, with which the others have nothing to
  /// do.
  llvm::BitVector of(std::uint32_t Block) const {
    llvm::BitVector Out = allOf(Block);
    for (std::uint32_t C = 0; C != F.Blocks.size(); ++C)
      if (F.Blocks[C].OnData)
        Out.reset(C);
    return Out;
  }
  /// A loop that has a round comes to what it repeats, whatever else decides.
  bool repeats(std::uint32_t Loop, std::uint32_t Block) const {
    return comesTo(F, Block, Loop) && comesTo(F, Loop, Block);
  }
  /// Whether \p Block is come to whatever decides.
  bool reachesAnyway(std::uint32_t Block) const {
    return llvm::all_of(of(Block).set_bits(),
                        [&](std::uint32_t By) { return repeats(By, Block); });
  }

  bool isOnData(std::uint32_t Block) const { return F.Blocks[Block].OnData; }

private:
  unsigned size() const { return static_cast<unsigned>(F.Blocks.size()); }
  bool alwaysFollows(std::uint32_t Block, std::uint32_t From) const {
    for (unsigned I = 0; From < size() && I != size(); ++I) {
      if (From == Block)
        return true;
      From = Flow.reconvergenceOf(From);
    }
    return false;
  }
  bool decides(std::uint32_t C, std::uint32_t X) const {
    const auto Next = Flow.next(C);
    return Next.size() > 1 && (C == X || !alwaysFollows(X, C)) &&
           llvm::any_of(Next,
                        [&](std::uint32_t N) { return alwaysFollows(X, N); });
  }

  const Function &F;
  ControlFlow Flow;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_DECIDERS_H
