#include "ranks.h"

#include <torch/torch.h>

#include <algorithm>
#include <thread>

namespace megatron {

void run_local_ranks(const Config &config, const Body &body) {
  const int ranks = int(config.dp * config.tp);
  const int cores = int(std::thread::hardware_concurrency());
  spmd::run_local(ranks, [&](int rank) {
    // libtorch's own threads are set per calling thread: share the cores out.
    if (ranks > 1)
      torch::set_num_threads(std::max(1, cores / ranks));
    body(place(make_mesh(config, rank, ranks)));
  });
}

} // namespace megatron
