// A layer in a loop over a list of them is one of the list, of which there is
// an annotation: what meets its parameters is checked.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

using at::Tensor;
[[spmd::axis("dp")]] extern MPI_Comm comm;

struct List : torch::nn::Module {
  [[spmd::type("dp: I")]] std::vector<torch::nn::Linear> layers;
  Tensor forward([[spmd::type("dp: V")]] Tensor x) {
    for (auto &layer : layers)
      // CHECK: [[#@LINE+1]]:11: error: 'layer.weight' is I on 'dp' and meets 'x', which is V
      x = layer(x);
    return x;
  }
  Tensor numbered([[spmd::type("dp: V")]] Tensor x) {
    for (int i = 0; i < 3; i++)
      // CHECK: [[#@LINE+1]]:11: error: 'weight' is I on 'dp' and meets 'x', which is V
      x = layers[i]->forward(x);
    return x;
  }
};
struct Modules : torch::nn::Module {
  [[spmd::type("dp: I")]] torch::nn::ModuleList layers;
  Tensor forward([[spmd::type("dp: V")]] Tensor x) {
    for (auto &layer : *layers)
      // CHECK: [[#@LINE+1]]:11: error: 'layer.weight' is I on 'dp' and meets 'x', which is V
      x = layer->as<torch::nn::LinearImpl>()->forward(x);
    return x;
  }
  Tensor right([[spmd::type("dp: I")]] Tensor x) {
    for (auto &layer : *layers)
      x = layer->as<torch::nn::LinearImpl>()->forward(x);
    return x;
  }
};
struct Net : torch::nn::Module {
  [[spmd::type("dp: R")]] std::vector<torch::nn::Linear> layers;
  Tensor forward(Tensor x) {
    for (auto layer : layers)
      x = layer(x);
    return x;
  }
};
static void reduce(Tensor g) {
  MPI_Allreduce(MPI_IN_PLACE, g.data_ptr(), (int)g.numel(), MPI_FLOAT, MPI_SUM, comm);
}
void right(Net &net, [[spmd::type("dp: V")]] Tensor x) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  for (int i = 0; i < 9; ++i) {
    net.forward(x).sum().backward();
    for (auto &layer : net.layers)
      for (Tensor &p : layer->parameters())
        reduce(p.grad());
    opt.step();
  }
}
