// Where there is one rank there is nothing to reduce or to gather.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

[[spmd::axis("tp")]] extern spmd::Axis tp;
int get_tensor_model_parallel_world_size();

struct Group {
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  int world_size_ = 1;

  [[spmd::type("tp: R")]] Tensor asked([[spmd::type("tp: P")]] Tensor x) {
    if (pg->getSize() == 1)
      return x;
    std::vector<Tensor> v{x};
    pg->allreduce(v)->wait();
    return x;
  }
  [[spmd::type("tp: R")]] Tensor kept([[spmd::type("tp: V")]] Tensor x) {
    if (world_size_ <= 1) {
      return x;
    }
    Tensor out = at::empty({4, 4});
    pg->_allgather_base(out, x)->wait();
    return out;
  }
  [[spmd::type("tp: R")]] Tensor local([[spmd::type("tp: P")]] Tensor x) {
    const auto n = pg->getSize();
    if (n > 1) {
      std::vector<Tensor> v{x};
      pg->allreduce(v)->wait();
      return v[0];
    }
    return x.relu() + 1;
  }
};

[[spmd::type("tp: R")]] Tensor free([[spmd::type("tp: P")]] Tensor x,
                                    [[spmd::type("tp: R")]] Tensor bias) {
  if (get_tensor_model_parallel_world_size() == 1)
    return x + bias;
  return spmd::all_reduce(x, tp, spmd::P, spmd::R) + bias;
}
void buffer([[spmd::axis("tp")]] ncclComm_t comm, int nranks, cudaStream_t s,
            [[spmd::type("tp: P -> tp: R")]] float *x, size_t n) {
  if (nranks == 1)
    return;
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, s);
}

// The other path is checked as ever, and so is what follows.
[[spmd::type("tp: R")]] Tensor forgotten([[spmd::type("tp: P")]] Tensor x) {
  if (tp.size() == 1)
    return x;
  return x * 2;
  // CHECK: [[#@LINE-1]]:3: error: the value returned from 'forgotten' must be R on 'tp', but 'x * 2' is P
}
Tensor joined([[spmd::type("tp: P")]] Tensor x) {
  Tensor y;
  if (tp.size() == 1)
    y = x;
  else
    y = -x;
  return y.relu();
  // CHECK: [[#@LINE-1]]:10: error: 'y' is P on 'tp' and enters the non-linear 'relu'
}
// It is not about ranks.
[[spmd::type("tp: R")]] Tensor batch([[spmd::type("tp: P")]] Tensor x, int n) {
  if (n == 1 || x.size(0) == 1 || tp.rank() == 1)
    return x;
  // CHECK: [[#@LINE-1]]:5: error: the value returned from 'batch' must be R on 'tp', but 'x' is P
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
  // CHECK: [[#@LINE-1]]:10: error: not all ranks get to this 'spmd::all_reduce'{{.*}}; rank 1 is at its end [spmd-divergent-collective]
}
