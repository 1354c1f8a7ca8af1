// A process group is the same one by a pointer, by what it points to, and by its
// address.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

static void sendFrom(c10d::ProcessGroup &group, std::vector<at::Tensor> &list,
                     int root) {
  c10d::BroadcastOptions options;
  options.rootRank = root;
  // CHECK: [[#@LINE+1]]:3: error: the root of this 'ProcessGroup::broadcast' is not the same on all ranks
  group.broadcast(list, options)->wait();
}
void rootOfEach(Group group, std::vector<at::Tensor> &list) {
  sendFrom(*group, list, group->getRank());
}

static void sumIn(c10d::ProcessGroup &group, std::vector<at::Tensor> &list) {
  // CHECK: [[#@LINE+1]]:3: error: not all ranks get to this 'ProcessGroup::allreduce'
  group.allreduce(list)->wait();
}
void onOne(Group group, std::vector<at::Tensor> &list) {
  if (group->getRank() == 0)
    sumIn(*group, list);
}

static void sumBy(c10d::ProcessGroup *group, std::vector<at::Tensor> &list) {
  // CHECK: [[#@LINE+1]]:3: error: not all ranks get to this 'ProcessGroup::allreduce'
  group->allreduce(list)->wait();
}
void onOneByAddress(c10d::ProcessGroup &group, std::vector<at::Tensor> &list) {
  if (group.getRank() == 0)
    sumBy(&group, list);
}

static void sumOnBoth(c10d::ProcessGroup &group, std::vector<at::Tensor> &list) {
  group.allreduce(list)->wait();
}
void onAll(Group group, std::vector<at::Tensor> &list) {
  c10d::ProcessGroup &same = *group;
  if (group->getRank() == 0)
    sumOnBoth(*group, list);
  else
    same.allreduce(list)->wait();
}
// What points to the pointer is another thing.
static void replace(Group *group, Group by) { *group = by; }
void onAnother(Group group, Group another, std::vector<at::Tensor> &list) {
  const int rank = group->getRank();
  replace(&group, another);
  if (rank == 0)
    another->allreduce(list)->wait();
  else
    group->allreduce(list)->wait();
}
