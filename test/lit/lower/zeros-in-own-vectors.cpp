// A vector of the function's own begins with zeros, and a write to some other
// storage is none to it: who updates by it has forgotten the sum.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

using Vector = std::vector<double>;

void forgotten([[spmd::type("dp: R")]] Vector &w, [[spmd::type("dp: V")]] const Vector &x) {
  Vector local(w.size()), g(w.size(), 0.0);
  for (size_t i = 0; i < w.size(); ++i)
    local[i] = w[i] * x[i];
  for (size_t i = 0; i < w.size(); ++i)
    // CHECK: [[@LINE+1]]:5: error: '0.1 * g[i]' updates 'w[i]' and holds nothing but zeros here, or nothing at all, on every rank: the gradient was never put there, or was cleared before its use [spmd-backward-type]
    w[i] -= 0.1 * g[i];
}

struct Trainer {
  [[spmd::type("dp: R")]] Vector w;
  [[spmd::type("dp: V")]] Vector x;
  MPI_Comm comm;

  void behind() {
    Vector local(w.size()), g(w.size());
    for (size_t i = 0; i < w.size(); ++i)
      local[i] = w[i] * x[i];
    for (size_t i = 0; i < w.size(); ++i)
      // CHECK: [[@LINE+1]]:7: error: '0.1 * g[i]' updates 'w[i]' and holds nothing but zeros here
      w[i] -= 0.1 * g[i];
    MPI_Allreduce(local.data(), g.data(), static_cast<int>(g.size()), MPI_DOUBLE, MPI_SUM, comm);
  }

  void right() {
    Vector local(w.size()), g(w.size());
    for (size_t i = 0; i < w.size(); ++i)
      local[i] = w[i] * x[i];
    MPI_Allreduce(local.data(), g.data(), static_cast<int>(g.size()), MPI_DOUBLE, MPI_SUM, comm);
    for (size_t i = 0; i < w.size(); ++i)
      w[i] -= 0.1 * g[i];
  }
};

// Whatever fills it: none of these is zeros.
void fill(double *into, int n);
static void add(Vector &into, const Vector &from) {
  for (size_t i = 0; i < into.size(); ++i)
    into[i] += from[i];
}

void byWhoeverElse([[spmd::type("dp: R")]] Vector &w, [[spmd::type("dp: R")]] const Vector &d) {
  const size_t n = w.size();
  Vector a(n), b(n), c(n), e(n), f(n), g(n), h(n), k(n), l(n), m(n);
  fill(a.data(), static_cast<int>(n));
  add(b, d);
  std::copy(d.begin(), d.end(), c.begin());
  std::transform(d.begin(), d.end(), e.begin(), [](double v) { return 2 * v; });
  std::for_each(f.begin(), f.end(), [&](double &v) { v = d[0]; });
  double *p = g.data();
  for (size_t i = 0; i < n; ++i)
    p[i] = d[i];
  auto set = [&](size_t i) { h[i] = d[i]; };
  for (size_t i = 0; i < n; ++i)
    set(i);
  for (auto &v : k)
    v = d[0];
  l = d;
  m.assign(d.begin(), d.end());
  for (size_t i = 0; i < n; ++i) {
    w[i] -= 0.1 * a[i];
    w[i] -= 0.1 * b[i];
    w[i] -= 0.1 * c[i];
    w[i] -= 0.1 * e[i];
    w[i] -= 0.1 * f[i];
    w[i] -= 0.1 * g[i];
    w[i] -= 0.1 * h[i];
    w[i] -= 0.1 * k[i];
    w[i] -= 0.1 * l[i];
    w[i] -= 0.1 * m[i];
  }
}

// Momentum begins with zeros, and so does what a first step adds to.
void momentum([[spmd::type("dp: R")]] Vector &w, [[spmd::type("dp: R")]] const Vector &d, int steps) {
  Vector v(w.size());
  for (int s = 0; s < steps; ++s)
    for (size_t i = 0; i < w.size(); ++i) {
      v[i] = 0.9 * v[i] + d[i];
      w[i] -= 0.1 * v[i];
    }
}

void compensated([[spmd::type("dp: R")]] Vector &w, [[spmd::type("dp: R")]] const Vector &d) {
  Vector lost(w.size());
  for (int s = 0; s < 10; ++s)
    for (size_t i = 0; i < w.size(); ++i) {
      const double y = d[i] - lost[i], t = w[i] + y;
      lost[i] = (t - w[i]) - y;
      w[i] = t;
    }
}
