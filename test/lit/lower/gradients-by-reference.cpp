// A function that is handed the gradient by reference may set it.
// RUN: not %spmd-tidy %s -- %stubs %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <spmd/torch.h>
#include <torch/torch.h>

static void reduce(at::Tensor &g, [[spmd::axis("dp")]] spmd::Axis dp) { g = spmd::all_reduce(g, dp, spmd::P, spmd::R); }
static void halve(at::Tensor &g) { g = g * 0.5; }

void reduced([[spmd::axis("dp")]] spmd::Axis dp, [[spmd::type("dp: R")]] at::Tensor w, [[spmd::type("dp: V")]] const at::Tensor &x) {
  (at::matmul(x, w).pow(2).mean() / dp.size()).backward();
  reduce(w.mutable_grad(), dp);
  at::NoGradGuard guard;
  w.sub_(w.grad() * 0.1);
}
void reducedByLambda([[spmd::axis("dp")]] spmd::Axis dp, [[spmd::type("dp: R")]] std::vector<at::Tensor> &ps, [[spmd::type("dp: V")]] const at::Tensor &x) {
  (at::matmul(x, ps[0]).pow(2).mean() / dp.size()).backward();
  auto sum = [&](at::Tensor &g) { g = spmd::all_reduce(g, dp, spmd::P, spmd::R); };
  for (auto &p : ps)
    sum(p.mutable_grad());
  at::NoGradGuard guard;
  for (auto &p : ps)
    p.sub_(p.grad() * 0.1);
}
void halved([[spmd::axis("dp")]] spmd::Axis dp, [[spmd::type("dp: R")]] at::Tensor w, [[spmd::type("dp: V")]] const at::Tensor &x) {
  (at::matmul(x, w).pow(2).mean() / dp.size()).backward();
  halve(w.mutable_grad());
  at::NoGradGuard guard;
  // CHECK: [[@LINE+1]]:3: error: 'w' is R and is added to 'w.grad() * 0.1', which is P on 'dp', in 'sub'
  w.sub_(w.grad() * 0.1);
}
void twice([[spmd::axis("dp")]] spmd::Axis dp, [[spmd::type("dp: R")]] at::Tensor w, [[spmd::type("dp: V")]] const at::Tensor &x) {
  (at::matmul(x, w).pow(2).mean() / dp.size()).backward();
  w.mutable_grad() = spmd::all_reduce(w.grad(), dp, spmd::P, spmd::R);
  // CHECK: [[@LINE+1]]:22: error: all_reduce on 'dp' takes P, but 'w.grad()' is R
  w.mutable_grad() = spmd::all_reduce(w.grad(), dp, spmd::P, spmd::R);
  at::NoGradGuard guard;
  w.sub_(w.grad() * 0.1);
}
