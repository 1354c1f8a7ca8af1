// Handles, wrappers, lambdas, templates and in-place ops of libtorch.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
using at::Tensor;
struct Comm {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  void all_reduce(Tensor &t) {
    std::vector<Tensor> v{t};
    pg->allreduce(v)->wait();
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: all_reduce on 'dp' takes V or P, but
    // 'v' is R or I{{.*}} [spmd-src-type]
  }
  void avg(Tensor &t) {
    std::vector<Tensor> v{t};
    c10d::AllreduceOptions o;
    o.reduceOp = c10d::ReduceOp::MAX;
    pg->allreduce(v, o)->wait();
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'v' is P on 'dp'{{.*}}
    // [spmd-partial-nonlinear]
  }
};
void wrapper(Comm &c, [[spmd::type("dp: P")]] Tensor g) {
  c.all_reduce(g);
  c.all_reduce(g);
}
void maxp(Comm &c, [[spmd::type("dp: P")]] Tensor g) { c.avg(g); }
Tensor lambda(Comm &c, [[spmd::type("dp: P")]] const Tensor &g) {
  auto act = [&](const Tensor &x) { return x + g; };
  auto r = act(g);
  auto bad = [](const Tensor &x) { return torch::relu(x); };
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is P on 'dp'{{.*}} [spmd-partial-nonlinear]
  return bad(r);
}
Tensor branch(bool b, [[spmd::type("dp: P")]] const Tensor &g,
              [[spmd::type("dp: R")]] const Tensor &h) {
  Tensor x = b ? g : h;
  // CHECK: [[#@LINE+2]]:10: error: 'h' is R and is added to 'x', which is P on 'dp'
  // CHECK: note: on the way where 'b' is true
  return x + h;
}
Tensor tern(bool b, [[spmd::type("dp: P")]] const Tensor &g) {
  Tensor x = b ? g : g + g;
  return torch::relu(x);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is P on 'dp'{{.*}} [spmd-partial-nonlinear]
}
struct Net : torch::nn::Module {
  torch::nn::Linear fc1{nullptr};
  [[spmd::type("dp: R")]] Tensor w;
  Net() { fc1 = register_module("fc1", torch::nn::Linear(3, 4)); }
  Tensor forward([[spmd::type("dp: P")]] Tensor x) {
    x = fc1(x);
    return torch::relu(torch::matmul(x, w));
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'torch::matmul(x, w)' is P on
    // 'dp'{{.*}} [spmd-partial-nonlinear]
  }
};
void inplace([[spmd::type("dp: P")]] Tensor g,
             [[spmd::type("dp: R")]] Tensor h) {
  g.view(-1).add_(h);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'h' is R{{.*}} [spmd-partial-add]
  g += 1;
  g[0] = h;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: the value of 'g' must be P on 'dp', but 'h' is R{{.*}} [spmd-contract]
}
void opt([[spmd::type("dp: R")]] Tensor p, float lr) {
  p.sub_(p.grad() * lr);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'p' is R{{.*}} [spmd-partial-add]
}
template <class T> T twice(const T &x) { return x + x; }
Tensor tmpl([[spmd::type("dp: P")]] const Tensor &g) {
  auto s = twice(g);
  for (int i = 0; i < 3; ++i)
    s = s + g;
  std::vector<Tensor> v;
  v.push_back(s);
  return v[0];
}
Tensor sb([[spmd::type("dp: P")]] const Tensor &g) {
  auto [a, b] = std::make_pair(g, g);
  return torch::relu(a);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'a' is P on 'dp'{{.*}} [spmd-partial-nonlinear]
}
Tensor layers([[spmd::type("dp: P")]] Tensor x, int n) {
  for (int i = 0; i < n; ++i) {
    x = torch::relu(x);
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is P on 'dp'{{.*}} [spmd-partial-nonlinear]
    x.add_(x);
  }
  return x;
}
