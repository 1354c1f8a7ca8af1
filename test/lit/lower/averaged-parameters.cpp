// Replicas that are summed and divided by the number of ranks are the same
// again: trainers average their parameters so before the first step.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

void divided([[spmd::type("dp: R -> dp: R")]] float *w, int n,
             [[spmd::axis("dp")]] MPI_Comm dp) {
  int size;
  MPI_Comm_size(dp, &size);
  MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; ++i)
    w[i] /= size;
}
void scaled([[spmd::type("dp: R -> dp: R")]] float *w, int n,
            [[spmd::axis("dp")]] MPI_Comm dp) {
  int size;
  MPI_Comm_size(dp, &size);
  MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; ++i)
    w[i] *= 1.0f / size;
}
void list([[spmd::axis("dp")]] c10d::ProcessGroup &dp) {
  [[spmd::type("dp: R")]] auto model = torch::nn::Linear(4, 4);
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> t{p.data()};
    dp.allreduce(t)->wait();
    p.data().div_(dp.getSize());
  }
}
void summed([[spmd::axis("dp")]] c10d::ProcessGroup &dp) {
  [[spmd::type("dp: R")]] auto model = torch::nn::Linear(4, 4);
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> t{p.data()};
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 't' is R
    dp.allreduce(t)->wait();
  }
}
void byAnother([[spmd::type("dp: R -> dp: R")]] float *w, int n, int batch,
               [[spmd::axis("dp")]] MPI_Comm dp) {
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'w' is R
  MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; ++i)
    w[i] /= batch;
}
void twice([[spmd::type("dp: V -> dp: R")]] float *g, int n,
           [[spmd::axis("dp")]] MPI_Comm dp) {
  int size;
  MPI_Comm_size(dp, &size);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'g' is R
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; ++i)
    g[i] /= size;
}
// A helper that sums is no other.
static void sum(at::Tensor t, c10d::ProcessGroup &dp) {
  std::vector<at::Tensor> one{t};
  dp.allreduce(one)->wait();
}
void byHelper([[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x) {
  [[spmd::type("dp: R")]] auto model = torch::nn::Linear(4, 4);
  for (auto &p : model->parameters()) {
    sum(p.data(), dp);
    p.data().div_(dp.getSize());
  }
  sum(x, dp);
  x.div_(dp.getSize());
}
static void add(at::Tensor t, c10d::ProcessGroup &dp) {
  std::vector<at::Tensor> one{t};
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'one' is R or I
  dp.allreduce(one)->wait();
}
void twiceByHelper([[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x) {
  add(x, dp);
  // CHECK: [[#@LINE+1]]:3: note: with the types of this call in 'twiceByHelper'
  add(x, dp);
  x.div_(dp.getSize());
}
// Parameters that were sent round, and then changed, are averaged.
void everyTen([[spmd::axis("dp")]] c10d::ProcessGroup &dp, int steps) {
  auto model = torch::nn::Linear(4, 4);
  torch::optim::SGD opt(model->parameters(), 0.1);
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> one{p.data()};
    dp.broadcast(one)->wait();
  }
  for (int i = 0; i < steps; ++i) {
    model(at::rand({4})).sum().backward();
    opt.step();
    if (i % 10 == 9)
      for (auto &p : model->parameters()) {
        sum(p.data(), dp);
        p.data().div_(dp.getSize());
      }
  }
}
// The sum and the division may be in two loops, or behind each other.
void inTwoLoops([[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: R")]] torch::nn::Linear model) {
  std::vector<at::Tensor> all = model->parameters();
  for (auto &p : all) {
    std::vector<at::Tensor> t{p.data()};
    dp.allreduce(t)->wait();
  }
  for (auto &p : all)
    p.data().div_(dp.getSize());
}
void one([[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: R")]] at::Tensor w) {
  std::vector<at::Tensor> t{w};
  dp.allreduce(t)->wait();
  w.div_(dp.getSize());
}
void inTwoLoopsByAnother([[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: R")]] torch::nn::Linear model, int batch) {
  std::vector<at::Tensor> all = model->parameters();
  for (auto &p : all) {
    std::vector<at::Tensor> t{p.data()};
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 't' is R
    dp.allreduce(t)->wait();
  }
  for (auto &p : all)
    p.data().div_(batch);
}
