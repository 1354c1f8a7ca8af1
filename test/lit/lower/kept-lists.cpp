// A loop over tensors that changes none of them writes nothing to their list,
// on one rank or on all.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <ATen/ATen.h>
#include <vector>

struct Kept {
  [[spmd::type("dp: R")]] std::vector<at::Tensor> sharded, replicated;
};
static std::vector<at::Tensor> all_of(const Kept &kept) {
  std::vector<at::Tensor> all = kept.sharded;
  for (const at::Tensor &t : kept.replicated)
    all.push_back(t);
  return all;
}
static void scale(const Kept &kept) {
  for (const at::Tensor &t : kept.replicated)
    t.mul_(2);
}
void write_file(const std::vector<at::Tensor> &all);

void save(const Kept &kept, [[spmd::type("dp: V")]] int rank) {
  if (rank == 0)
    write_file(all_of(kept));
}
void scale_on_one(const Kept &kept, [[spmd::type("dp: V")]] int rank) {
  // CHECK: [[@LINE+1]]:7: error: from here on 'kept.replicated' is V on 'dp', and nothing makes it R again
  if (rank == 0)
    scale(kept);
}
