// Who runs the ranks, and what carries their messages. One file per way.

#pragma once

#include "config.h"
#include "mesh.h"

#include <functional>

namespace megatron {

using Body = std::function<void(const Parallel &)>;

/// Runs \p body on every rank of the mesh that this process has: all of them
/// with the backend "local", else one. Throws std::runtime_error when the job
/// does not have dp * tp ranks.
void run_ranks(const Config &config, const Body &body);

/// Threads of this process.
void run_local_ranks(const Config &config, const Body &body);

/// Processes that mpirun has started. Throws where the program was built
/// without MPI.
void run_mpi_ranks(const Config &config, const Body &body);

/// Processes that meet as torchrun's variables RANK, WORLD_SIZE, MASTER_ADDR
/// and MASTER_PORT say, connected by c10d's Gloo process groups.
void run_c10d_ranks(const Config &config, const Body &body);

/// The mesh dp x tp, seen from \p rank of \p world.
spmd::Mesh make_mesh(const Config &config, int rank, int world);

} // namespace megatron
