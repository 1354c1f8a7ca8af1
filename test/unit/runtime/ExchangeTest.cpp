// Operators that are told more than types: counts, permutations, roots; and
// those that have no row.

#include "Messages.h"

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::ChunkSizes;
using spmd::Permutation;
using spmd::shift;
using spmd::View;
using spmd::test::messageOf;
using spmd::test::messagesOf;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Axis axis(int Rank, int Size) {
  return spmd::Mesh({{"a", Size}}, Rank).axis("a");
}

/// Rank r sends r + q rows to rank q.
ChunkSizes sentBy(int Rank, int Ranks) {
  ChunkSizes Out;
  for (int Q = 0; Q < Ranks; ++Q)
    Out.push_back((Rank + Q) % 3);
  return Out;
}

TEST(AllToAll, TakesCountsOfRows) {
  for (const int Ranks : {1, 2, 4})
    spmd::run_local(Ranks, [&](int Rank) {
      const Axis A = axis(Rank, Ranks);
      const ChunkSizes Sent = sentBy(Rank, Ranks), &Received = Sent;
      std::vector<float> In, Out, Back, Expected;
      for (int Q = 0; Q < Ranks; ++Q) {
        In.insert(In.end(), 2 * static_cast<std::size_t>(Sent[Q]),
                  static_cast<float>(10 * Rank + Q));
        Expected.insert(Expected.end(), 2 * static_cast<std::size_t>(Sent[Q]),
                        static_cast<float>(10 * Q + Rank));
      }
      Out.resize(Expected.size());
      Back.resize(In.size());
      const auto Rows = static_cast<std::int64_t>(In.size() / 2);
      const View X(In.data(), {Rows, 2}), Y(Out.data(), {Rows, 2});
      all_to_all(X, Y, A, spmd::V, spmd::V, Sent, Received);
      EXPECT_EQ(Expected, Out);
      all_to_all_async(Y, View(Back.data(), {Rows, 2}), A, spmd::V, spmd::V,
                       Received, Sent)
          .wait();
      EXPECT_EQ(In, Back);
    });
}

TEST(AllToAll, CountsThatCannotBeAreErrors) {
  float X[4] = {}, Y[4] = {};
  const auto Call = [&](const ChunkSizes &Sent, const ChunkSizes &Received) {
    return messageOf([&] {
      all_to_all(View(X, {4}), View(Y, {4}), axis(0, 2), spmd::V, spmd::V, Sent,
                 Received);
    });
  };
  EXPECT_THAT(Call({4}, {2, 2}),
              HasSubstr("send_counts has 1 entries, one for each rank is "
                        "needed"));
  EXPECT_THAT(Call({5, -1}, {2, 2}), HasSubstr("send_counts[1] is -1"));
  EXPECT_THAT(Call({2, 1}, {2, 2}),
              HasSubstr("send_counts add up to 3, not to dim 0 of [4]"));
  EXPECT_THAT(Call({2, 2}, {2, 1}),
              HasSubstr("the result is [3], the output given is f32[4]"));
}

TEST(AllToAll, ARankThatSendsMoreThanIsExpectedIsAnError) {
  const auto Texts = messagesOf(2, [](int Rank) {
    float X[4] = {}, Y[4] = {};
    const ChunkSizes Sent = Rank ? ChunkSizes{3, 1} : ChunkSizes{2, 2};
    all_to_all(View(X, {4}), View(Y, {4}), axis(Rank, 2), spmd::V, spmd::V,
               Sent, {2, 2});
  });
  // The check of calls comes first where it is on.
  EXPECT_THAT(Texts[0],
              AnyOf(HasSubstr("rank 1 sends another number of elements than "
                              "this rank expects"),
                    HasSubstr("rank 1 sends 3 to rank 0, which expects 2")));
}

