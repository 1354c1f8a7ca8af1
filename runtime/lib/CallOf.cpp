#include "spmd/transition.h"

namespace spmd::detail {

/// All of it for the root, and nothing for the others.
static std::shared_ptr<const ChunkSizes> onlyFor(int Root, int Ranks) {
  ChunkSizes Sizes(static_cast<std::size_t>(Ranks), 0);
  Sizes[static_cast<std::size_t>(Root)] = 1;
  return std::make_shared<const ChunkSizes>(std::move(Sizes));
}

Call callOf(OperatorKind Op, const Axis &A, const Placement &Src,
            const Placement &Dst, DType Type, const Shape &In, Site At,
            const Details &D) {
  Call C = {Op, A,  Src,    Dst,    Type,   In,
            At, {}, D.Mean, D.Root, D.Sent, D.Received};
  checkDetails(C);
  if (rules::hasRoot(Op))
    C.Sent = onlyFor(C.Root, A.size());
  C.Whole = wholeShape(C);
  return C;
}

bool losesAll(const Call &C) {
  return C.Op == OperatorKind::Permute && C.On.size() == 1 &&
         C.Received->front() == 0;
}

} // namespace spmd::detail
