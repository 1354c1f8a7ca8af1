#include "GroupCases.h"

#include <spmd/async.h>

#include <gtest/gtest.h>

namespace spmd::test {

static void alone(const Axis &A) {
  EXPECT_EQ(1, A.size());
  float X[1] = {7};
  all_reduce(View(X, {1}), A, P, R);
  EXPECT_EQ(7, X[0]);
}

void checkGroups(const Mesh &M) {
  const Axis A = M.group("ends", {{3, 0, 1}});
  const int Self = M.rank();
  if (Self == 2)
    return alone(A);
  EXPECT_EQ(3, A.size());
  EXPECT_EQ((std::vector<int>{3, 0, 1}), A.members());
  const auto Mine = static_cast<float>(Self);
  float Sum[1] = {Mine};
  all_reduce(View(Sum, {1}), A, P, R);
  EXPECT_EQ(4, Sum[0]);
  float One[1] = {Mine}, All[3] = {};
  all_gather_async(View(One, {1}), View(All, {3}), A, S(0), R).wait();
  EXPECT_EQ((std::vector<float>{3, 0, 1}), std::vector<float>(All, All + 3));
  float From[1] = {};
  permute(View(One, {1}), View(From, {1}), A, V, V, shift(1));
  EXPECT_EQ(Self == 3 ? 1 : Self == 0 ? 3 : 0, From[0]);
  float Part[2] = {};
  const auto Uneven = S(0, {0, 2, 1});
  const std::int64_t Sizes[] = {0, 2, 1};
  reduce_scatter(View(All, {3}), View(Part, {Sizes[A.rank()]}), A, P, Uneven);
  EXPECT_EQ(A.rank() == 1 ? 9 : A.rank() == 2 ? 3 : 0, Part[0]);
  broadcast(View(One, {1}), A, V, R, /*root=*/1);
  EXPECT_EQ(0, One[0]);
}

} // namespace spmd::test
