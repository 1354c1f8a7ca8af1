// A part of a container, at a place that the rank chooses, is each rank's own,
// whichever way it is taken.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <algorithm>
#include <iterator>
#include <mpi.h>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

using Numbers = std::vector<float>;
#define GIVEN [[spmd::type("dp: R")]] const Numbers &x, [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] int n
#define BEGIN                                                                                                          \
  int rank, size;                                                                                                      \
  MPI_Comm_rank(comm, &rank);                                                                                          \
  MPI_Comm_size(comm, &size);
#ifdef WRONG
#define AT 0
#else
#define AT rank
#endif

static void sum(float &s, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
}
float accumulated(GIVEN) {
  BEGIN
  float s = std::accumulate(x.begin() + AT * n, x.begin() + (AT + 1) * n, 0.f);
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float multiplied(GIVEN) {
  BEGIN
  float s = std::inner_product(x.begin() + AT * n, x.begin() + (AT + 1) * n, x.begin(), 0.f);
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float stepped(GIVEN) {
  BEGIN
  float s = 0;
  for (auto it = x.begin() + AT * n; it != x.begin() + (AT + 1) * n; ++it)
    s += *it;
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float moved(GIVEN) {
  BEGIN
  auto it = x.begin();
  it += AT * n;
  float s = 0;
  for (int i = 0; i < n; i++)
    s += *it++;
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float advanced(GIVEN) {
  BEGIN
  float s = *std::next(x.begin(), AT * n);
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float constructed(GIVEN) {
  BEGIN
  Numbers v(x.begin() + AT * n, x.begin() + (AT + 1) * n);
  float s = v[0];
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float copied(GIVEN) {
  BEGIN
  Numbers v(n);
  std::copy_n(x.begin() + AT * n, n, v.begin());
  float s = v[0];
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}

float turned(GIVEN) {
  BEGIN
  Numbers v(x);
  std::rotate(v.begin(), v.begin() + AT * n, v.end());
  float s = v[0];
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float erased(GIVEN) {
  BEGIN
  Numbers v(x);
  v.erase(v.begin() + AT);
  float s = v[0];
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}
float counted(GIVEN) {
  BEGIN
  Numbers v(n);
  std::iota(v.begin(), v.end(), AT * n);
  float s = v[0];
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 's' is R
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  return s;
}

float at_offsets(GIVEN) {
  BEGIN
  std::vector<int> o(size + 1);
  for (int i = 0; i < size; i++)
    o[i + 1] = o[i] + n;
  float s = 0;
  for (int i = o[rank]; i < o[rank + 1]; i++)
    s += x[i];
  sum(s, comm);
  return s;
}
float in_a_pair(GIVEN) {
  BEGIN
  auto split = [](int n, int w, int r) { return std::pair<int, int>(n / w, r * (n / w)); };
  auto [length, offset] = split(n, size, rank);
  float s = 0;
  for (int i = 0; i < length; i++)
    s += x[offset + i];
  sum(s, comm);
  return s;
}
float tied(GIVEN) {
  BEGIN
  int from, to;
  std::tie(from, to) = std::make_pair(rank * n, rank * n + n);
  float s = 0;
  for (int i = from; i < to; i++)
    s += x[i];
  sum(s, comm);
  return s;
}
float one_of_two(GIVEN) {
  BEGIN
  float s = rank == 0 ? x[0] : x[1];
  sum(s, comm);
  return s;
}
float squares(GIVEN) {
  BEGIN
  float s = std::transform_reduce(x.begin() + rank * n, x.begin() + rank * n + n, 0.f, std::plus<>(),
                                  [](float a) { return a * a; });
  sum(s, comm);
  return s;
}
