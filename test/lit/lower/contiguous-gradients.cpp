// A gradient is contiguous: what is asked for one that is, or for one of another
// shape, is the gradient itself, and what is summed there is summed.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

using torch::Tensor;

[[spmd::axis("dp")]] extern MPI_Comm comm;
[[spmd::type("dp: V")]] Tensor next();

static void allReduce(Tensor t) {
  t = t.contiguous();
  MPI_Allreduce(MPI_IN_PLACE, t.data_ptr(), (int)t.numel(), MPI_FLOAT, MPI_SUM, comm);
}
static void sumFlat(Tensor t) {
  Tensor flat = t.reshape({-1});
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'flat' is R or I
  MPI_Allreduce(MPI_IN_PLACE, flat.data_ptr(), (int)flat.numel(), MPI_FLOAT, MPI_SUM, comm);
}

void right([[spmd::type("dp: R")]] torch::nn::Linear model) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  model(next()).sum().backward();
  for (auto &p : model->parameters())
    allReduce(p.grad());
  opt.step();
}
void twice([[spmd::type("dp: R")]] torch::nn::Linear model) {
  torch::optim::SGD opt(model->parameters(), 0.1);
  model(next()).sum().backward();
  for (auto &p : model->parameters()) {
    sumFlat(p.grad());
    // CHECK: [[#@LINE+1]]:5: note: with the types of this call in 'twice'
    sumFlat(p.grad());
  }
  opt.step();
}
// Of another tensor it may be a copy.
void copied([[spmd::type("dp: V")]] Tensor x) {
  allReduce(x.t());
  allReduce(x.t());
}