TEST(Permute, AlongARingAPipelineAndByHand) {
  spmd::run_local(4, [](int Rank) {
    const Axis A = axis(Rank, 4);
    const auto From = [&](const Permutation &To) {
      float X = static_cast<float>(Rank + 1), Y = -1, Z = -1;
      permute(View(&X, {1}), View(&Y, {1}), A, spmd::V, spmd::V, To);
      permute_async(View(&X, {1}), View(&Z, {1}), A, spmd::V, spmd::V, To)
          .wait();
      EXPECT_EQ(Y, Z);
      return static_cast<int>(Y) - 1;
    };
    EXPECT_EQ((Rank + 3) % 4, From(shift(1)));
    EXPECT_EQ((Rank + 1) % 4, From(shift(-5)));
    // Nobody sends to the first stage: it has zeros.
    EXPECT_EQ(Rank - 1, From(shift(1, false)));
    EXPECT_EQ(Rank == 3 ? -1 : Rank + 1, From(shift(-1, false)));
    EXPECT_EQ((std::vector<int>{1, 0, 2, -1})[Rank],
              From(Permutation({1, 0, 2, Permutation::Nobody})));
  });
}

TEST(Permute, OfOneRankKeepsOrLosesItsValue) {
  float X = 3, Y = -1;
  const Axis A = axis(0, 1);
  permute(View(&X, {1}), View(&Y, {1}), A, spmd::V, spmd::V, shift(1));
  EXPECT_EQ(3, Y);
  permute(View(&X, {1}), View(&Y, {1}), A, spmd::V, spmd::V, shift(1, false));
  EXPECT_EQ(0, Y);
}

TEST(Permute, WhatIsNoneIsAnError) {
  float X = 0, Y = 0;
  const auto Call = [&](std::vector<int> To) {
    return messageOf([&] {
      permute(View(&X, {1}), View(&Y, {1}), axis(0, 3), spmd::V, spmd::V,
              Permutation(std::move(To)), {"train.cpp", 7});
    });
  };
  EXPECT_EQ("train.cpp:7: spmd::permute over axis 'a' of 3 ranks: the "
            "permutation has 2 entries",
            Call({1, 0}));
  EXPECT_THAT(Call({1, 3, 0}),
              HasSubstr("the permutation sends rank 1 to 3, no rank of it"));
  EXPECT_THAT(Call({1, 2, 1}),
              HasSubstr("the permutation sends ranks 0 and 2 both to 1"));
}

TEST(Roots, AreRanksOfTheAxis) {
  float X = 0, Y = 0;
  const auto Call = [&](int Root) {
    return messageOf(
        [&] { broadcast(View(&X, {1}), axis(0, 2), spmd::V, spmd::R, Root); });
  };
  EXPECT_THAT(Call(2), HasSubstr("spmd::broadcast(V -> R, root 2) of f32[1] "
                                 "over axis 'a' of 2 ranks: root 2 is no rank "
                                 "of it"));
  EXPECT_THAT(Call(-1), HasSubstr("root -1 is no rank of it"));
  EXPECT_THAT(messageOf([&] {
                reduce(View(&X, {1}), View(&Y, {1}), axis(0, 2), spmd::P,
                       spmd::V, 5);
              }),
              HasSubstr("root 5 is no rank of it"));
}

TEST(Roots, ThatDifferAreAnErrorOnAllRanks) {
  const auto Texts = messagesOf(2, [](int Rank) {
    float X = 0;
    broadcast(View(&X, {1}), axis(Rank, 2), spmd::V, spmd::R, Rank);
  });
  EXPECT_THAT(Texts, Each(HasSubstr("rank 0 calls broadcast(V -> R, root 0) of "
                                    "f32[1]")));
}

TEST(Roots, AreInTheFlightRecord) {
  spmd::run_local(2, [](int Rank) {
    float X = 0;
    const Axis A = axis(Rank, 2);
    broadcast(View(&X, {1}), A, spmd::V, spmd::R, 1);
    barrier(A);
    const std::vector<spmd::FlightEntry> All = spmd::flight_record();
    ASSERT_EQ(2U, All.size());
    EXPECT_EQ(1, All[0].Root);
    EXPECT_EQ(spmd::rules::OperatorKind::Barrier, All[1].Op);
  });
}

