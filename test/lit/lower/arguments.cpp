// What calls of ops pass besides tensors.
// RUN: %spmd-tidy --dump-ir %s -- %stubs 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;
namespace F = torch::nn::functional;

struct Config {
  int64_t heads;
  int64_t hidden;
};

// CHECK-LABEL: func @{{.*}}constants
Tensor constants([[spmd::type("tp: R")]] Tensor x, const Tensor &w) {
  // CHECK: op flatten(self=%x.0{{[^[]*}}) [start_dim=2, end_dim=-1]
  x.flatten(2);
  // CHECK: op transpose({{[^[]*}}) [dim0=1, dim1=2]
  x.transpose(1, 2);
  // CHECK: op softmax({{[^[]*}}) [dim=-1]
  torch::softmax(x, -1);
  // CHECK: op sum({{[^[]*}}) [dim={0, 1}, keepdim=true]
  x.sum({0, 1}, /*keepdim=*/true);
  // CHECK: op sum({{[^[]*}}) [dim={-1}, keepdim=false]
  x.sum(-1);
  // CHECK: op sum(self={{[^[]*}}) @
  x.sum();
  // CHECK: op einsum({{[^[]*}}) [equation="bsh,hd->bsd", path=none]
  torch::einsum("bsh,hd->bsd", {x, w});
  // CHECK: op cat({{[^[]*}}) [dim=1]
  torch::cat({x, w}, 1);
  // CHECK: op chunk({{[^[]*}}) [chunks=3, dim=-1]
  x.chunk(3, -1);
  // CHECK: op select({{[^[]*}}) [dim=0, index=1]
  x.select(0, 1);
  // CHECK: op select({{[^[]*}}) [dim=0, index=0]
  x[0];
  // CHECK: op slice({{[^[]*}}) [dim=1, start=0, end=none, step=1]
  x.slice(1, 0);
  // CHECK: op argmax({{[^[]*}}) [dim=none, keepdim=false]
  x.argmax();
  // CHECK: op amax({{[^[]*}}) [dim={}, keepdim=false]
  x.amax();
  constexpr int Last = -1;
  const std::string Equation = "ij,jk->ik";
  std::vector<int64_t> Order = {0, 2, 1};
  // CHECK: op cumsum({{[^[]*}}) [dim=-1]
  x.cumsum(Last);
  // CHECK: op einsum({{[^[]*}}) [equation="ij,jk->ik", path=none]
  torch::einsum(Equation, {x, w});
  // CHECK: op permute({{[^[]*}}) [dims={0, 2, 1}]
  x.permute(Order);
  // CHECK: op gelu({{[^[]*}}) [approximate="none"]
  torch::gelu(x);
  // CHECK: op squeeze({{[^[]*}}) [dim={1, 2}]
  x.squeeze({1, 2});
  // CHECK: op scaled_dot_product_attention({{[^[]*}}) [is_causal=true]
  torch::scaled_dot_product_attention(x, x, x, {}, 0.0, true);
  return x;
}

// CHECK-LABEL: func @{{.*}}sizes
Tensor sizes([[spmd::type("tp: R")]] const Tensor &x, int64_t n_head,
             const Config &cfg, int changing) {
  auto B = x.size(0);
  auto T = x.sizes()[1];
  const int64_t C = x.size(-1);
  int64_t hd = C / n_head;
  // CHECK: op view({{[^[]*}}) [size={%x.0[0], %x.0[1], -1}]
  x.view({B, T, -1});
  // CHECK: op view({{[^[]*}}) [size={%x.0[0]*%x.0[1], n_head, %x.0[-1]/n_head}]
  x.view({B * T, n_head, hd});
  // CHECK: op reshape({{[^[]*}}) [shape={2, cfg.heads, cfg.hidden/cfg.heads, %x.0[-1]/2}]
  x.reshape({2, cfg.heads, cfg.hidden / cfg.heads, x.size(2 - 3) / 2});
  changing += 1;
  // CHECK: op view({{[^[]*}}) [size={?, ?, 8}]
  x.view({changing, x.numel(), 2 * 4});
  // CHECK: op narrow({{[^[]*}}) [dim=0, start=?, length=n_head]
  x.narrow(0, changing, n_head);
  // CHECK: op expand({{[^[]*}}) [size=?, implicit=false]
  x.expand(x.sizes());
  return x;
}

// What a name stands for when its size is asked for, not later.
// CHECK-LABEL: func @{{.*}}rebound
Tensor rebound([[spmd::type("tp: R")]] Tensor x, const Tensor &w) {
  // CHECK: %[[OLD:[0-9]+]] = bind %x.0
  auto B = x.size(0);
  x = torch::matmul(x.flatten(0, 1), w);
  // CHECK: op view({{[^[]*}}) [size={%[[OLD]][0], -1}]
  return x.view({B, -1});
}

// CHECK-LABEL: func @{{.*}}loops
void loops([[spmd::type("tp: R")]] const Tensor &x,
           const std::vector<int64_t> &lengths, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t length = lengths[i];
    int64_t rows = x.size(0) / n;
    // CHECK: op narrow({{[^[]*}}) [dim=0, start=?, length=?]
    x.narrow(0, i, length);
    // CHECK: op view({{[^[]*}}) [size={%x.0[0]/n, -1}]
    x.view({rows, -1});
  }
  {
    int64_t part = lengths[0];
    // CHECK: op view({{[^[]*}}) [size={part, -1}]
    x.view({part, -1});
  }
  {
    int64_t part = lengths[1];
    // CHECK: op view({{[^[]*}}) [size={part.2, -1}]
    x.view({part, -1});
  }
}

