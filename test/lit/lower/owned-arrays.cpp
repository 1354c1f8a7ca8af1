// A tensor class that owns its numbers by a std::unique_ptr to an array is one
// buffer, whether a method names the pointer or code asks for its data().
// RUN: not %spmd-tidy %s -- -std=c++17 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <algorithm>
#include <memory>
#include <mpi.h>

class Values {
public:
  explicit Values(int n) : n_(n), numbers_(new float[n]) { fill(0); }
  void fill(float v) { std::fill(numbers_.get(), numbers_.get() + n_, v); }
  int size() const { return n_; }
  float *data() { return numbers_.get(); }
  float &at(int i) { return numbers_[i]; }
  const float &at(int i) const { return numbers_[i]; }

private:
  int n_;
  std::unique_ptr<float[]> numbers_;
};

void multiply(const Values &a, const Values &b, Values &c) {
  c.fill(0);
  for (int k = 0; k < a.size(); ++k)
    c.at(k) += a.at(k) * b.at(k);
}

struct Model {
  [[spmd::type("dp: R")]] Values weights;
  Values grad;
  explicit Model(int n) : weights(n), grad(n) {}
  void gradient(const Values &x) { multiply(x, weights, grad); }
  void apply(float lr) {
    for (int i = 0; i < weights.size(); ++i)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'm.weights' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      weights.data()[i] -= lr * grad.data()[i];
  }
};

void right([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] const Values &x) {
  Model m(10);
  for (int s = 0; s < 10; ++s) {
    m.gradient(x);
    MPI_Allreduce(MPI_IN_PLACE, m.grad.data(), m.grad.size(), MPI_FLOAT, MPI_SUM, comm);
    m.apply(0.1f);
  }
}

void dropped([[spmd::type("dp: V")]] const Values &x) {
  Model m(10);
  for (int s = 0; s < 10; ++s) {
    m.gradient(x);
    m.apply(0.1f);
  }
}
