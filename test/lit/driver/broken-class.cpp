// What begins an object may have no type where Clang guesses which function was
// meant, in a class that is broken off.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=crashed

namespace at {
struct Tensor {};
struct Sizes {
  template <int N> Sizes(const int (&)[N]);
};
struct Options {};
Tensor zeros(Sizes, Options);
Tensor zeros(Sizes);
} // namespace at
namespace torch {
using at::Tensor;
}

class Unit {
  void run([[spmd::axis("dp")]] int group, int steps) {
    // CHECK: [[#@LINE+1]]:30: error: too few arguments to function call
    Unit other(steps, torch::zeros({4}));
