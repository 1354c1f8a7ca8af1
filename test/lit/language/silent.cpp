// Right code in many forms of the language is silent.
// RUN: %spmd-tidy %s -- %stubs | count 0

#include <spmd/torch.h>
#include <torch/torch.h>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>
using at::Tensor;

struct Linear {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: V")]] Tensor w;
  virtual ~Linear() = default;
  [[spmd::type("tp: I")]] virtual Tensor forward([[spmd::type("tp: I")]] const Tensor &x) const {
    Tensor r = spmd::reinterpret(x, tp, spmd::I, spmd::R);
    Tensor y = at::matmul(r, w);
    return spmd::all_reduce(spmd::reinterpret(y, tp, spmd::V, spmd::P), tp, spmd::P, spmd::I);
  }
};
struct Sub : Linear {
  Tensor forward(const Tensor &x) const override {
    auto z = Linear::forward(x);
    return z * 2;
  }
};

std::pair<Tensor, Tensor> split([[spmd::type("tp: R")]] const Tensor &x) {
  return {x * 2, x + 1};
}
std::tuple<Tensor, int> tup([[spmd::type("tp: R")]] const Tensor &x) { return std::make_tuple(x, 3); }

[[spmd::type("tp: R")]] Tensor bindings([[spmd::type("tp: R")]] const Tensor &x) {
  auto [a, b] = split(x);
  auto [c, n] = tup(a);
  Tensor d;
  std::tie(d, n) = tup(b);
  return a + b + c + d;
}

std::pair<Tensor, Tensor> unknown_pair(const Tensor &x);

/// One element of what a call returns says nothing about another.
Tensor elements([[spmd::type("tp: P")]] const Tensor &p, const Tensor &x) {
  auto [a, b] = unknown_pair(x);
  const Tensor sum = a + p;
  Tensor c, d;
  std::tie(c, d) = unknown_pair(sum);
  const Tensor other = c + p;
  return b.relu() * d.relu();
}

[[spmd::type("tp: R")]] Tensor lambdas([[spmd::type("tp: P")]] const Tensor &p,
                                       [[spmd::axis("tp")]] const spmd::Axis &tp) {
  auto reduce = [&](const Tensor &t) { return spmd::all_reduce(t, tp, spmd::P, spmd::R); };
  std::function<Tensor(Tensor)> f = [](Tensor t) { return t * 3; };
  Tensor r = reduce(p);
  Tensor q = f(r);
  return r.relu();
}

template <typename T> T twice(const T &x) { return x + x; }
[[spmd::type("tp: P")]] Tensor templ([[spmd::type("tp: P")]] const Tensor &p) { return twice(p); }
[[spmd::type("tp: R")]] Tensor templ2([[spmd::type("tp: R")]] const Tensor &r) { return twice(r).relu(); }

[[spmd::type("tp: R")]] Tensor early([[spmd::type("tp: P")]] const Tensor &p, bool b,
                                     [[spmd::axis("tp")]] const spmd::Axis &tp) {
  if (b) return spmd::all_reduce(p * 2, tp, spmd::P, spmd::R);
  Tensor q = p;
  switch (q.dim()) {
  case 1: q = q.sum(); break;
  case 2: q = q.mean(); [[fallthrough]];
  default: q = q * 0.5;
  }
  return spmd::all_reduce(q, tp, spmd::P, spmd::R);
}

[[spmd::type("tp: R")]] Tensor loop([[spmd::type("tp: V")]] std::vector<Tensor> xs,
                                    [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Tensor acc = at::zeros({4});
  for (auto &x : xs) acc = acc + x;
  Tensor sum = xs[0].clone();
  for (size_t i = 1; i < xs.size(); ++i) sum.add_(xs[i]);
  sum += acc;
  Tensor p = spmd::reinterpret(sum, tp, spmd::V, spmd::P);
  return spmd::all_reduce(p, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: R")]] Tensor opt([[spmd::type("tp: R")]] const Tensor &x, std::optional<Tensor> bias) {
  Tensor y = x;
  if (bias) y = y + *bias;
  if (bias.has_value()) y = y + bias.value();
  return y;
}
void alias([[spmd::type("tp: P -> tp: R")]] Tensor &g, [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Tensor h = g;
  h.mul_(0.5);
  g = spmd::all_reduce(g, tp, spmd::P, spmd::R);
}
int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
Tensor rec(const Tensor &x, int n) { return n == 0 ? x : rec(x * 2, n - 1); }
[[spmd::type("tp: R")]] Tensor recursion([[spmd::type("tp: R")]] const Tensor &x) { return rec(x, fact(3)); }

struct Block {
  std::shared_ptr<Linear> a, b;
  std::unique_ptr<Linear> c;
  std::vector<std::shared_ptr<Linear>> layers;
  [[spmd::type("tp: I")]] Tensor forward([[spmd::type("tp: I")]] Tensor x) {
    x = x + a->forward(x);
    x = at::layer_norm(x, {4});
    x = x + b->forward(at::gelu(x));
    for (auto &l : layers) x = l->forward(x);
    return c->forward(std::move(x));
  }
};
void optimizer(std::vector<Tensor> &params, [[spmd::axis("dp")]] const spmd::Axis &dp) {
  for (Tensor &p : params) {
    if (!p.grad().defined()) continue;
    Tensor g = spmd::all_reduce(p.grad(), dp, spmd::P, spmd::R);
    p.sub_(g * 0.1);
  }
}
