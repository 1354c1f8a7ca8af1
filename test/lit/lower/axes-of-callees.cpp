// A communicator that only the parameter of a callee says the axis of is that
// in the callee, whoever calls.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>
using at::Tensor;

void sum(torch::nn::Linear &net, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (auto &p : net->parameters())
    MPI_Allreduce(MPI_IN_PLACE, p.grad().data_ptr(), 4, MPI_FLOAT, MPI_SUM,
                  comm);
}
void step([[spmd::type("dp: R")]] torch::nn::Linear &net,
          [[spmd::axis("dp")]] MPI_Comm comm,
          [[spmd::type("dp: V")]] Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  sum(net, comm);
  optimizer.step();
}
void stepTwice([[spmd::type("dp: R")]] torch::nn::Linear &net,
               [[spmd::axis("dp")]] MPI_Comm comm,
               [[spmd::type("dp: V")]] Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  optimizer.zero_grad();
  net->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
  sum(net, comm);
}
void unnamed(torch::nn::Linear &net, MPI_Comm comm, Tensor x) {
  step(net, comm, x);
  stepTwice(net, comm, x);
}
int main() {
  torch::nn::Linear net(4, 4);
  step(net, MPI_COMM_WORLD, at::ones({4}));
}

struct Group {
  [[spmd::axis("dp")]] MPI_Comm comm;
};
void use([[spmd::type("dp: R")]] const float *x);
void reduce(float *x, Group &g) {
  MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_FLOAT, MPI_SUM, g.comm);
}
void ofMember([[spmd::type("dp: V")]] float *x, Group &g) {
  reduce(x, g);
  use(x);
}
