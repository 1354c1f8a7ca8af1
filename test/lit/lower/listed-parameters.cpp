// A member that the constructors fill with the parameters of another member is
// a name of their list in all other methods.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// The loop takes those that are learnt.
struct Filled {
  Filled(torch::nn::Linear net, Group group) : net(net), group(group), optimizer(net->parameters(), 0.1) {
    for (auto &p : net->parameters())
      if (p.requires_grad())
        list.push_back(p);
  }
  void right(Tensor loss) {
    loss.backward();
    for (auto &p : list) {
      std::vector<Tensor> one = {p.grad()};
      group->allreduce(one)->wait();
    }
    optimizer.step();
  }
  void half(Tensor loss) {
    loss.backward();
    for (std::size_t i = 0; i < list.size() / 2; ++i) {
      std::vector<Tensor> one = {list[i].grad()};
      group->allreduce(one)->wait();
    }
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
  }
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  [[spmd::axis("dp")]] Group group;
  torch::optim::SGD optimizer;
  std::vector<Tensor> list;
};

/// The list is taken as it is.
struct Copied {
  Copied(torch::nn::Linear model, Group group) : net(model), group(group), list(net->parameters()), optimizer(model->parameters(), 0.1) {}
  void early(Tensor loss) {
    loss.backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
    for (auto &p : list) {
      std::vector<Tensor> one = {p.grad()};
      group->allreduce(one)->wait();
    }
  }
  void right(Tensor loss) {
    loss.backward();
    for (auto &p : list) {
      std::vector<Tensor> one = {p.grad()};
      group->allreduce(one)->wait();
    }
    optimizer.step();
  }
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  [[spmd::axis("dp")]] Group group;
  std::vector<Tensor> list;
  torch::optim::SGD optimizer;
};

/// Another method puts more into it: what is in it, nobody knows.
struct Growing {
  Growing(torch::nn::Linear net, Group group) : net(net), group(group), optimizer(net->parameters(), 0.1) {
    for (auto &p : net->parameters())
      list.push_back(p);
  }
  void add(Tensor other) { list.push_back(other); }
  void reduce(Tensor loss) {
    loss.backward();
    for (auto &p : list) {
      std::vector<Tensor> one = {p.grad()};
      group->allreduce(one)->wait();
    }
    optimizer.step();
  }
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  [[spmd::axis("dp")]] Group group;
  torch::optim::SGD optimizer;
  std::vector<Tensor> list;
};
