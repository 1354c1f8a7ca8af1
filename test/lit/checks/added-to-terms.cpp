// What out_partial makes of a product with a bias has the bias once per rank.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=all_reduce
// RUN: cp %s %t.cpp && %spmd-tidy --fix %t.cpp -- %stubs || true
// RUN: %spmd-tidy %t.cpp -- %stubs

#include <spmd/torch.h>

struct Row {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(1)")]] at::Tensor weight;
  [[spmd::type("tp: R")]] at::Tensor bias;
  [[spmd::type("tp: V")]] at::Tensor own;

  at::Tensor wrong([[spmd::type("tp: V")]] const at::Tensor &x) {
    // CHECK: [[#@LINE+2]]:{{[0-9]+}}: error: 'bias' is R and is added to 'at::linear(x, weight, bias)', which is P on 'tp', in 'linear': the pending sum would count it once per rank [spmd-partial-add]
    // CHECK: note: fix: take 'bias' through convert from R to P on 'tp'
    return spmd::out_partial(at::linear(x, weight, bias), tp);
  }
  at::Tensor right([[spmd::type("tp: V")]] const at::Tensor &x) {
    return spmd::out_partial(at::linear(x, weight), tp) +
           spmd::convert(bias, tp, spmd::R, spmd::P);
  }
  at::Tensor ofOneRank([[spmd::type("tp: V")]] const at::Tensor &x) {
    return spmd::out_partial(at::linear(x, weight, own), tp);
  }
  at::Tensor columns([[spmd::type("tp: V")]] const at::Tensor &x) {
    return at::linear(x, weight, bias);
  }
};
