// A function tells where a rank's part lies, by its result or a member of it: who gives it one literal for all ranks
// takes the same part on each.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <algorithm>
#include <utility>
#include <vector>

struct Part {
  int count, first;
};
static Part partOf(int n, int size, [[spmd::type("dp: V")]] int rank) {
  Part p;
  p.count = n / size;
  p.first = rank * p.count;
  return p;
}
static int firstOf(int n, int size, [[spmd::type("dp: V")]] int rank) { return n / size * rank; }
static int use(const float *x, int n);

void byLambda([[spmd::type("dp: R")]] const std::vector<float> &all, [[spmd::type("dp: V")]] std::vector<float> &mine,
              int n, int size, int rank) {
  auto split = [](int n, int size, [[spmd::type("dp: V")]] int r) {
    const int base = n / size, rest = n % size;
    const int count = base + (r < rest ? 1 : 0);
    const int first = r * base + std::min(r, rest);
    return std::pair<int, int>(count, first);
  };
  // CHECK: [[#@LINE+1]]:25: error: the argument for 'r' must be V on 'dp', but '0' is R or I: all ranks hold the same, which is taken for each one's own [spmd-contract]
  auto [count, first] = split(n, size, 0);
  for (int i = 0; i < count; ++i)
    mine[i] = all[first + i];
  auto [ownCount, ownFirst] = split(n, size, rank);
  for (int i = 0; i < ownCount; ++i)
    mine[i] = all[ownFirst + i];
  // How much the first rank has, which has the most.
  auto [most, begin] = split(n, size, 0);
  std::vector<float> room(most);
  mine.resize(most);
}
void byNumber([[spmd::type("dp: R")]] const float *all, [[spmd::type("dp: V")]] float *mine, int n, int size,
              [[spmd::type("dp: V")]] int rank) {
  // CHECK: [[#@LINE+1]]:21: error: the argument for 'rank' must be V on 'dp', but '1' is R or I
  const int first = firstOf(n, size, 1);
  for (int i = 0; i < n / size; ++i)
    mine[i] = all[first + i];
  const int own = firstOf(n, size, rank);
  for (int i = 0; i < n / size; ++i)
    mine[i] = all[own + i];
  if (rank == 0) { // its own
    const int here = firstOf(n, size, 0);
    mine[0] = all[here];
  }
  // Where all parts begin, for one rank to send them.
  std::vector<int> places(size), counts(size, n / size);
  for (int r = 0; r < size; ++r)
    places[r] = firstOf(n, size, r);
}