TEST(Broadcast, InPlaceAndStarted) {
  spmd::run_local(3, [](int Rank) {
    const Axis A = axis(Rank, 3);
    std::vector<double> X(600, Rank), Y(600);
    broadcast(View(X.data(), {600}), A, spmd::V, spmd::I, 1);
    EXPECT_THAT(X, Each(1));
    X.assign(600, Rank);
    broadcast_async(View(X.data(), {600}), View(Y.data(), {600}), A, spmd::V,
                    spmd::R, 2)
        .wait();
    EXPECT_THAT(Y, Each(2));
  });
}

TEST(Extremes, OfEveryType) {
  spmd::run_local(4, [](int Rank) {
    const Axis A = axis(Rank, 4);
    float X[3] = {static_cast<float>(Rank), 1, static_cast<float>(-Rank)};
    float Most[3], Least[3];
    const View In(X, {3});
    all_reduce_max(In, View(Most, {3}), A, spmd::V, spmd::R);
    all_reduce_min(In, View(Least, {3}), A, spmd::V, spmd::I);
    EXPECT_THAT(Most, ElementsAre(3, 1, 0));
    EXPECT_THAT(Least, ElementsAre(0, 1, -3));
    all_reduce_max_async(In, A, spmd::V, spmd::R).wait();
    EXPECT_THAT(X, ElementsAre(3, 1, 0));
    spmd::half H = spmd::half::of(static_cast<float>(Rank) - 2);
    all_reduce_min(View(&H, {1}), A, spmd::V, spmd::R);
    EXPECT_EQ(-2, static_cast<float>(H));
    std::vector<std::int64_t> Long(1000, Rank);
    all_reduce_max(View(Long.data(), {1000}), A, spmd::V, spmd::R);
    EXPECT_THAT(Long, Each(3));
  });
}

TEST(ReduceScatterMean, ScalesTheSum) {
  spmd::run_local(2, [](int Rank) {
    const Axis A = axis(Rank, 2);
    float X[2] = {static_cast<float>(Rank), 5}, Y = 0;
    reduce_scatter_mean(View(X, {2}), View(&Y, {1}), A, spmd::P, spmd::S(0));
    EXPECT_EQ(Rank ? 5 : 0.5F, Y);
    Y = 0;
    reduce_scatter_mean_async(View(X, {2}), View(&Y, {1}), A, spmd::P,
                              spmd::S(0))
        .wait();
    EXPECT_EQ(Rank ? 5 : 0.5F, Y);
    int N[2] = {}, M = 0;
    EXPECT_THAT(messageOf([&] {
                  reduce_scatter_mean(View(N, {2}), View(&M, {1}), A, spmd::P,
                                      spmd::S(0));
                }),
                HasSubstr("spmd::reduce_scatter_mean(P -> S(0)) of i32[2] over "
                          "axis 'a' of 2 ranks: whole numbers are not scaled"));
  });
}

TEST(Barrier, WaitsForAll) {
  std::atomic<int> Here{0};
  spmd::run_local(4, [&](int Rank) {
    const Axis A = axis(Rank, 4);
    for (int Round = 1; Round < 5; ++Round) {
      ++Here;
      barrier(A);
      EXPECT_GE(Here.load(), 4 * Round);
      barrier(A);
    }
  });
  spmd::barrier(axis(0, 1));
}

TEST(Barrier, HasItsNameInErrors) {
  const auto Texts = messagesOf(2, [](int Rank) {
    float X = 0;
    if (Rank)
      all_reduce(View(&X, {1}), axis(Rank, 2), spmd::P, spmd::R);
    else
      barrier(axis(Rank, 2));
  });
  EXPECT_THAT(Texts[0], HasSubstr("rank 0 calls barrier"));
}

} // namespace
