// Who has an object of a class that hooks gradients, trains what that reduces
// the gradients of, wherever it was made.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <memory>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
using torch::nn::Linear;
using torch::optim::SGD;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

// What it hooks adds up nothing.
struct Clipper {
  explicit Clipper(const std::vector<Tensor> &ps) {
    for (auto &p : ps)
      p.register_hook([](Tensor g) { return g.mul(0.5); });
  }
  int count = 0;
};
void clipped(Clipper &clipper, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  opt.step();
}
struct Counter {
  int count = 0;
};
void counted(Counter &counter, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

struct Reducer {
  DP PG pg;
  R std::vector<Tensor> params;
  Reducer(const std::vector<Tensor> &ps, PG g) : pg(g), params(ps) {
    for (auto &p : params)
      p.register_hook([this](Tensor g) {
        std::vector<Tensor> one{g.div(pg->getSize())};
        pg->allreduce(one)->wait();
        return one[0];
      });
  }
};
void reduced(Reducer &reducer, R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  opt.step();
}
struct Trainer {
  R Linear net;
  std::unique_ptr<Reducer> reducer;
  SGD opt;
  void step(V Tensor x) {
    opt.zero_grad();
    net(x).pow(2).mean().backward();
    opt.step();
  }
};

static void hook(std::vector<Tensor> ps, PG pg) {
  for (auto &p : ps)
    p.register_hook([pg](Tensor g) {
      std::vector<Tensor> one{g.div(pg->getSize())};
      pg->allreduce(one)->wait();
      return one[0];
    });
}
struct Wrapped {
  DP PG pg;
  R Linear net;
  Wrapped(Linear n, PG g) : pg(g), net(n) { hook(net->parameters(), pg); }
  Tensor forward(Tensor x) { return net(x); }
};
void wrapped(Wrapped &ddp, SGD &opt, V Tensor x) {
  opt.zero_grad();
  ddp.forward(x).pow(2).mean().backward();
  opt.step();
}

struct PostHook : torch::autograd::FunctionPostHook {
  PostHook(Tensor p, PG g) : param(p), pg(g) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list &outputs,
                                            const torch::autograd::variable_list &) override {
    std::vector<Tensor> one{param.grad()};
    pg->allreduce(one)->wait();
    param.grad().div_(pg->getSize());
    return outputs;
  }
  Tensor param;
  DP PG pg;
};
struct Accumulating {
  Accumulating(torch::nn::Sequential m, PG g) : net(m), pg(g) {
    for (auto &p : net->parameters()) {
      auto acc = torch::autograd::impl::grad_accumulator(p);
      acc->add_post_hook(std::make_unique<PostHook>(p, pg));
      accs.push_back(acc);
    }
  }
  Tensor forward(Tensor x) { return net->forward(x); }
  R torch::nn::Sequential net;
  DP PG pg;
  std::vector<std::shared_ptr<torch::autograd::Node>> accs;
};
void accumulated(Accumulating &ddp, SGD &opt, V Tensor x) {
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    ddp.forward(x).pow(2).mean().backward();
    opt.step();
  }
}
