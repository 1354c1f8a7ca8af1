//===- PathThrough.cpp - Which way a run takes ----------------------------===//

#include "PathThrough.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

PathThrough::PathThrough(const Function &F, unsigned Number)
    : F(F), Number(Number), Returns(F.Blocks.size()), Visits(F.Blocks.size()) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (std::size_t I = 0; I != F.Blocks.size(); ++I) {
      const auto &Next = F.Blocks[I].Successors;
      const bool Can = Next.empty() || llvm::any_of(Next, [&](BlockId B) {
                         return Returns[index(B)];
                       });
      Changed |= Can && !Returns[I];
      Returns[I] = Returns[I] || Can;
    }
  }
}

/// Lowering and the generator number blocks so that only loops go back.
bool PathThrough::beginsLoop(std::uint32_t B) const {
  for (std::uint32_t From = B; From != F.Blocks.size(); ++From)
    if (llvm::is_contained(F.Blocks[From].Successors, BlockId(B)))
      return true;
  return false;
}

std::optional<std::uint32_t> PathThrough::after(std::uint32_t B) {
  llvm::SmallVector<BlockId, 2> Next;
  for (BlockId N : F.Blocks[B].Successors)
    if (Returns[index(N)])
      Next.push_back(N);
  if (Next.empty())
    return std::nullopt;
  // A loop has an iteration: the types behind it are of what it leaves.
  const bool Enters = B != 0 && Last < B && Next.size() > 1 && beginsLoop(B);
  Last = B;
  if (Enters)
    Next.pop_back();
  constexpr unsigned MaxRounds = 3;
  const unsigned Visit = Visits[B]++;
  const unsigned Bits = (Number + 0x9e3779b9u * (B + 1)) ^ (Visit * 40503u);
  // A loop's last successor leaves it.
  const std::size_t Choice =
      Visit >= MaxRounds ? Next.size() - 1 : (Bits >> 7) % Next.size();
  return index(Next[Choice]);
}

} // namespace spmd::oracle
