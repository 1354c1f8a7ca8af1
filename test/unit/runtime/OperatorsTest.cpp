#include <spmd/spmd.h>

#include "Messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

using spmd::Axis;
using spmd::I;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;
using spmd::View;
using spmd::test::messageOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

Axis tp(int Size, int Rank) { return Mesh({{"tp", Size}}, Rank).axis("tp"); }

TEST(OneRank, EveryOperatorIsTheIdentity) {
  float A[4] = {1, 2, 3, 4}, B[4] = {};
  const View In(A, {2, 2}), Out(B, {2, 2}), Stacked(B, {1, 2, 2});
  const Axis One = tp(1, 0);
  const auto Taken = [&] {
    const bool Same = std::equal(A, A + 4, B);
    std::fill(B, B + 4, 0.0f);
    return Same;
  };
  spmd::all_reduce(In, Out, One, P, R);
  EXPECT_TRUE(Taken());
  spmd::all_gather(In, Out, One, S(1), I);
  EXPECT_TRUE(Taken());
  spmd::all_gather(In, Stacked, One, V, R);
  EXPECT_TRUE(Taken());
  spmd::reduce_scatter(In, Out, One, P, S(-1));
  EXPECT_TRUE(Taken());
  spmd::all_to_all(In, Out, One, S(0), S(1));
  EXPECT_TRUE(Taken());
  spmd::convert(In, Out, One, R, P);
  EXPECT_TRUE(Taken());
  spmd::redistribute(In, Out, One, P, S(0));
  EXPECT_TRUE(Taken());
  spmd::redistribute(In, Out, Mesh({{"tp", 1}}, 0), "[2@tp, 2]", "[2, 2]");
  EXPECT_TRUE(Taken());
}

TEST(OutsideOfARun, ErrorNamesTheAxisAndTheWayOut) {
  float A[2] = {};
  const std::string Text =
      "train.cpp:3: spmd::all_reduce(P -> R) of f32[2] over "
      "axis 'tp' of 4 ranks: no communicator: this thread "
      "is not a rank of spmd::run_local, and no other "
      "backend is installed, see spmd::set_backend";
  EXPECT_EQ(Text, messageOf([&] {
              all_reduce(View(A, {2}), tp(4, 0), P, R, {"train.cpp", 3});
            }));
  EXPECT_EQ(
      Text, messageOf([&] {
        all_reduce_async(View(A, {2}), tp(4, 0), P, R, {"train.cpp", 3}).wait();
      }));
}

TEST(Convert, SlicesTheDim) {
  float A[8] = {0, 1, 2, 3, 4, 5, 6, 7}, B[4] = {};
  spmd::convert(View(A, {2, 4}), View(B, {2, 2}), tp(2, 1), R, S(1));
  EXPECT_THAT(B, ElementsAre(2, 3, 6, 7));
  spmd::convert(View(A, {2, 4}), View(B, {1, 4}), tp(2, 1), I, S(0));
  EXPECT_THAT(B, ElementsAre(4, 5, 6, 7));
  spmd::convert(View(A, {2, 4}), View(B, {4}), tp(2, 0), R, V);
  EXPECT_THAT(B, ElementsAre(0, 1, 2, 3));
}

TEST(Convert, ToPartialPutsZerosElsewhere) {
  float A[2] = {1, 2}, B[4] = {9, 9, 9, 9};
  spmd::convert(View(A, {2, 1}), View(B, {2, 2}), tp(2, 1), S(-1), P,
                spmd::expert);
  EXPECT_THAT(B, ElementsAre(0, 1, 0, 2));
  spmd::convert(View(A, {2}), tp(2, 0), R, P);
  EXPECT_THAT(A, ElementsAre(1, 2));
  spmd::convert(View(A, {2}), tp(2, 1), R, P);
  EXPECT_THAT(A, ElementsAre(0, 0));
}

TEST(Convert, BackwardOfSliceIsItsTranspose) {
  // <convert(x), y> == <x, convert*(y)> for every basis vector and rank.
  for (int Rank = 0; Rank < 3; ++Rank)
    for (int X = 0; X < 6; ++X)
      for (int Y = 0; Y < 2; ++Y) {
        float Whole[6] = {}, Piece[2] = {}, Back[6] = {}, Seed[2] = {};
        Whole[X] = 1;
        Seed[Y] = 1;
        spmd::convert(View(Whole, {2, 3}), View(Piece, {2, 1}), tp(3, Rank), R,
                      S(1));
        spmd::convert(View(Seed, {2, 1}), View(Back, {2, 3}), tp(3, Rank), S(1),
                      P, spmd::expert);
        EXPECT_EQ(Piece[Y], Back[X]);
      }
}

TEST(Shapes, MisfitsAreErrors) {
  float A[8] = {}, B[8] = {};
  const Axis Four = tp(4, 0);
  EXPECT_THAT(messageOf([&] {
                reduce_scatter(View(A, {6}), View(B, {2}), Four, P, S(0));
              }),
              HasSubstr("dim 0 of shape [6] does not divide evenly"));
  EXPECT_THAT(messageOf([&] {
                convert(View(A, {6}), View(B, {2}), Four, R, S(0, {2, 2, 1}));
              }),
              HasSubstr("S(0) has 3 chunk sizes"));
  EXPECT_THAT(messageOf([&] {
                convert(View(A, {6}), View(B, {2}), Four, R,
                        S(0, {2, 2, 1, 0}));
              }),
              HasSubstr("dim 0 of shape [6] is not the sum of its chunks, 5"));
  EXPECT_THAT(
      messageOf([&] { all_gather(View(A, {2}), View(B, {4}), Four, S(0), R); }),
      HasSubstr("(S(0) -> R) of f32[2] over axis 'tp' of 4 ranks: the result "
                "is [8], the output given is f32[4]"));
  EXPECT_THAT(
      messageOf([&] { convert(View(A, {2, 4}), View(B, {4}), Four, R, V); }),
      HasSubstr("one entry of the leading dim per rank"));
  EXPECT_THAT(
      messageOf([&] { all_gather(View(A, {2}), View(B, {8}), Four, S(1), R); }),
      HasSubstr("S(1) of a tensor of shape [2]"));
}

