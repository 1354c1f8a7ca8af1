// How functions say that they are checked, and what own ops do to dims.
// RUN: %spmd-tidy --dump-ir %s -- %stubs 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

// CHECK-DAG: rule product({{.*}}) = "multilinear({{.*}})" shape "m k, k n -> m n"
// CHECK-DAG: rule activation({{.*}}) = "nonlinear({{.*}})" shape "elementwise"
[[spmd::op("m k, k n -> m n")]] Tensor product(const Tensor &a,
                                               const Tensor &b);
[[spmd::op("elementwise")]] Tensor activation(const Tensor &a);

// CHECK: func @{{[^)]*}}plain{{.*}}) {
Tensor plain([[spmd::type("tp: R")]] const Tensor &a, const Tensor &b) {
  return activation(product(a, b));
}
// CHECK: func @{{.*}}everywhere{{.*}}) global {
[[spmd::global]] void everywhere([[spmd::type("[B@tp, S]")]] const Tensor &a) {
}
// CHECK: func @{{.*}}some{{.*}}) global "tp" {
[[spmd::global("tp")]] void some([[spmd::type("tp: R")]] const Tensor &a) {}
// CHECK: func @{{.*}}but{{.*}}) global local "dp" {
[[spmd::global, spmd::local("dp")]] void
but([[spmd::type("tp: R")]] const Tensor &a) {}
// CHECK: func @{{.*}}here{{.*}}) local {
[[spmd::local]] void here([[spmd::type("tp: R")]] const Tensor &a) {}
// CHECK: func @{{.*}}region{{.*}}) -> "tp: P"{{.*}} local_map {
[[spmd::local_map]] [[spmd::type("tp: P")]] Tensor
region([[spmd::type("tp: P")]] const Tensor &a) {
  return a;
}
// CHECK: func @{{.*}}around{{.*}}) global {
[[spmd::global]] void around([[spmd::type("[B@tp, S]")]] const Tensor &a) {
  auto same = [](const Tensor &x) { return x; };
  auto own = [] [[spmd::local]] (const Tensor &x) { return x; };
  same(a);
  own(a);
}
// CHECK: func @{{.*}}around{{.*}}operator(){{.*}}) global {
// CHECK: func @{{.*}}around{{.*}}operator(){{.*}}) local {
