// A module that a function makes, trains and keeps to itself holds at last what
// it holds, whoever calls the function.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>
#include <vector>

[[spmd::axis("dp")]] extern MPI_Comm comm;

static void reduce(torch::nn::Module &net) {
  for (at::Tensor &p : net.parameters())
    MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), (int)p.grad().numel(), MPI_FLOAT, MPI_SUM, comm);
}

void trained([[spmd::type("dp: V")]] at::Tensor x, int steps) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < steps; ++i) {
    net->forward(x).sum().backward();
    reduce(*net);
    opt.step();
  }
}
void ownSteps([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] double rate) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  net->forward(x).sum().backward();
  reduce(*net);
  for (at::Tensor &p : net->parameters())
    // CHECK: [[#@LINE+1]]:5: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    p.data().sub_(p.grad() * rate);
}
// Others may make it whole.
torch::nn::Linear handedOn([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] double rate) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  net->forward(x).sum().backward();
  reduce(*net);
  for (at::Tensor &p : net->parameters())
    p.data().sub_(p.grad() * rate);
  return net;
}
void average(torch::nn::Linear net);
void givenAway([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] double rate) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  net->forward(x).sum().backward();
  reduce(*net);
  for (at::Tensor &p : net->parameters())
    p.data().sub_(p.grad() * rate);
  average(net);
}
static std::vector<torch::nn::Linear> all;
void kept([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] double rate) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  all.push_back(net);
  net->forward(x).sum().backward();
  reduce(*net);
  for (at::Tensor &p : net->parameters())
    p.data().sub_(p.grad() * rate);
}
int main() {
  int rank;
  MPI_Comm_rank(comm, &rank);
  at::Tensor x = torch::randn({4, 8});
  trained(x, 3);
  ownSteps(x, 0.1 * rank);
  givenAway(x, 0.1 * rank);
  kept(x, 0.1 * rank);
  torch::nn::Linear net = handedOn(x, 0.1 * rank);
  average(net);
}
