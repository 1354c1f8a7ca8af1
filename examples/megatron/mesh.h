// The device mesh: which ranks talk to which.

#pragma once

#include "config.h"

#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace megatron {

/// This process's place in the mesh dp x tp. Ranks of one tp group are
/// neighbours.
struct Parallel {
  [[spmd::axis("dp")]] spmd::Axis dp;
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> dp_group;
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> tp_group;
};

/// Meets the other processes as torchrun's variables RANK, WORLD_SIZE,
/// MASTER_ADDR and MASTER_PORT say, and installs a Gloo backend for the typed
/// collectives. Without the variables: a world of one. Throws
/// std::runtime_error when the world is not dp * tp large.
Parallel connect(const Config &config);

} // namespace megatron
