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

std::optional<std::uint32_t> PathThrough::after(std::uint32_t B) {
  llvm::SmallVector<BlockId, 2> Next;
  for (BlockId N : F.Blocks[B].Successors)
    if (Returns[index(N)])
      Next.push_back(N);
  if (Next.empty())
    return std::nullopt;
  constexpr unsigned MaxRounds = 3;
  const unsigned Visit = Visits[B]++;
  const unsigned Bits = (Number + 0x9e3779b9u * (B + 1)) ^ (Visit * 40503u);
  // A loop's last successor leaves it.
  const std::size_t Choice =
      Visit >= MaxRounds ? Next.size() - 1 : (Bits >> 7) % Next.size();
  return index(Next[Choice]);
}

} // namespace spmd::oracle
