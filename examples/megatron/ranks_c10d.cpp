#include "ranks.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstdlib>
#include <string>

namespace megatron {
namespace {

std::string variable(const char *name, const std::string &otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

c10::intrusive_ptr<c10d::Store> make_store(int rank, int world) {
  if (world == 1)
    return c10::make_intrusive<c10d::HashStore>();
  c10d::TCPStoreOptions options;
  options.port = uint16_t(std::stoi(variable("MASTER_PORT", "29500")));
  options.isServer = rank == 0;
  options.numWorkers = world;
  return c10::make_intrusive<c10d::TCPStore>(
      variable("MASTER_ADDR", "127.0.0.1"), options);
}

/// The group of all ranks that share \p name, one of which this process is.
c10::intrusive_ptr<c10d::ProcessGroup>
make_group(const c10::intrusive_ptr<c10d::Store> &store,
           const std::string &name, int rank, int size) {
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>(name, store), rank, size, options);
}

spmd::Axis make_axis(const std::string &name,
                     const c10::intrusive_ptr<c10d::ProcessGroup> &group) {
  return spmd::Axis(name,
                    std::make_shared<spmd::ProcessGroupCommunicator>(group));
}

} // namespace

void run_c10d_ranks(const Config &config, const Body &body) {
  const int rank = std::stoi(variable("RANK", "0"));
  const int world = std::stoi(variable("WORLD_SIZE", "1"));
  const spmd::Mesh mesh = make_mesh(config, rank, world);
  const int dp_rank = mesh.rank("dp"), tp_rank = mesh.rank("tp");
  const auto store = make_store(rank, world);
  Parallel parallel;
  parallel.dp =
      make_axis("dp", make_group(store, "dp" + std::to_string(tp_rank), dp_rank,
                                 mesh.size("dp")));
  parallel.tp =
      make_axis("tp", make_group(store, "tp" + std::to_string(dp_rank), tp_rank,
                                 mesh.size("tp")));
  body(parallel);
}

} // namespace megatron
