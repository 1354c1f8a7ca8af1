// A model that is declared to differ between ranks is trained by each rank by
// itself, whoever made its optimizer and whatever it begins with.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DGIVEN %stubs 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GIVEN --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
using torch::nn::Linear;
using torch::optim::SGD;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

#ifdef GIVEN
// Weights of its own that are made the same are trained as replicas.
void averaged(DP PG pg, V Tensor x) {
  V Tensor w = torch::randn({4, 4});
  std::vector<Tensor> one{w};
  pg->allreduce(one)->wait();
  w.div_(pg->getSize());
  SGD opt({w}, 0.05);
  // GIVEN: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  torch::matmul(x, w).pow(2).mean().backward();
  opt.step();
}
void sent(DP PG pg, V Tensor x) {
  V Linear net(4, 4);
  for (auto &p : net->parameters()) {
    std::vector<Tensor> one{p};
    pg->broadcast(one)->wait();
  }
  SGD opt(net->parameters(), 0.05);
  // GIVEN: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  opt.step();
}
void replicas(R Linear &net, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // GIVEN: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp', but 'net(x).pow(2).mean()' is V
  net(x).pow(2).mean().backward();
  opt.step();
}
void replicasBeside(R Linear &net, V Linear &own, SGD &opt, V Tensor x) {
  opt.zero_grad();
  // GIVEN: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(own(x)).pow(2).mean().backward();
  opt.step();
}
#else
void copied(R Tensor w, R Tensor other, V Tensor x) {
  other.data().copy_(w);
  SGD opt({other}, 0.05);
  torch::matmul(x, other).pow(2).mean().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
#endif

//===--- Right ------------------------------------------------------------===//

void ensemble(V Linear &net, torch::optim::Adam &opt, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  opt.step();
}
struct Member {
  V Linear net;
  SGD opt;
  void step(V Tensor x) {
    opt.zero_grad();
    net(x).pow(2).mean().backward();
    opt.step();
  }
};
void trial(R Linear &net, V Tensor x, double rate) {
  V Linear copy(4, 4);
  auto from = net->parameters(), to = copy->parameters();
  {
    torch::NoGradGuard g;
    for (size_t i = 0; i < from.size(); ++i)
      to[i].copy_(from[i]);
  }
  SGD opt(copy->parameters(), rate);
  opt.zero_grad();
  copy(x).pow(2).mean().backward();
  opt.step();
}
void tune(R Tensor w, V Tensor local, V Tensor x) {
  local.data().copy_(w);
  SGD opt({local}, 0.05);
  torch::matmul(x, local).pow(2).mean().backward();
  opt.step();
}
void localSteps(DP PG pg, R std::vector<Tensor> &global, V Linear &local, V Tensor x) {
  auto ps = local->parameters();
  for (size_t i = 0; i < ps.size(); ++i)
    ps[i].data().copy_(global[i]);
  SGD opt(ps, 0.05);
  for (int e = 0; e < 5; ++e) {
    opt.zero_grad();
    local(x).pow(2).mean().backward();
    opt.step();
  }
  for (size_t i = 0; i < ps.size(); ++i) {
    std::vector<Tensor> one{ps[i].detach().clone()};
    pg->allreduce(one)->wait();
    global[i].data().copy_(one[0] / pg->getSize());
  }
}
static void copy(Linear &to, const std::vector<Tensor> &from) {
  auto ps = to->parameters();
  for (size_t i = 0; i < ps.size(); ++i)
    ps[i].data().copy_(from[i]);
}
void copiedElsewhere(R std::vector<Tensor> &global, V Linear &local, V Tensor x) {
  copy(local, global);
  SGD opt(local->parameters(), 0.05);
  opt.zero_grad();
  local(x).pow(2).mean().backward();
  opt.step();
}
void fromOne(DP PG pg, V Linear &local, V Tensor x) {
  for (auto &p : local->parameters()) {
    std::vector<Tensor> one{p};
    pg->broadcast(one)->wait();
  }
  SGD opt(local->parameters(), 0.05);
  opt.zero_grad();
  local(x).pow(2).mean().backward();
  opt.step();
}