TEST(Shapes, EvenShardsBecomeUnevenOnes) {
  spmd::run_local(2, [](int Rank) {
    const Axis Tp = tp(2, Rank);
    // [[0, 1, 2], [3, 4, 5]] by rows, then by columns 0 and 1 and column 2.
    float Row[3] = {3.0f * Rank, 3.0f * Rank + 1, 3.0f * Rank + 2};
    float Columns[4] = {}, Back[3] = {};
    const View Cut(Columns, {2, Rank == 0 ? 2 : 1});
    all_to_all(View(Row, {1, 3}), Cut, Tp, S(0), S(1, {2, 1}));
    if (Rank == 0)
      EXPECT_THAT(Columns, ElementsAre(0, 1, 3, 4));
    else
      EXPECT_THAT(Columns, ElementsAre(2, 5, 0, 0));
    all_to_all(Cut, View(Back, {1, 3}), Tp, S(1, {2, 1}), S(0));
    EXPECT_TRUE(std::equal(Row, Row + 3, Back));
  });
  // A rank whose own chunk stays fails with the others.
  spmd::run_local(3, [](int Rank) {
    float A[2] = {}, B[3] = {};
    EXPECT_THAT(messageOf([&] {
                  all_to_all(View(A, {2}), View(B, {3 - Rank}), tp(3, Rank),
                             S(0), S(0, {3, 2, 1}));
                }),
                HasSubstr("cuts dim 0 anew"));
  });
}

TEST(Buffers, MayBeOneWhereNothingIsReadTooLate) {
  spmd::run_local(2, [](int Rank) {
    const Axis Tp = tp(2, Rank);
    float X[4] = {1, 2, 3, 4};
    const View Whole(X, {4}), Mine(X + 2 * Rank, {2});
    reduce_scatter(Whole, Mine, Tp, P, S(0));
    EXPECT_EQ(2 + 4 * Rank, X[2 * Rank]);
    all_gather(Mine, Whole, Tp, S(0), R);
    EXPECT_THAT(X, ElementsAre(2, 4, 6, 8));
    convert(Whole, Mine, Tp, R, S(0));
    EXPECT_THAT(X, ElementsAre(2, 4, 6, 8));
  });
}

TEST(Buffers, ThatOverlapOtherwiseAreAnError) {
  spmd::run_local(2, [](int Rank) {
    float X[8] = {};
    const Mesh Two({{"tp", 2}}, Rank);
    const Axis Tp = Two.axis("tp");
    const auto Refused = [](auto Call) {
      EXPECT_THAT(messageOf(Call),
                  HasSubstr("operand and result overlap in memory"));
    };
    const View Four(X, {4}), Next(X + 1, {4}), Square(X, {2, 2});
    const View Other(X + 2 * (1 - Rank), {2});
    Refused([&] { all_reduce(Four, Next, Tp, P, R); });
    Refused([&] { (void)all_reduce_async(Four, Next, Tp, P, R); });
    Refused([&] { all_gather(Other, Four, Tp, S(0), R); });
    Refused([&] { reduce_scatter(Four, Other, Tp, P, S(0)); });
    Refused([&] { all_to_all(Square, Square, Tp, V, V); });
    Refused([&] { convert(Other, Four, Tp, S(0), P, spmd::expert); });
    Refused([&] { convert(Four, Other, Tp, R, S(0)); });
    Refused([&] { redistribute(Four, Next, Two, "[4]{tp: I}", "[4]{tp: R}"); });
  });
}

TEST(Buffers, WithoutMemoryAreAnError) {
  float X[4] = {}, *const None = nullptr;
  const Axis Two = tp(2, 0);
  EXPECT_THAT(messageOf([&] { all_reduce(View(None, {4}), Two, P, R); }),
              HasSubstr("the operand has no memory"));
  EXPECT_THAT(
      messageOf([&] { all_reduce(View(X, {4}), View(None, {4}), Two, P, R); }),
      HasSubstr("the result has no memory"));
  EXPECT_THAT(messageOf([&] {
                redistribute(View(None, {4}), View(X, {4}),
                             Mesh({{"tp", 2}}, 0), "[4]{tp: R}", "[4]{tp: P}");
              }),
              HasSubstr("the operand has no memory"));
}

TEST(LocalOperators, NeedNoCommunicator) {
  float A[2] = {1, 2}, B[2] = {};
  const Axis Two = tp(2, 0);
  const View X(A, {2});
  EXPECT_EQ(A, spmd::invariant_to_replicate(X, Two).data());
  EXPECT_EQ(A, spmd::reinterpret(X, Two, V, P).data());
  EXPECT_EQ(A, spmd::reinterpret(X, Two, R, P, spmd::expert).data());
  spmd::convert(X, View(B, {2}), Two, I, R);
  spmd::redistribute(X, View(B, {1}), Two, R, S(0));
  EXPECT_EQ(&A, &spmd::assert_type(A, "tp: R"));
  // It would refer to what is gone.
  static_assert(std::is_same<decltype(spmd::assert_type(std::string(), "")),
                             std::string>::value);
  EXPECT_EQ(3, spmd::out_partial(3, Two));
  const auto Twice =
      spmd::local_map([](int N) { return 2 * N; }, {"tp: V"}, {"tp: V"});
  EXPECT_EQ(4, Twice(2));
}

} // namespace
