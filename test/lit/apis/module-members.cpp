// What the members of a module say of all its parameters alike, its list of
// parameters is: a step reads gradients that are pending, or is not taken by all.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;

struct ScaleImpl : torch::nn::Module {
  [[spmd::type("dp: R")]] at::Tensor factor;
  at::Tensor forward(at::Tensor x) { return x * factor; }
};
TORCH_MODULE(Scale);

struct Net : torch::nn::Module {
  [[spmd::type("dp: R")]] torch::nn::Linear layer{nullptr};
  torch::nn::Dropout drop{nullptr};
  Scale scale{nullptr};
  at::Tensor forward(at::Tensor x) { return scale(drop(layer(x))); }
};
// One parameter is not described: of that nothing is said.
struct Partly : torch::nn::Module {
  [[spmd::type("dp: R")]] torch::nn::Linear layer{nullptr};
  torch::nn::Linear other{nullptr};
  at::Tensor forward(at::Tensor x) { return other(layer(x)); }
};

static void reduce(at::Tensor g) {
  MPI_Allreduce(MPI_IN_PLACE, g.data_ptr(), (int)g.numel(), MPI_FLOAT, MPI_SUM,
                comm);
}

void right(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    net.forward(x).sum().backward();
    for (at::Tensor &p : net.parameters())
      reduce(p.grad());
    opt.step();
  }
}
void forgotten(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up
  opt.step();
}
void divided(Net &net, [[spmd::type("dp: V")]] at::Tensor x, int size) {
  MPI_Comm_size(comm, &size);
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor &p : net.parameters())
    p.grad().div_(size);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part
  opt.step();
}
// A step before the reduction is found in a loop, too, that has a right one.
void twice(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    net.forward(x).sum().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp'
    opt.step();
    for (at::Tensor &p : net.parameters())
      reduce(p.grad());
    opt.step();
  }
}
void skipped(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  at::Tensor loss = net.forward(x).sum();
  loss.backward();
  for (at::Tensor &p : net.parameters())
    reduce(p.grad());
  if (loss.item<float>() < 9)
    // CHECK: [[#@LINE-1]]:7: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again
    opt.step();
}
void partly(Partly &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  reduce(net.layer->weight.grad());
  // The bias of that layer.
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
void oneByOne(Net &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  reduce(net.layer->weight.grad());
  reduce(net.layer->bias.grad());
  reduce(net.scale->factor.grad());
  opt.step();
}
void partlyRight(Partly &net, [[spmd::type("dp: V")]] at::Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  reduce(net.layer->weight.grad());
  reduce(net.layer->bias.grad());
  opt.step();
}
