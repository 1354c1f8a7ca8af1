//===- shard_layout.h - Parameters cut over the ranks -----------*- C++ -*-===//
//
// How the chunks of several parameters lie in one dense run, by which they are
// gathered and scattered: those of rank 0, of each parameter in turn, then
// those of rank 1.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARD_LAYOUT_H
#define SPMD_SHARD_LAYOUT_H

#include "spmd/tags.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spmd::detail {

/// Each parameter is cut in chunks of dim 0, as torch.chunk cuts: what does not
/// divide leaves the last ranks less, or nothing.
class ShardLayout {
public:
  ShardLayout(const std::vector<at::Tensor> &Of, int Ranks) {
    ChunkSizes Sizes(static_cast<std::size_t>(Ranks));
    for (const at::Tensor &X : Of) {
      Shapes.push_back(X.sizes().vec());
      for (int R = 0; R < Ranks; ++R)
        Sizes[static_cast<std::size_t>(R)] += chunkOf(X, R, Ranks).numel();
    }
    Cut = S(0, std::move(Sizes));
  }

  /// What all ranks have, as a shard of the run.
  const UnevenShard &cut() const { return Cut; }

  /// A view of the rows that \p Rank has. A number is one row.
  static at::Tensor chunkOf(const at::Tensor &X, int Rank, int Ranks) {
    const at::Tensor Rows = X.dim() ? X : X.reshape({1});
    const std::int64_t N = Rows.size(0), Each = (N + Ranks - 1) / Ranks,
                       Begin = std::min(N, Rank * Each);
    return Rows.narrow(0, Begin, std::min(Each, N - Begin));
  }

  /// The chunks of one rank, side by side.
  static at::Tensor joined(const std::vector<at::Tensor> &Chunks) {
    std::vector<at::Tensor> Flat;
    for (const at::Tensor &X : Chunks)
      Flat.push_back(X.reshape({-1}));
    return at::cat(Flat);
  }

  /// The run of whole tensors.
  at::Tensor packed(const std::vector<at::Tensor> &Wholes) const {
    std::vector<at::Tensor> Chunks;
    for (int R = 0; R < ranks(); ++R)
      for (const at::Tensor &X : Wholes)
        Chunks.push_back(chunkOf(X, R, ranks()));
    return joined(Chunks);
  }

  /// The whole tensors of a run, with memory of their own.
  std::vector<at::Tensor> unpacked(const at::Tensor &Run) const {
    std::vector<std::vector<at::Tensor>> Chunks(Shapes.size());
    std::int64_t Begin = 0;
    for (int R = 0; R < ranks(); ++R)
      for (std::size_t I = 0; I < Shapes.size(); ++I) {
        const std::int64_t Numbers = sizeOf(I, R);
        Chunks[I].push_back(Run.narrow(0, Begin, Numbers));
        Begin += Numbers;
      }
    std::vector<at::Tensor> Wholes;
    for (std::size_t I = 0; I < Shapes.size(); ++I)
      Wholes.push_back(at::cat(Chunks[I]).view(Shapes[I]));
    return Wholes;
  }

private:
  int ranks() const { return static_cast<int>(Cut.Sizes->size()); }

  /// Numbers of the parameter \p I that \p Rank has.
  std::int64_t sizeOf(std::size_t I, int Rank) const {
    const std::vector<std::int64_t> &Shape = Shapes[I];
    std::int64_t Row = 1;
    for (std::size_t D = 1; D < Shape.size(); ++D)
      Row *= Shape[D];
    const std::int64_t N = Shape.empty() ? 1 : Shape[0],
                       Each = (N + ranks() - 1) / ranks();
    return Row * std::clamp<std::int64_t>(N - Rank * Each, 0, Each);
  }

  std::vector<std::vector<std::int64_t>> Shapes;
  UnevenShard Cut{0, nullptr};
};

} // namespace spmd::detail

#endif // SPMD_SHARD_LAYOUT_H
