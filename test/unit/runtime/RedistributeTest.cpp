//===- RedistributeTest.cpp - Every spec to every other -------------------===//
//
// Against what specs mean: an element's value is the sum over the axes on which
// it is partial; ranks that differ on R and I axes alone have the same.
//
//===----------------------------------------------------------------------===//

#include <spmd/spmd.h>

#include "Messages.h"
#include "RedistributeCases.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

using namespace spmd::test;

namespace {

using spmd::Shape;
using spmd::View;

/// Runs all pairs on the ranks of \p M, one after the other, and compares.
template <class T>
void checkPairs(const std::vector<spmd::Mesh::Dim> &M, const Shape &Whole,
                const std::vector<std::pair<TestSpec, TestSpec>> &Pairs) {
  int Ranks = 1;
  for (const spmd::Mesh::Dim &D : M)
    Ranks *= D.Size;
  std::vector<Values> Results(Pairs.size());
  for (Values &V : Results)
    V.resize(static_cast<std::size_t>(Ranks));
  spmd::run_local(Ranks, [&](int Rank) {
    const spmd::Mesh Mesh(M, Rank);
    for (std::size_t I = 0; I < Pairs.size(); ++I) {
      const auto &[Src, Dst] = Pairs[I];
      const std::string From = Src.str(Whole, Mesh), To = Dst.str(Whole, Mesh);
      const std::vector<double> Drawn = Src.draw(Whole, Mesh);
      std::vector<T> X(Drawn.begin(), Drawn.end());
      const Shape In = Src.localShape(Whole, Mesh);
      const Shape Out = spmd::redistributed(In, Mesh, From, To);
      EXPECT_EQ(Out, Dst.localShape(Whole, Mesh));
      std::vector<T> Y(static_cast<std::size_t>(Out.numel()) + 1, T(77));
      spmd::redistribute(View(X.data(), In), View(Y.data(), Out), Mesh, From,
                         To);
      EXPECT_EQ(Y.back(), T(77));
      std::vector<T> Z(Y.size(), T(77));
      spmd::Work Later = spmd::redistribute_async(
          View(X.data(), In), View(Z.data(), Out), Mesh, From, To);
      Later.wait();
      EXPECT_EQ(Y, Z);
      Y.pop_back();
      Results[I][static_cast<std::size_t>(Rank)].assign(Y.begin(), Y.end());
    }
  });
  for (std::size_t I = 0; I < Pairs.size(); ++I) {
    const auto &[Src, Dst] = Pairs[I];
    const spmd::Mesh Mesh(M, 0);
    ASSERT_EQ(Dst.check(Whole, M, Results[I]), "")
        << Src.str(Whole, Mesh) << " to " << Dst.str(Whole, Mesh);
  }
}

const std::vector<spmd::Mesh::Dim> TwoByTwo = {{"a", 2}, {"b", 2}};

void checkAll(const Shape &Whole, const std::vector<spmd::Mesh::Dim> &M) {
  const std::vector<TestSpec> All = allSpecs(Whole.size(), M.size());
  std::vector<std::pair<TestSpec, TestSpec>> Pairs;
  for (const TestSpec &Src : All)
    for (const TestSpec &Dst : All)
      Pairs.emplace_back(Src, Dst);
  checkPairs<double>(M, Whole, Pairs);
}

TEST(Redistribute, EveryPairOfNumbersIsExact) { checkAll({}, TwoByTwo); }

TEST(Redistribute, EveryPairOfVectorsIsExact) {
  checkAll({8}, TwoByTwo);
  checkAll({5}, TwoByTwo);
  checkAll({1}, TwoByTwo);
}

TEST(Redistribute, EveryPairOfMatricesIsExact) {
  checkAll({4, 4}, TwoByTwo);
  checkAll({5, 3}, TwoByTwo);
  checkAll({6, 5}, {{"a", 2}, {"b", 3}});
}

TEST(Redistribute, PairsOfRankThreeOnThreeAxesAreExact) {
  const std::vector<spmd::Mesh::Dim> M = {{"a", 2}, {"b", 2}, {"c", 2}};
  const std::vector<TestSpec> All = allSpecs(3, 3);
  for (const Shape &Whole : {Shape{8, 4, 2}, Shape{5, 3, 7}}) {
    std::vector<std::pair<TestSpec, TestSpec>> Pairs;
    std::uint32_t Random = 1;
    for (int I = 0; I < 400; ++I) {
      const auto Next = [&] {
        Random = Random * 1664525 + 1013904223;
        return All[(Random >> 8) % All.size()];
      };
      const TestSpec Src = Next();
      Pairs.emplace_back(Src, Next());
    }
    checkPairs<std::int32_t>(M, Whole, Pairs);
  }
}

TEST(Redistribute, SizesThatAreNamesAreTheOperands) {
  spmd::run_local(4, [](int Rank) {
    const spmd::Mesh M({{"a", 2}, {"b", 2}}, Rank);
    float X[4] = {1.f * Rank, 2, 3, 4}, Y[4];
    EXPECT_EQ(Shape({4, 1}),
              spmd::redistributed({2, 2}, M, "[B@a, H]", "[_, H@a]"));
    spmd::redistribute(View(X, {2, 2}), View(Y, {4, 1}), M, "[B@a, H]",
                       "[_, H@a]");
    // Axis b is in neither spec: its halves do not meet.
    const float First = static_cast<float>(Rank % 2);
    if (Rank < 2) {
      EXPECT_EQ(Y[0], First);
      EXPECT_EQ(Y[2], First + 2);
    }
  });
}

TEST(Redistribute, MayBeInPlace) {
  spmd::run_local(4, [](int Rank) {
    const spmd::Mesh M(TwoByTwo, Rank);
    float X[4] = {0, 1, 2, 3};
    for (float &E : X)
      E += 10.f * static_cast<float>(Rank);
    const View V(X, {1, 4});
    spmd::redistribute(V, V, M, "[4@(a,b), 4]", "[4@(b,a), 4]");
    const int From = Rank == 1 ? 2 : Rank == 2 ? 1 : Rank;
    EXPECT_EQ(X[3], 3 + 10.f * static_cast<float>(From));
  });
}

TEST(Redistribute, DualOfASpecSwapsReplicateAndPartial) {
  EXPECT_EQ("bf16[8@(dp,tp), H]{a: P, b: R, c: I, d: V}",
            spmd::dual("bf16[ 8@(dp, tp),H ]{a: R; b: partial, c: Replicate,"
                       " d: V}"));
}

TEST(Redistribute, SpecsAreBuiltByCode) {
  EXPECT_EQ("[]", spmd::Spec().str());
  EXPECT_EQ("[8@dp, 16@(cp,tp), _]{ep: P, pp: R}", spmd::Spec()
                                                       .dim(8, {"dp"})
                                                       .dim(16, {"cp", "tp"})
                                                       .on("ep", spmd::P)
                                                       .dim()
                                                       .on("pp", spmd::R)
                                                       .str());
}

TEST(Redistribute, PlansOnceForEachShape) {
  const spmd::Mesh M({{"a", 1}}, 0);
  const auto First = spmd::detail::planned(M, "[4@a]", "[4]{a: R}", {4}, {});
  const spmd::Mesh Copy = M;
  EXPECT_EQ(First, spmd::detail::planned(Copy, "[4@a]", "[4]{a: R}", {4}, {}));
}

std::shared_ptr<const spmd::detail::Redistribution>
planOf(const spmd::Mesh &M, std::int64_t Columns) {
  return spmd::detail::planned(M, "[2@a, _]", "[2, _@a]", {1, Columns}, {});
}

// Sequences of ever new lengths would fill the memory.
TEST(Redistribute, AMeshKeepsThePlansThatWereUsedLast) {
  const spmd::Mesh M({{"a", 2}}, 0);
  constexpr auto Most = static_cast<std::int64_t>(spmd::Mesh::MaxPlans);
  std::vector<std::weak_ptr<const spmd::detail::Redistribution>> Made;
  const std::weak_ptr<const spmd::detail::Redistribution> Often = planOf(M, 2);
  for (std::int64_t I = 2; I < Most + 12; ++I) {
    Made.push_back(planOf(M, 2 * I));
    planOf(M, 2);
  }
  EXPECT_FALSE(Often.expired());
  // It and the last of those.
  for (std::size_t I = 0; I < Made.size(); ++I)
    EXPECT_EQ(Made[I].expired(), I < Made.size() - (spmd::Mesh::MaxPlans - 1))
        << I;
}

TEST(Redistribute, APlanThatIsDroppedIsStillCarriedOut) {
  spmd::run_local(2, [](int Rank) {
    const spmd::Mesh M({{"a", 2}}, Rank);
    float X[2] = {Rank * 2.F, Rank * 2.F + 1}, Y[2] = {};
    spmd::Work Moved = spmd::redistribute_async(
        View(X, {1, 2}), View(Y, {2, 1}), M, "[2@a, _]", "[2, _@a]");
    for (std::size_t I = 2; I < spmd::Mesh::MaxPlans + 2; ++I)
      planOf(M, static_cast<std::int64_t>(2 * I));
    Moved.wait();
    EXPECT_EQ(Rank, Y[0]);
    EXPECT_EQ(Rank + 2, Y[1]);
    // What is planned anew meets on the axis that the first one made.
    spmd::redistribute(View(X, {1, 2}), View(Y, {2, 1}), M, "[2@a, _]",
                       "[2, _@a]");
    EXPECT_EQ(Rank + 2, Y[1]);
  });
}

TEST(Redistribute, ThreadsPlanOnOneMesh) {
  const spmd::Mesh M({{"a", 2}}, 0);
  std::vector<std::thread> All;
  for (int T = 0; T < 3; ++T)
    All.emplace_back([&M, T] {
      for (std::size_t I = 0; I < spmd::Mesh::MaxPlans; ++I) {
        const auto Columns = static_cast<std::int64_t>(2 * (I + T * 200 + 1));
        EXPECT_EQ((Shape{2, Columns / 2}),
                  spmd::detail::resultShape(*planOf(M, Columns)));
      }
    });
  for (std::thread &T : All)
    T.join();
}

TEST(Redistribute, SaysWhatIsWrong) {
  const spmd::Mesh M({{"a", 2}, {"b", 2}}, 0);
  const auto Of = [&](const Shape &In, const char *Src, const char *Dst) {
    return messageOf(
        [&] { spmd::redistributed(In, M, Src, Dst, {"train.cpp", 7}); });
  };
  EXPECT_EQ("train.cpp:7: spmd: '[8@a' is no partition spec: at 5 expected ']'",
            Of({4}, "[8@a", "[8]{a: R}"));
  EXPECT_EQ("train.cpp:7: spmd: '[8]{a: S}' is no partition spec: at 8 "
            "expected R, I, V or "
            "P",
            Of({4}, "[8@a]", "[8]{a: S}"));
  EXPECT_EQ("train.cpp:7: spmd: '[8@a, 8@a]' names axis 'a' twice",
            Of({4}, "[8@a, 8@a]", "[8]{a: R}"));
  EXPECT_EQ("train.cpp:7: spmd::Mesh: no axis 'c', the axes are a, b",
            Of({4}, "[8@c]", "[8]{c: R}"));
  EXPECT_EQ("train.cpp:7: spmd::redistribute from '[8@a]' to '[8]': how values "
            "on axis 'a' "
            "make up a tensor is said in '[8@a]' alone: say in both what they "
            "are, as in {a: R}",
            Of({4}, "[8@a]", "[8]"));
  EXPECT_EQ("train.cpp:7: spmd::redistribute from '[8@a]' to '[8]{a: R}': the "
            "operand is "
            "[8], this rank's part of [8] is [4]",
            Of({8}, "[8@a]", "[8]{a: R}"));
  EXPECT_EQ("train.cpp:7: spmd::redistribute from '[B@a]' to '[H]{a: R}': dim "
            "0 is B and H",
            Of({8}, "[B@a]", "[H]{a: R}"));
  EXPECT_EQ("train.cpp:7: spmd::redistribute from '[8@a]' to '[4, 2]{a: R}': 1 "
            "dim do not "
            "become 2 dims",
            Of({4}, "[8@a]", "[4, 2]{a: R}"));
  float X[4] = {};
  EXPECT_EQ("train.cpp:8: spmd::redistribute from '[8@a]' to '[8]{a: R}' of "
            "f32[4]: the result is f32[8], the output given is f32[4]",
            messageOf([&] {
              redistribute(View(X, {4}), View(X, {4}), M, "[8@a]", "[8]{a: R}",
                           {"train.cpp", 8});
            }));
}

} // namespace
