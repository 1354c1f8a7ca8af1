// Raw collectives sum what varies: what each rank adds to its term is in the sum
// once per rank. Averages have it once.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <vector>

struct Layer {
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> group;
  [[spmd::type("tp: S(0)")]] at::Tensor weight;
  [[spmd::type("tp: R")]] at::Tensor bias;
  int rank = 0;

  at::Tensor wrong([[spmd::type("tp: V")]] const at::Tensor &x) {
    // CHECK: [[#@LINE+1]]:20: error: 'bias' is R and is added to
    at::Tensor y = at::matmul(x, weight) + bias;
    std::vector<at::Tensor> all{y};
    group->allreduce(all)->wait();
    return y;
  }
  at::Tensor right([[spmd::type("tp: V")]] const at::Tensor &x) {
    at::Tensor y = at::matmul(x, weight);
    std::vector<at::Tensor> all{y};
    group->allreduce(all)->wait();
    return y + bias;
  }
  at::Tensor shares([[spmd::type("tp: V")]] const at::Tensor &x) {
    at::Tensor y = at::matmul(x, weight) + bias / group->getSize();
    std::vector<at::Tensor> all{y};
    group->allreduce(all)->wait();
    return y;
  }
  at::Tensor mean([[spmd::type("tp: V")]] const at::Tensor &x) {
    at::Tensor y = at::matmul(x, weight) + bias;
    std::vector<at::Tensor> all{y};
    group->allreduce(all)->wait();
    return y / group->getSize();
  }
  at::Tensor first([[spmd::type("tp: V")]] const at::Tensor &x) {
    at::Tensor y = at::matmul(x, weight);
    if (rank == 0)
      y = y + bias;
    std::vector<at::Tensor> all{y};
    group->allreduce(all)->wait();
    return y;
  }
};

// A norm over shards and what all ranks have.
at::Tensor norm([[spmd::type("tp: V")]] const at::Tensor &shard,
                [[spmd::type("tp: R")]] const at::Tensor &whole,
                [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> tp) {
  at::Tensor sum = shard.square().sum();
  // CHECK: [[#@LINE+1]]:3: error: 'whole.square().sum()' is R and is added to 'sum'
  sum.add_(whole.square().sum());
  std::vector<at::Tensor> all{sum};
  tp->allreduce(all)->wait();
  return sum.sqrt();
}

void biased([[spmd::type("tp: V")]] float *y,
            [[spmd::type("tp: R")]] const float *b, int n,
            [[spmd::axis("tp")]] ncclComm_t tp) {
  for (int i = 0; i != n; ++i)
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: 'b[i]' is R and is added to 'y[i]'
    y[i] = y[i] + b[i];
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, tp, 0);
}

// The ranks' parameters are averaged.
void average([[spmd::type("tp: V")]] float *y,
             [[spmd::type("tp: R")]] const float *b, int n,
             [[spmd::axis("tp")]] ncclComm_t tp) {
  for (int i = 0; i != n; ++i)
    y[i] = y[i] + b[i];
  ncclAllReduce(y, y, n, ncclFloat, ncclAvg, tp, 0);
}

// A helper may copy what it is given; what a call adds is no share of the rest.
struct Block {
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> group;
  [[spmd::type("tp: S(0)")]] at::Tensor weight;
  [[spmd::type("tp: R")]] at::Tensor bias;

  at::Tensor summed(at::Tensor x) {
    x = x.contiguous();
    std::vector<at::Tensor> all{x};
    group->allreduce(all)->wait();
    return x;
  }
  at::Tensor copied(at::Tensor x) { return summed(x.clone()); }
  at::Tensor wrong([[spmd::type("tp: V")]] const at::Tensor &x) {
    // CHECK: [[#@LINE+1]]:19: error: 'bias' is R and is added to
    return copied(at::matmul(x, weight) + bias);
  }
  at::Tensor right([[spmd::type("tp: V")]] const at::Tensor &x) {
    return copied(at::matmul(x, weight)) + bias;
  }
  at::Tensor residual([[spmd::type("tp: V")]] const at::Tensor &h,
                      [[spmd::type("tp: R")]] at::Tensor x) {
    x = x + copied(at::matmul(h, weight));
    // CHECK: [[#@LINE+1]]:20: error: 'x' is R and is added to
    at::Tensor y = x + at::matmul(h, weight);
    return summed(y);
  }
  at::Tensor share([[spmd::type("tp: R")]] const at::Tensor &x) {
    return x / group->getSize();
  }
  at::Tensor ofShares([[spmd::type("tp: V")]] const at::Tensor &h) {
    at::Tensor each = share(bias) + bias / (2 * group->getSize());
    return summed(at::matmul(h, weight) + each);
  }
};
