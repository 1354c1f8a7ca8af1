// The device mesh: which ranks talk to which.

#pragma once

#include <spmd/torch.h>

namespace megatron {

/// This rank's place in the mesh dp x tp. Ranks of one tp group are
/// neighbours.
struct Parallel {
  [[spmd::axis("dp")]] spmd::Axis dp;
  [[spmd::axis("tp")]] spmd::Axis tp;

  /// The one rank that prints and writes for all.
  bool is_first() const { return dp.rank() == 0 && tp.rank() == 0; }
};

/// This rank's place in \p mesh, connected by the installed backend of
/// the runtime library.
Parallel place(const spmd::Mesh &mesh);

} // namespace megatron
