#include <spmd/spmd.h>

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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

template <class Fn> std::string messageOf(Fn Call) {
  try {
    Call();
  } catch (const spmd::Error &E) {
    return E.what();
  }
  return "no error";
}

Axis tp(int Size, int Rank) { return Mesh({{"tp", Size}}, Rank).axis("tp"); }

/// Notes what it is asked for; a sum is that of equal ranks.
struct Recorder : spmd::Backend {
  const char *name() const override { return "recorder"; }
  void note(const char *What, const View &In, const View &Out) {
    Calls.push_back(std::string(What) + " " + In.str() + " -> " + Out.str());
  }
  void allReduce(const View &In, const View &Out, const Axis &A) override {
    note("all_reduce", In, Out);
    for (int64_t E = 0; E < In.numel(); ++E)
      static_cast<float *>(Out.data())[E] =
          static_cast<float *>(In.data())[E] * static_cast<float>(A.size());
  }
  void allGather(const View &In, const View &Out, const Axis &,
                 spmd::Placement) override {
    note("all_gather", In, Out);
  }
  void reduceScatter(const View &In, const View &Out, const Axis &,
                     spmd::Placement) override {
    note("reduce_scatter", In, Out);
  }
  void allToAll(const View &In, const View &Out, const Axis &, spmd::Placement,
                spmd::Placement) override {
    note("all_to_all", In, Out);
  }
  std::vector<std::string> Calls;
};

struct WithBackend : ::testing::Test {
  std::shared_ptr<Recorder> Backend = std::make_shared<Recorder>();
  WithBackend() { spmd::set_backend(Backend); }
  ~WithBackend() override { spmd::set_backend(nullptr); }
};

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
  spmd::redistribute(In, Out, Mesh({{"tp", 1}}, 0), "[8@tp]", "[8]");
  EXPECT_TRUE(Taken());
}

TEST(NoBackend, ErrorNamesOperatorAndAxis) {
  float A[2] = {};
  EXPECT_EQ("spmd::all_reduce over axis 'tp' of 4 ranks: no backend is "
            "installed, see spmd::set_backend",
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
  EXPECT_THAT(
      messageOf([&] { all_gather(View(A, {2}), View(B, {4}), Four, S(0), R); }),
      HasSubstr("from f32[2] the result is [8], the output given is "
                "f32[4]"));
  EXPECT_THAT(
      messageOf([&] { convert(View(A, {2, 4}), View(B, {4}), Four, R, V); }),
      HasSubstr("one entry of the leading dim per rank"));
  EXPECT_THAT(
      messageOf([&] { all_gather(View(A, {2}), View(B, {8}), Four, S(1), R); }),
      HasSubstr("S(1) of a tensor of shape [2]"));
}

TEST_F(WithBackend, CommunicatesWithCheckedShapes) {
  float A[8] = {1, 1, 1, 1, 1, 1, 1, 1}, B[16] = {};
  const Axis Two = tp(2, 1);
  all_reduce(View(A, {8}), Two, V, I);
  all_gather(View(A, {2, 4}), View(B, {2, 8}), Two, S(-1), R);
  all_gather(View(A, {8}), View(B, {2, 8}), Two, V, R);
  reduce_scatter(View(A, {2, 4}), View(B, {1, 4}), Two, P, S(0));
  reduce_scatter(View(A, {2, 4}), View(B, {4}), Two, P, V);
  all_to_all(View(A, {2, 4}), View(B, {4, 2}), Two, S(0), S(1));
  redistribute(View(A, {2, 4}), View(B, {2, 2}), Two, P, S(1));
  EXPECT_THAT(Backend->Calls,
              ElementsAre("all_reduce f32[8] -> f32[8]",
                          "all_gather f32[2, 4] -> f32[2, 8]",
                          "all_gather f32[8] -> f32[2, 8]",
                          "reduce_scatter f32[2, 4] -> f32[1, 4]",
                          "reduce_scatter f32[2, 4] -> f32[4]",
                          "all_to_all f32[2, 4] -> f32[4, 2]",
                          "reduce_scatter f32[2, 4] -> f32[2, 2]"));
  EXPECT_EQ(2, A[0]);
}

TEST_F(WithBackend, LocalOperatorsNeverCall) {
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
  EXPECT_TRUE(Backend->Calls.empty());
}

} // namespace
