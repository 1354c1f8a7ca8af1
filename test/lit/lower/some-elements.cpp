// A loop that does something to some elements of a list only: the others are as
// they were.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>

struct Axes {
  [[spmd::axis("dp")]] spmd::Axis dp;
};
using List = std::vector<at::Tensor>;

void reduce(at::Tensor g, const Axes &on) {
  g.copy_(spmd::all_reduce(g, on.dp, spmd::P, spmd::R));
}

void firstHalf([[spmd::type("dp: R")]] List &ps, const Axes &on) {
  // CHECK: [[#@LINE+5]]:5: error: 'p' is R and is added to 'p.grad() * 0.1', which is P on 'dp'
  // CHECK: [[#@LINE+1]]:22: note: for the elements where 'i < ps.size() / 2' does not hold
  for (size_t i = 0; i < ps.size() / 2; ++i)
    reduce(ps[i].grad(), on);
  for (at::Tensor &p : ps)
    p.sub_(p.grad() * 0.1);
}
void everyOther([[spmd::type("dp: R")]] List &ps, const Axes &on) {
  for (size_t i = 0; i < ps.size(); ++i)
    // CHECK: [[#@LINE+4]]:28: error: 'p' is R and is added to 'p.grad() * 0.1', which is P on 'dp'
    // CHECK: [[#@LINE+1]]:9: note: for the elements where 'i % 2' is not 0
    if (i % 2 == 0)
      reduce(ps[i].grad(), on);
  for (at::Tensor &p : ps) p.sub_(p.grad() * 0.1);
}
void firstThree([[spmd::type("dp: R")]] List &ps, const Axes &on) {
  int k = 0;
  for (at::Tensor &p : ps) {
    // CHECK: [[#@LINE+5]]:28: error: 'p' is R and is added to 'p.grad() * 0.1', which is P on 'dp'
    // CHECK: [[#@LINE+1]]:9: note: for the elements where 'k++' is more than 2
    if (k++ >= 3) continue;
    reduce(p.grad(), on);
  }
  for (at::Tensor &p : ps) p.sub_(p.grad() * 0.1);
}

// Those that are left out have no gradient, or their turn comes.
void defined([[spmd::type("dp: R")]] List &ps, const Axes &on) {
  for (at::Tensor &p : ps) {
    if (!p.grad().defined())
      continue;
    reduce(p.grad(), on);
  }
  for (at::Tensor &p : ps)
    p.sub_(p.grad() * 0.1);
}
void butTheLast([[spmd::type("dp: R")]] List &ps, const Axes &on) {
  for (size_t i = 0; i < ps.size() - 1; ++i)
    reduce(ps[i].grad(), on);
  reduce(ps.back().grad(), on);
  for (at::Tensor &p : ps)
    p.sub_(p.grad() * 0.1);
}
// What is gathered of several is reduced at once.
void buckets([[spmd::type("dp: R")]] List &ps, const Axes &on) {
  List bucket;
  for (size_t i = 0; i < ps.size(); ++i) {
    bucket.push_back(ps[i].grad());
    if (i % 4 == 3) {
      for (at::Tensor &g : bucket)
        reduce(g, on);
      bucket.clear();
    }
  }
  for (at::Tensor &g : bucket)
    reduce(g, on);
  for (at::Tensor &p : ps)
    p.sub_(p.grad() * 0.1);
}

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr}, b{nullptr};
  at::Tensor forward(at::Tensor x) {
    return b->forward(torch::relu(a->forward(x)));
  }
};
void matricesOnly([[spmd::type("dp: R")]] Net &net,
                  [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  // CHECK: [[#@LINE+5]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  // CHECK: [[#@LINE+2]]:9: note: for the elements where 'p.dim()' is 1
  for (at::Tensor p : net.parameters())
    if (p.dim() != 1)
      reduce(p.grad(), on);
  opt.step();
}
void biasesToo([[spmd::type("dp: R")]] Net &net,
               [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor p : net.parameters()) {
    if (p.dim() == 1)
      continue;
    reduce(p.grad(), on);
  }
  for (at::Tensor p : net.parameters())
    if (p.dim() == 1)
      reduce(p.grad(), on);
  opt.step();
}
// What has no gradient needs no sum.
void thoseWithGradients([[spmd::type("dp: R")]] Net &net,
                        [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor p : net.parameters())
    if (p.grad().defined())
      reduce(p.grad(), on);
  opt.step();
}

void alsoFrozen([[spmd::type("dp: R")]] Net &net,
                [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor p : net.parameters()) {
    if (!p.requires_grad() || !p.grad().defined())
      continue;
    reduce(p.grad(), on);
  }
  opt.step();
}
void onlyThoseWithout([[spmd::type("dp: R")]] Net &net,
                      [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  // CHECK: [[#@LINE+5]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  // CHECK: [[#@LINE+2]]:9: note: for the elements where 'p.grad().defined()' holds
  for (at::Tensor p : net.parameters())
    if (!p.grad().defined())
      reduce(p.grad(), on);
  opt.step();
}
// Each part of a condition decides by itself.
void bothConditions([[spmd::type("dp: R")]] Net &net,
                    [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  // CHECK: [[#@LINE+5]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  // CHECK: [[#@LINE+2]]:9: note: for the elements where 'p.dim()' is at most 1
  for (at::Tensor p : net.parameters())
    if (p.dim() > 1 && p.grad().defined())
      reduce(p.grad(), on);
  opt.step();
}
void oneInTheOther([[spmd::type("dp: R")]] Net &net,
                   [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  // CHECK: [[#@LINE+8]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  // CHECK: [[#@LINE+3]]:11: note: for the elements where 'p.numel()' is at most 4096
  for (at::Tensor p : net.parameters())
    if (p.grad().defined()) {
      if (p.numel() > 4096)
        reduce(p.grad(), on);
      p.grad().div_(2);
    }
  opt.step();
}

// Of nothing there is no sum.
void butTheEmpty([[spmd::type("dp: R")]] Net &net,
                 [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor p : net.parameters()) {
    if (!p.grad().defined() || p.numel() == 0)
      continue;
    reduce(p.grad(), on);
  }
  opt.step();
}

// The parameters of one layer are not all.
void oneLayer([[spmd::type("dp: R")]] Net &net,
              [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor p : net.a->parameters())
    reduce(p.grad(), on);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void bothLayers([[spmd::type("dp: R")]] Net &net,
                [[spmd::type("dp: V")]] at::Tensor x, const Axes &on) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  for (at::Tensor p : net.a->parameters())
    reduce(p.grad(), on);
  for (at::Tensor p : net.b->parameters())
    reduce(p.grad(), on);
  opt.step();
}
