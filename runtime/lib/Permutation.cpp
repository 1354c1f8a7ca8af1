#include "spmd/permutation.h"

#include "spmd/axis.h"

namespace spmd {

detail::Details Permutation::on(const Axis &A, Site At) const {
  const int Size = A.size(), Self = A.rank();
  const auto Fail = [&](const std::string &Why) {
    detail::fail(
        (At.Line ? At.File + (":" + std::to_string(At.Line)) + ": " : "") +
            "spmd::permute over " + detail::describe(A) + ": " + Why,
        {"spmd::permute", A.name(), "V", "V", "", "", At, Why});
  };
  if (!To.empty() && To.size() != static_cast<std::size_t>(Size))
    Fail("the permutation has " + std::to_string(To.size()) + " entries");
  std::vector<int> From(static_cast<std::size_t>(Size), Nobody);
  int Goes = Nobody;
  for (int R = 0; R < Size; ++R) {
    int Into = To.empty() ? R + By : To[static_cast<std::size_t>(R)];
    if (To.empty() && Wraps)
      Into = ((Into % Size) + Size) % Size;
    const bool Leaves = To.empty() && (Into < 0 || Into >= Size);
    if (R == Self)
      Goes = Leaves ? Nobody : Into;
    if (Leaves || Into == Nobody)
      continue;
    if (Into < 0 || Into >= Size)
      Fail("the permutation sends rank " + std::to_string(R) + " to " +
           std::to_string(Into) + ", no rank of it");
    int &Other = From[static_cast<std::size_t>(Into)];
    if (Other != Nobody)
      Fail("the permutation sends ranks " + std::to_string(Other) + " and " +
           std::to_string(R) + " both to " + std::to_string(Into));
    Other = R;
  }
  const auto Only = [Size](int Rank) {
    ChunkSizes Sizes(static_cast<std::size_t>(Size), 0);
    if (Rank != Nobody)
      Sizes[static_cast<std::size_t>(Rank)] = 1;
    return std::make_shared<const ChunkSizes>(std::move(Sizes));
  };
  detail::Details D;
  D.Sent = Only(Goes);
  D.Received = Only(From[static_cast<std::size_t>(Self)]);
  return D;
}

} // namespace spmd
