// What a parameter passed by value is declared to be, it is when the function is
// entered; a gradient that is passed to backward makes of its tensor no loss.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>

#include <vector>

struct Axes {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::axis("dp")]] spmd::Axis dp;
};

[[spmd::type("tp: R")]] at::Tensor reduced([[spmd::type("tp: P")]] at::Tensor g,
                                           const Axes &on) {
  g = spmd::all_reduce(g, on.tp, spmd::P, spmd::R);
  return g;
}

void kept([[spmd::type("tp: P")]] at::Tensor &g, const Axes &on) {
  // CHECK: [[#@LINE+1]]:3: error: the value of 'g' must be P on 'tp', but this value is R
  g = spmd::all_reduce(g, on.tp, spmd::P, spmd::R);
}

void stage([[spmd::type("tp: V")]] at::Tensor out,
           [[spmd::type("tp: V")]] at::Tensor sent) {
  out.backward(sent);
  torch::autograd::backward({out}, {sent});
  // CHECK: [[#@LINE+1]]:3: error: {{.*}}[spmd-loss-type]
  out.backward();
}
void another([[spmd::type("tp: V")]] at::Tensor out) {
  // CHECK: [[#@LINE+1]]:3: error: {{.*}}[spmd-loss-type]
  out.backward({}, true);
}
void last([[spmd::type("tp: V")]] at::Tensor out) {
  // CHECK: [[#@LINE+1]]:3: error: {{.*}}[spmd-loss-type]
  torch::autograd::backward({out}, {});
}

// The gradients of a list are what the loops made of all of them.
void step([[spmd::type("dp: R")]] std::vector<at::Tensor> &ps, const Axes &on,
          double lr) {
  for (at::Tensor &p : ps)
    p.grad().copy_(spmd::all_reduce(p.grad(), on.dp, spmd::P, spmd::R));
  for (at::Tensor &p : ps)
    p.sub_(p.grad() * lr);
}
void forgot([[spmd::type("dp: R")]] std::vector<at::Tensor> &ps, double lr) {
  for (at::Tensor &p : ps)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}[spmd-partial-add]
    p.sub_(p.grad() * lr);
}
void early([[spmd::type("dp: R")]] std::vector<at::Tensor> &ps,
           [[spmd::type("dp: P")]] at::Tensor loss, const Axes &on, double lr) {
  for (at::Tensor &p : ps)
    p.grad().copy_(spmd::all_reduce(p.grad(), on.dp, spmd::P, spmd::R));
  loss.backward();
  for (at::Tensor &p : ps)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}[spmd-partial-add]
    p.sub_(p.grad() * lr);
}
