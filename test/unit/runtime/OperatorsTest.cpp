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
  EXPECT_EQ(
      "spmd: no communicator for axis 'tp' of 4 ranks: this thread is not "
      "a rank of spmd::run_local, and no other backend is installed, see "
      "spmd::set_backend",
      messageOf([&] { all_reduce(View(A, {2}), tp(4, 0), P, R); }));
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
  EXPECT_EQ(3, spmd::out_partial(3, Two));
  const auto Twice =
      spmd::local_map([](int N) { return 2 * N; }, {"tp: V"}, {"tp: V"});
  EXPECT_EQ(4, Twice(2));
}

} // namespace
