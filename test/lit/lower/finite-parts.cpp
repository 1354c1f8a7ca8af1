// Whether it is finite may be asked of each rank's part of a sum: the answer is
// the rank's own, which is reduced then.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cmath>
#include <mpi.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>
#include <vector>
using torch::Tensor;
using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
[[spmd::type("dp: V")]] Tensor batch(int i);

void reduce(PG pg, Tensor t, c10d::ReduceOp op) {
  std::vector<Tensor> list{t};
  c10d::AllreduceOptions options;
  options.reduceOp = op;
  pg->allreduce(list, options)->wait();
}

//===--- Right ------------------------------------------------------------===//

void method([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    auto found_inf = torch::zeros({1});
    for (auto &p : params)
      if (!p.grad().isfinite().all().item<bool>())
        found_inf.fill_(1);
    reduce(pg, found_inf, c10d::ReduceOp::MAX);
    if (found_inf.item<float>() > 0)
      continue;
    for (auto &p : params)
      reduce(pg, p.grad(), c10d::ReduceOp::SUM);
    opt.step();
  }
}

void function([[spmd::axis("dp")]] PG pg, [[spmd::type("dp: P")]] Tensor g) {
  Tensor bad = torch::isnan(g).any().to(torch::kFloat);
  bad += at::isinf(g).any().to(torch::kFloat);
  reduce(pg, bad, c10d::ReduceOp::SUM);
  [[spmd::type("dp: R")]] Tensor any = bad;
}

bool host([[spmd::type("dp: P")]] const std::vector<float> &g, [[spmd::axis("dp")]] MPI_Comm comm) {
  int bad = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (!std::isfinite(g[i]) || std::isnan(g[i]) || g[i] != g[i])
      bad = 1;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, comm);
  return bad != 0;
}

//===--- What is found ----------------------------------------------------===//

// Each rank skips the steps that its own part says.
void skipped([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    bool bad = false;
    for (auto &p : params)
      bad |= !p.grad().isfinite().all().item<bool>();
    for (auto &p : params)
      reduce(pg, p.grad(), c10d::ReduceOp::SUM);
    if (!bad)
      // CHECK: [[#@LINE-1]]:9: error: from here on 'model.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      opt.step();
  }
}

[[spmd::type("dp: R")]] Tensor kept([[spmd::type("dp: P")]] Tensor g) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'kept' must be R on 'dp', but 'torch::isfinite(g)' is V{{.*}} [spmd-contract]
  return torch::isfinite(g);
}

// Which of two numbers is larger is not asked of parts.
void larger([[spmd::type("dp: P")]] float g, int *out) {
  // CHECK: [[#@LINE+1]]:12: error: 'g' is P on 'dp' and enters the non-linear 'compare'{{.*}} [spmd-partial-nonlinear]
  out[0] = g > 1000;
}
