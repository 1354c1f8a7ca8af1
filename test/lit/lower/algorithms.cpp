// std::transform, std::for_each and std::generate over numbers compute each of
// them by their function.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <vector>

class Communicator {
public:
  void mean(std::vector<double> &v) const {
    std::vector<double> out(v.size());
    MPI_Allreduce(v.data(), out.data(), (int)v.size(), MPI_DOUBLE, MPI_SUM, comm_);
    std::transform(out.begin(), out.end(), v.begin(), [this](double x) { return x / size_; });
  }

private:
  [[spmd::axis("dp")]] MPI_Comm comm_;
  int size_;
};

void step([[spmd::type("dp: R")]] std::vector<double> &w, const std::vector<double> &g, double lr) {
  std::transform(w.begin(), w.end(), g.begin(), w.begin(), [lr](double a, double b) { return a - lr * b; });
}

void right(const Communicator &c, [[spmd::type("dp: R")]] std::vector<double> &w,
           [[spmd::type("dp: V")]] std::vector<double> &g) {
  c.mean(g);
  std::for_each(g.begin(), g.end(), [](double &x) { x *= 0.5; });
  step(w, g, 0.1);
}

// CHECK: [[#@LINE+1]]:29: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
void forgotten([[spmd::type("dp: R")]] std::vector<double> &w, [[spmd::type("dp: V")]] std::vector<double> &g) {
  step(w, g, 0.1);
}

void subtracted([[spmd::type("dp: R")]] std::vector<double> &w, [[spmd::type("dp: V")]] std::vector<double> &g) {
  // CHECK: [[#@LINE+1]]:3: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
  std::transform(w.begin(), w.end(), g.begin(), w.begin(), std::minus<>());
}

// What is generated is nobody's gradient; what nobody sees is unknown.
double next();
void generated([[spmd::type("dp: R")]] std::vector<double> &w, [[spmd::type("dp: V")]] std::vector<double> &g,
               double (*f)(double)) {
  std::generate(g.begin(), g.end(), [] { return 0.0; });
  std::transform(w.begin(), w.end(), g.begin(), w.begin(), std::plus<>());
  std::transform(g.begin(), g.end(), w.begin(), f);
}
