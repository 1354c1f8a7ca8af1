// Of a module's parts, themselves made of several, the gradients of one are not
// reduced.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DFORGOTTEN 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
using torch::nn::Linear;
using torch::nn::Sequential;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

struct InnerImpl : torch::nn::Module {
  InnerImpl() : c(Linear(8, 4)), d(Linear(4, 4)) {
    register_module("c", c);
    register_module("d", d);
  }
  Tensor forward(Tensor x) { return d->forward(c->forward(x)); }
  Sequential c, d;
};
TORCH_MODULE(Inner);

struct NetImpl : torch::nn::Module {
  NetImpl() : a(Linear(8, 4)), drop(0.5) {
    register_module("a", a);
    register_module("b", b);
    register_module("drop", drop);
    register_module("relu", relu);
  }
  Tensor forward(Tensor x) {
    return drop(b->forward(relu->forward(a->forward(x))));
  }
  Sequential a;
  Inner b;
  torch::nn::Dropout drop;
  torch::nn::ReLU relu;
};
TORCH_MODULE(Net);

static void sum(DP PG pg, std::vector<Tensor> params) {
  for (auto &p : params) {
    std::vector<Tensor> one{p.grad()};
    pg->allreduce(one)->wait();
  }
}

void partsOfParts(DP PG pg, R Net net, V Tensor x) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  net(x).mean().backward();
  sum(pg, net->a->parameters());
#ifndef FORGOTTEN
  sum(pg, net->b->c->parameters());
#endif
  sum(pg, net->b->d->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
void parts(DP PG pg, R Net net, V Tensor x) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  net(x).mean().backward();
  sum(pg, net->a->parameters());
#ifndef FORGOTTEN
  sum(pg, net->b->parameters());
#endif
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
