// The mean of the parameters, which all ranks have alike, in place of that of
// their gradients.
// RUN: %spmd-tidy --quiet %s -- %stubs -DGRADIENTS 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %stubs -DDATA 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %stubs -DSHARES 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using at::Tensor;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

void train(DP c10::intrusive_ptr<c10d::ProcessGroup> pg,
           R torch::nn::Linear net, V Tensor x) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  net(x).mean().backward();
  for (auto &p : net->parameters()) {
#if defined(GRADIENTS)
    std::vector<Tensor> all{p.grad()};
    pg->allreduce(all)->wait();
    p.grad().div_(pg->getSize());
#elif defined(DATA)
    std::vector<Tensor> all{p.data()};
    pg->allreduce(all)->wait();
    p.data().div_(pg->getSize());
#elif defined(SHARES)
    p.data().div_(pg->getSize());
    std::vector<Tensor> all{p.data()};
    pg->allreduce(all)->wait();
#else
    std::vector<Tensor> all{p};
    pg->allreduce(all)->wait();
    p.div_(pg->getSize());
#endif
  }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
}
