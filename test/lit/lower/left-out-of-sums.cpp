// What a rank keeps of its term, once what was made of all of them is taken
// off, is for the next sum: an error that is fed back. Weights that are taken
// off a term are no such thing.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

struct Compressor {
  [[spmd::axis("dp")]] c10d::ProcessGroup *pg;
  [[spmd::type("dp: P")]] at::Tensor error;
  [[spmd::type("dp: R")]] at::Tensor q;

  void mean(at::Tensor t) {
    std::vector<at::Tensor> v{t};
    pg->allreduce(v)->wait();
    t.div_(pg->getSize());
  }
  void reduce([[spmd::type("dp: P")]] at::Tensor grad) {
    auto e = grad + error;
    auto p = e.matmul(q);
    mean(p);
    auto approx = p.matmul(q.t());
    error = e - approx;
  }
  at::Tensor decayed([[spmd::type("dp: P")]] at::Tensor grad, [[spmd::type("dp: R")]] at::Tensor w) {
    // CHECK: [[#@LINE+1]]:14: error: 'w' is R and is added to 'grad', which is P on 'dp', in 'sub'
    auto g = grad - w;
    mean(g);
    return g;
  }
};
