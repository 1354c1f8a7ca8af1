// One function hooks the gradients of a model, and another one trains it.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DFORGOTTEN 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

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

static Tensor averaged(Tensor g, DP PG pg) {
  std::vector<Tensor> all = {g / pg->getSize()};
  pg->allreduce(all)->wait();
  return all[0];
}
static void hookAll(torch::nn::Module &m, DP PG pg) {
#ifndef FORGOTTEN
  for (auto &p : m.parameters())
    p.register_hook([pg](Tensor g) { return averaged(g, pg); });
#endif
}

static void epoch(R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
// By way of another one.
static void epochs(R Linear &net, SGD &opt, V Tensor x) {
  for (int i = 0; i < 4; ++i)
    epoch(net, opt, x);
}
void byFunction(DP PG pg, V Tensor x) {
  R Linear net(4, 4);
  SGD opt(net->parameters(), 0.1);
  hookAll(*net, pg);
  epochs(net, opt, x);
}

struct Averager {
  Averager(torch::nn::Module &m, DP PG pg) { hookAll(m, pg); }
};
static void step(R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
void byObject(DP PG pg, V Tensor x) {
  R Linear net(4, 4);
  SGD opt(net->parameters(), 0.1);
  const auto averager = std::make_unique<Averager>(*net, pg);
  step(net, opt, x);
}

static void ownStep(R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
void byItself(DP PG pg, V Tensor x) {
  R Linear net(4, 4);
  SGD opt(net->parameters(), 0.1);
#ifndef FORGOTTEN
  for (auto &p : net->parameters())
    p.register_hook([pg](Tensor g) { return averaged(g, pg); });
#endif
  ownStep(net, opt, x);
}

class Trainer {
public:
  Trainer(DP PG pg) : opt(net->parameters(), 0.1) { hookAll(*net, pg); }
  void step(V Tensor x) {
    opt.zero_grad();
    net(x).pow(2).mean().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp'
    opt.step();
  }

private:
  R Linear net{4, 4};
  SGD opt;
};
