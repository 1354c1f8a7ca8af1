#include "ranks.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace megatron {
namespace {

Backend detect() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE"))
    return Backend::Mpi;
  if (std::getenv("RANK"))
    return Backend::C10d;
  return Backend::Local;
}

} // namespace

spmd::Mesh make_mesh(const Config &config, int rank, int world) {
  const int dp = int(config.dp), tp = int(config.tp);
  if (world != dp * tp)
    throw std::runtime_error("the mesh dp=" + std::to_string(dp) +
                             ", tp=" + std::to_string(tp) + " needs " +
                             std::to_string(dp * tp) + " ranks, there are " +
                             std::to_string(world));
  return spmd::Mesh({{"dp", dp}, {"tp", tp}}, rank);
}

void run_ranks(const Config &config, const Body &body) {
  switch (config.backend == Backend::Detect ? detect() : config.backend) {
  case Backend::Mpi:
    return run_mpi_ranks(config, body);
  case Backend::C10d:
    return run_c10d_ranks(config, body);
  default:
    return run_local_ranks(config, body);
  }
}

} // namespace megatron
