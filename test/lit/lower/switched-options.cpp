// What a guard switches off and on in an object of its caller is no option of
// the whole run: the call behind the guard is on another way than that under
// it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

struct Sync {
  bool enabled = true;
};
class NoSync {
public:
  explicit NoSync(Sync &sync) : sync_(sync), before_(sync.enabled) {
    sync_.enabled = false;
  }
  ~NoSync() { sync_.enabled = before_; }

private:
  Sync &sync_;
  bool before_;
};
static bool averaging = true;
struct Quiet {
  Quiet() { averaging = false; }
  ~Quiet() { averaging = true; }
};

void average(torch::nn::Linear &net, c10d::ProcessGroup &group) {
  for (auto &p : net->parameters()) {
    std::vector<Tensor> list = {p.grad()};
    group.allreduce(list)->wait();
    p.grad().div_(group.getSize());
  }
}
void backward(Tensor loss, torch::nn::Linear &net, c10d::ProcessGroup &group,
              const Sync &sync) {
  loss.backward();
  if (sync.enabled)
    average(net, group);
}
void backwardGlobal(Tensor loss, torch::nn::Linear &net,
                    c10d::ProcessGroup &group) {
  loss.backward();
  if (averaging)
    average(net, group);
}

void accumulate([[spmd::type("dp: R")]] torch::nn::Linear &net,
                [[spmd::axis("dp")]] c10d::ProcessGroup &group,
                [[spmd::type("dp: V")]] Tensor x, int n) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Sync sync;
  for (int i = 0; i < n; ++i) {
    Tensor loss = net->forward(x).sum();
    if (i % 4) {
      NoSync guard(sync);
      backward(loss, net, group, sync);
      continue;
    }
    backward(loss, net, group, sync);
    optimizer.step();
    optimizer.zero_grad();
  }
}
void accumulateGlobal([[spmd::type("dp: R")]] torch::nn::Linear &net,
                      [[spmd::axis("dp")]] c10d::ProcessGroup &group,
                      [[spmd::type("dp: V")]] Tensor x, int n) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < n; ++i) {
    Tensor loss = net->forward(x).sum();
    if (i % 4) {
      Quiet guard;
      backwardGlobal(loss, net, group);
      continue;
    }
    backwardGlobal(loss, net, group);
    optimizer.step();
    optimizer.zero_grad();
  }
}
// Nobody switches this one.
void option([[spmd::type("dp: R")]] torch::nn::Linear &net,
            [[spmd::axis("dp")]] c10d::ProcessGroup &group,
            [[spmd::type("dp: V")]] Tensor x, const Sync &sync) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  backward(net->forward(x).sum(), net, group, sync);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
}
