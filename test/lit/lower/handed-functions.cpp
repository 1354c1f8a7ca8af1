// A function that is handed functions, and calls them, is looked at with these:
// as pointers, as std::function, and through others that hand them on.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <functional>
#include <vector>
using Vec = std::vector<double>;

static Vec applied(const std::function<Vec(const Vec &)> &f, const Vec &b) {
  Vec x = f(b);
  return x;
}
static Vec twice(std::function<Vec(const Vec &)> f, const Vec &b) { return applied(f, b); }

void local([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] Vec &w, [[spmd::type("dp: V")]] const Vec &a) {
  Vec s = applied([&](const Vec &v) {
    Vec out(v.size());
    for (size_t i = 0; i < v.size(); ++i)
      out[i] = a[i] * v[i];
    return out;
  }, w);
  for (size_t i = 0; i < w.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
    w[i] -= s[i];
}
void summed([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] Vec &w, [[spmd::type("dp: V")]] const Vec &a) {
  Vec s = applied([&](const Vec &v) {
    Vec out(v.size());
    for (size_t i = 0; i < v.size(); ++i)
      out[i] = a[i] * v[i];
    MPI_Allreduce(MPI_IN_PLACE, out.data(), (int)out.size(), MPI_DOUBLE, MPI_SUM, comm);
    return out;
  }, w);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] -= s[i];
}
void handedOn([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] Vec &w, [[spmd::type("dp: V")]] const Vec &a) {
  const std::function<Vec(const Vec &)> mul = [&](const Vec &v) {
    Vec out(v.size());
    for (size_t i = 0; i < v.size(); ++i)
      out[i] = a[i] * v[i];
    return out;
  };
  Vec s = twice(mul, w);
  for (size_t i = 0; i < w.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
    w[i] -= s[i];
}

static double half(double x) { return x / 2; }
static double total(double (*f)(double), const Vec &x) {
  double s = 0;
  for (double v : x)
    s += f(v);
  return s;
}
// CHECK: [[#@LINE+1]]:65: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
void byPointer([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] Vec &w, [[spmd::type("dp: V")]] const Vec &a) {
  w[0] = total(half, a);
}
void ofAll([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] Vec &w) { w[0] = total(half, w); }

// What keeps a function may call it whenever it likes.
struct Later {
  std::function<void()> f;
  explicit Later(std::function<void()> f) : f(std::move(f)) {}
  void run() { f(); }
};
void kept([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] Vec &w, [[spmd::type("dp: V")]] const Vec &a) {
  Vec g = a;
  Later sum([&] { MPI_Allreduce(MPI_IN_PLACE, g.data(), (int)g.size(), MPI_DOUBLE, MPI_SUM, comm); });
  sum.run();
  for (size_t i = 0; i < w.size(); ++i)
    w[i] -= g[i];
}
