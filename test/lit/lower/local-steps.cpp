// A model that each rank trains by itself between averages is V, not R: the
// finding points to the average. Declared V it is silent.
// RUN: not %spmd-tidy --quiet %s -- -DTYPE='"dp: R"' %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DTYPE='"dp: V"' %stubs 2>&1 | count 0

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using at::Tensor;
struct Trainer {
  Trainer(c10::intrusive_ptr<c10d::ProcessGroup> g) : group(g), opt(net->parameters(), 0.1) {}
  void average() {
    torch::NoGradGuard guard;
    for (auto &p : net->parameters()) {
      std::vector<Tensor> one{p.data()};
      group->allreduce(one)->wait();
      p.data().div_(group->getSize());
    }
  }
  void step([[spmd::type("dp: V")]] Tensor x) {
    opt.zero_grad();
    net->forward(x).sum().backward();
    // CHECK: [[#@LINE+2]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    // CHECK: [[#@LINE-8]]:7: note: parameters are added up here: what each rank trains by itself in between is V on 'dp', and so declared
    opt.step();
    if (++steps % every == 0)
      average();
  }
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> group;
  [[spmd::type(TYPE)]] torch::nn::Linear net{8, 8};
  torch::optim::SGD opt;
  int every = 8, steps = 0;
};
