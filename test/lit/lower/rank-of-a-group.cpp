// The rank that a group is made with is the rank over its axis, wherever it
// comes from.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

void seeded(c10::intrusive_ptr<c10d::Store> store) {
  int rank = std::atoi(std::getenv("RANK")), world = std::atoi(std::getenv("WORLD_SIZE"));
  [[spmd::axis("dp")]] auto pg = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, world);
  torch::manual_seed(rank);
  // CHECK: [[@LINE+1]]:45: error: from here on 'net.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
}
void loaded(c10::intrusive_ptr<c10d::Store> store) {
  int rank = std::atoi(std::getenv("RANK")), world = std::atoi(std::getenv("WORLD_SIZE"));
  [[spmd::axis("dp")]] auto pg = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, world);
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  // CHECK: [[@LINE+1]]:7: error: from here on 'net.parameters()' is V on 'dp'
  if (rank == 0)
    torch::load(net, "last.pt");
}
void sent(c10::intrusive_ptr<c10d::Store> store) {
  int rank = std::atoi(std::getenv("RANK")), world = std::atoi(std::getenv("WORLD_SIZE"));
  [[spmd::axis("dp")]] auto pg = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, world);
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  if (rank == 0)
    torch::load(net, "last.pt");
  for (auto &p : net->parameters()) {
    std::vector<at::Tensor> one{p.data()};
    pg->broadcast(one)->wait();
  }
}