struct Attention {
  [[spmd::axis("tp")]] spmd::Axis tp;
  int64_t heads = 0;
  std::shared_ptr<Config> cfg;
  // CHECK-LABEL: func @{{.*}}forward
  Tensor forward([[spmd::type("tp: V")]] const Tensor &x) {
    const int64_t local = heads / tp.size();
    // CHECK: op view({{[^[]*}}) [size={%x.0[0], heads/tp, cfg.hidden}]
    x.view({x.size(0), local, cfg->hidden});
    auto f = [&](const Tensor &y) {
      // CHECK: op view({{[^[]*}}) [size={%y.0[0], heads, local}]
      return y.view({y.size(0), heads, local});
    };
    return f(x);
  }
  void grow() { ++heads; }
  // CHECK-LABEL: func @{{.*}}changes
  Tensor changes([[spmd::type("tp: V")]] const Tensor &x) {
    grow();
    // CHECK: op view({{[^[]*}}) [size={?, -1}]
    return x.view({heads, -1});
  }
};

// CHECK-LABEL: func @{{.*}}options
void options([[spmd::type("tp: R")]] const Tensor &x, const Tensor &t,
             const F::SoftmaxFuncOptions &given) {
  // CHECK: op softmax({{[^[]*}}) [dim=-1, options=?]
  F::softmax(x, F::SoftmaxFuncOptions(-1));
  // CHECK: op softmax({{[^[]*}}) [dim=1, options=?]
  F::softmax(x, 1);
  // CHECK: op normalize({{[^[]*}}) [dim=-1, options=?]
  F::normalize(x, F::NormalizeFuncOptions().p(2).dim(-1));
  // CHECK: op softmax({{[^[]*}}) [dim=?, options=?]
  F::softmax(x, given);
}

struct Net : torch::nn::Module {
  torch::nn::Flatten flat{nullptr};
  // CHECK-LABEL: func @{{.*}}layer
  Tensor layer([[spmd::type("tp: R")]] Tensor x) {
    // CHECK: op flatten({{[^[]*}}) [options=?]
    return flat(x);
  }
};

// Numbers, slices and new dims in a list of indices.
// CHECK-LABEL: func @{{.*}}indexing
void indexing([[spmd::type("tp: R")]] const Tensor &x, const Tensor &i,
              Tensor y, int64_t n) {
  using namespace torch::indexing;
  // CHECK: %[[A:[0-9]+]] = op slice(self=%x.0 {{[^[]*}}) [dim=1, start=1, end=n
  // CHECK: op select(self=%[[A]]{{[^[]*}}) [dim=2, index=0]
  x.index({Slice(), Slice(1, n), 0});
  // CHECK: %[[B:[0-9]+]] = op select(self=%x.0 {{[^[]*}}) [dim=0, index=n]
  // CHECK: %[[C:[0-9]+]] = op unsqueeze(self=%[[B]]{{[^[]*}}) [dim=0]
  // CHECK: %[[D:[0-9]+]] = op select(self=%[[C]]{{[^[]*}}) [dim=-2, index=1]
  // CHECK: op slice(self=%[[D]]{{[^[]*}}) [dim=-1, start=none, end=2
  x.index({n, None, Ellipsis, 1, Slice(None, 2)});
  // CHECK: op index(self=%x.0 {{[^[]*}}) [dims={0}]
  x.index({i, Slice()});
  // Of how many dims a mask is, nobody knows.
  // CHECK: %[[E:[0-9]+]] = op select(self=%x.0 {{[^[]*}}) [dim=?, index=0]
  // CHECK: %[[F:[0-9]+]] = op unsqueeze(self=%[[E]]{{[^[]*}}) [dim=-2]
  // CHECK: op index(self=%[[F]]{{[^[]*}}) [dims={0, -1}]
  x.index({i, 0, Ellipsis, None, i});
  // CHECK: %[[G:[0-9]+]] = op select(self=%y.2 {{[^[]*}}) [dim=0, index=1]
  // CHECK: op index_put(self=%[[G]]{{[^[]*}}) [dims={0}] into %y.2
  y.index_put_({1, i}, x);
}

// What a plan over several axes is asked for.
// CHECK-LABEL: func @{{.*}}plan
Tensor plan([[spmd::type("[8@tp, 8]")]] const Tensor &x, const spmd::Mesh &m) {
  // CHECK: redistribute %x.0 {{.*}} on _ from "[8@tp, 8]" !{{[0-9:]+}} to "[8, 8@tp]" !
  return spmd::redistribute(x, m, "[8@tp, 8]", "[8, 8@tp]");
}

// A host number has no dims.
// CHECK-LABEL: func @{{.*}}numbers
Tensor numbers([[spmd::type("tp: R")]] const Tensor &x, float s) {
  // CHECK: op mul(self=%x.0 !{{[0-9:]+}}, other=%{{[0-9]+}} scalar
  return x * s;
}

// CHECK-LABEL: func @{{.*}}partial
Tensor partial([[spmd::type("tp: V")]] const Tensor &h, const Tensor &w,
               [[spmd::axis("tp")]] spmd::Axis tp) {
  // CHECK: %[[PRODUCT:[0-9]+]] = op matmul(
  // CHECK-NEXT: %[[SUM:[0-9]+]] = out_partial %[[PRODUCT]] !{{[0-9:]+}} on %tp
  // CHECK-NEXT: return %[[SUM]]
  return spmd::out_partial(torch::matmul(h, w), tp);
}

[[spmd::op("m k, k n -> m n")]] Tensor product(const Tensor &a, const Tensor &b);
[[spmd::op("elementwise")]] Tensor activation(const Tensor &a);
// CHECK-LABEL: func @{{.*}}own
Tensor own([[spmd::type("tp: R")]] const Tensor &a, const Tensor &b) {
  // CHECK: op product(
  // CHECK: op activation(
  return activation(product(a, b));
}
