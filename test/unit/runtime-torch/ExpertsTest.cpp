// Rows to experts and back, on threads and over Gloo.

#include "Groups.h"

#include "Messages.h"

#include <spmd/experts.h>
#include <spmd/run_local.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::Routing;
using spmd::V;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t Experts = 6;

/// Expert e multiplies by e + 1; rows are numbered over all ranks.
void trainOn(const Axis &A) {
  const std::int64_t Own = 5 + 2 * A.rank();
  const at::Tensor X =
      (at::arange(2 * Own, at::kDouble).view({Own, 2}) + 100 * A.rank())
          .requires_grad_();
  // The last rank sends nothing to expert 0, and nobody to expert 4.
  at::Tensor Of = (at::arange(Own, at::kLong) * 7 + A.rank()) % Experts;
  Of = at::where(Of == 4, at::full_like(Of, A.rank() ? 5 : 0), Of);
  const Routing Route(Of, Experts, A);
  const at::Tensor Here = spmd::dispatch(X, A, V, V, Route);
  const std::int64_t Each = Experts / A.size();
  ASSERT_EQ(static_cast<std::size_t>(Each), Route.rows().size());
  std::vector<at::Tensor> Done;
  const std::vector<at::Tensor> Parts = Here.split_with_sizes(Route.rows());
  for (std::int64_t E = 0; E < Each; ++E)
    Done.push_back(Parts[static_cast<std::size_t>(E)] *
                   static_cast<double>(A.rank() * Each + E + 1));
  const at::Tensor Y = spmd::combine(at::cat(Done), A, V, V, Route);
  const at::Tensor Factors = (Of + 1).to(at::kDouble).unsqueeze(1);
  EXPECT_TRUE(at::equal(X * Factors, Y));
  const at::Tensor G = at::arange(2 * Own, at::kDouble).view({Own, 2}) + 3;
  Y.backward(G);
  EXPECT_TRUE(at::equal(G * Factors, X.grad()));
}

TEST(Experts, RowsComeBackFromThreads) {
  for (const int N : {1, 2, 3})
    spmd::run_local(N, [N](int Rank) {
      trainOn(spmd::Mesh({{"ep", N}}, Rank).axis("ep"));
    });
}

TEST(Experts, RowsComeBackOverGloo) {
  spmd::test::Groups(3).run([](const Axis &A) { trainOn(A); });
}

TEST(Experts, RowsOfAnExpertAreInTheOrderOfRanks) {
  spmd::run_local(2, [](int Rank) {
    const Axis A = spmd::Mesh({{"ep", 2}}, Rank).axis("ep");
    const at::Tensor Of =
        Rank ? at::tensor({0L, 1L}) : at::tensor({1L, 0L, 1L});
    const at::Tensor X = Rank ? at::tensor({4., 5.}) : at::tensor({1., 2., 3.});
    const Routing Route(Of, 2, A);
    const at::Tensor Here = spmd::dispatch(X, A, V, V, Route);
    EXPECT_TRUE(at::equal(
        Rank ? at::tensor({1., 3., 5.}) : at::tensor({2., 4.}), Here));
    EXPECT_THAT(Route.rows(), ElementsAre(Rank ? 3 : 2));
  });
}

TEST(Experts, WhatCannotBeIsAnError) {
  const Axis One;
  const auto Said = [&](const at::Tensor &Of, std::int64_t N) {
    return spmd::test::messageOf([&] { Routing(Of, N, One, {"moe.cpp", 3}); });
  };
  EXPECT_EQ("moe.cpp:3: spmd::Routing over an unnamed axis of 1 rank: 0 "
            "experts cannot be as many on each rank",
            Said(at::tensor({0L}), 0));
  EXPECT_THAT(Said(at::tensor({0.}), 2), HasSubstr("no list of whole numbers"));
  EXPECT_THAT(Said(at::tensor({0L, 2L}), 2),
              HasSubstr("names an expert that is none of 2"));
  const Routing Route(at::tensor({0L, 1L}), 2, One);
  EXPECT_THAT(spmd::test::messageOf([&] {
                (void)spmd::dispatch(at::ones({3}), One, V, V, Route);
              }),
              HasSubstr("spmd::dispatch over an unnamed axis of 1 rank: the "
                        "operand has not the 2 rows of the routing"));
  spmd::run_local(2, [&](int Rank) {
    const Axis A = spmd::Mesh({{"ep", 2}}, Rank).axis("ep");
    EXPECT_THAT(spmd::test::messageOf([&] {
                  (void)spmd::combine(at::ones({2}), A, V, V, Route);
                }),
                HasSubstr("the routing is of an axis of 1"));
  });
}

} // namespace
