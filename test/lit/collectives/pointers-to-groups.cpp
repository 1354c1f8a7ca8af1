// Process groups behind smart pointers, as what they are or as their base.
// RUN: not %spmd-tidy %s -- %stubs -DMADE=1 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy %s -- %stubs -DMADE=2 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy %s -- %stubs -DMADE=3 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy %s -- %stubs -DMADE=4 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy %s -- %stubs -DMADE=5 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <cstdlib>
#include <memory>

using Gloo = c10d::ProcessGroupGloo;

int main() {
  const int rank = std::atoi(std::getenv("RANK"));
  const int size = std::atoi(std::getenv("WORLD_SIZE"));
  auto store = c10::make_intrusive<c10d::FileStore>("/tmp/store", size);
#if MADE == 1
  c10::intrusive_ptr<c10d::ProcessGroup> group = c10::make_intrusive<Gloo>(store, rank, size);
#elif MADE == 2
  c10::intrusive_ptr<c10d::ProcessGroup> group;
  if (size > 1)
    group = c10::make_intrusive<Gloo>(store, rank, size);
#elif MADE == 3
  std::shared_ptr<c10d::ProcessGroup> group(new Gloo(store, rank, size));
#elif MADE == 4
  std::shared_ptr<c10d::ProcessGroup> group = std::make_unique<Gloo>(store, rank, size);
#else
  auto gloo = c10::make_intrusive<Gloo>(store, rank, size);
  c10::intrusive_ptr<c10d::ProcessGroup> group = gloo;
#endif
  std::vector<at::Tensor> loss{torch::ones({1})};
  group->allreduce(loss)->wait();
  if (group->getRank() == 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'ProcessGroup::allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in ProcessGroup::allreduce, line [[#@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    group->allreduce(loss)->wait();
}
