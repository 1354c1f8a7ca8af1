// Process groups as programs make them, and what their calls are told in
// structs.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/torch.h>

#include <cstdlib>
#include <memory>
#include <vector>

using Store = c10::intrusive_ptr<c10d::Store>;
using Tensors = std::vector<at::Tensor>;

void rankOfTheEnvironment(const Store &store, Tensors &x) {
  const int rank = std::atoi(std::getenv("RANK"));
  const int size = std::atoi(std::getenv("WORLD_SIZE"));
  auto pg = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size);
  pg->allreduce(x)->wait();
  if (rank == 0)
    // CHECK: groups.cpp:[[#@LINE+1]]:5: error: not all ranks get to this 'ProcessGroup::allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in ProcessGroup::allreduce, line [[#@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    pg->allreduce(x)->wait();
}

void shared(const Store &store, int rank, int size, Tensors &x) {
  auto pg = std::make_shared<c10d::ProcessGroupGloo>(store, rank, size);
  if (rank == 0)
    // CHECK: groups.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    pg->allreduce(x)->wait();
}

void onTheStack(const Store &store, int rank, int size, Tensors &x) {
  c10d::ProcessGroupGloo pg(store, rank, size);
  if (rank == 0)
    // CHECK: groups.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    pg.allreduce(x)->wait();
}

void everyoneIsRoot(c10d::ProcessGroupGloo &pg, Tensors &x) {
  c10d::BroadcastOptions options;
  options.rootRank = pg.getRank();
  // CHECK: groups.cpp:[[#@LINE+1]]:3: error: {{.*}}root{{.*}} [spmd-varying-metadata]
  pg.broadcast(x, options)->wait();
}

void otherOp(c10d::ProcessGroupGloo &pg, Tensors &x) {
  c10d::AllreduceOptions options;
  options.reduceOp =
      pg.getRank() == 0 ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
  // CHECK: groups.cpp:[[#@LINE+1]]:3: error: {{.*}} [spmd-varying-metadata]
  pg.allreduce(x, options)->wait();
}

// Right: options that are the same, said or not, and a group that some are in.
void sameOptions(c10d::ProcessGroupGloo &pg, Tensors &x, int root) {
  c10d::AllreduceOptions max;
  max.reduceOp = c10d::ReduceOp::MAX;
  if (pg.getRank() == 0) {
    c10d::AllreduceOptions alsoMax;
    alsoMax.reduceOp = c10d::ReduceOp::MAX;
    pg.allreduce(x, alsoMax)->wait();
    pg.allreduce(x)->wait();
  } else {
    pg.allreduce(x, max)->wait();
    pg.allreduce(x, c10d::AllreduceOptions())->wait();
  }
  c10d::BroadcastOptions from;
  from.rootRank = root;
  pg.broadcast(x, from)->wait();
}

void groupOfSome(const Store &store, int rank, int size, Tensors &x) {
  if (rank < 2) {
    auto first = std::make_shared<c10d::ProcessGroupGloo>(store, rank, 2);
    first->allreduce(x)->wait();
  }
  auto all = std::make_shared<c10d::ProcessGroupGloo>(store, rank, size);
  all->allreduce(x)->wait();
}
