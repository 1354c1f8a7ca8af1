// redistribute of tensors: the result means what the operand does, and the
// gradient pairs with the operand as the result's does with the result.

#include "RedistributeCases.h"

#include <spmd/torch.h>

#include <gtest/gtest.h>

using namespace spmd::test;
using spmd::Shape;

namespace {

at::Tensor tensorOf(const std::vector<double> &X, const Shape &Of) {
  return torch::tensor(X, at::kDouble).reshape(spmd::detail::sizesOf(Of));
}

std::vector<double> valuesOf(const at::Tensor &X) {
  const at::Tensor Flat = X.detach().contiguous();
  const double *Data = Flat.data_ptr<double>();
  return std::vector<double>(Data, Data + Flat.numel());
}

struct Run {
  Values X, Y, GradY, GradX;
  explicit Run(std::size_t N) : X(N), Y(N), GradY(N), GradX(N) {}
};

/// By the operator that waits at once, and by the one that is started.
at::Tensor redistributed(const at::Tensor &X, const spmd::Mesh &M,
                         const std::string &Src, const std::string &Dst,
                         bool Starts) {
  return Starts ? spmd::redistribute_async(X, M, Src, Dst).wait()
                : spmd::redistribute(X, M, Src, Dst);
}

void checkPairs(const std::vector<spmd::Mesh::Dim> &M, const Shape &Whole,
                const std::vector<std::pair<TestSpec, TestSpec>> &Pairs,
                bool Starts = false) {
  int Ranks = 1;
  for (const spmd::Mesh::Dim &D : M)
    Ranks *= D.Size;
  std::vector<Run> Runs(Pairs.size(), Run(static_cast<std::size_t>(Ranks)));
  spmd::run_local(Ranks, [&](int Rank) {
    const spmd::Mesh Mesh(M, Rank);
    const auto R = static_cast<std::size_t>(Rank);
    for (std::size_t I = 0; I < Pairs.size(); ++I) {
      const auto &[Src, Dst] = Pairs[I];
      const at::Tensor X =
          tensorOf(Src.draw(Whole, Mesh), Src.localShape(Whole, Mesh))
              .set_requires_grad(true);
      const at::Tensor Y = redistributed(X, Mesh, Src.str(Whole, Mesh),
                                         Dst.str(Whole, Mesh), Starts);
      EXPECT_EQ(spmd::detail::shapeOf(Y), Dst.localShape(Whole, Mesh));
      const at::Tensor G =
          tensorOf(Dst.dual().draw(Whole, Mesh), Dst.localShape(Whole, Mesh));
      // A leaf that is returned itself gets its gradient all the same.
      (Y * 1).backward(G);
      Runs[I].X[R] = valuesOf(X);
      Runs[I].Y[R] = valuesOf(Y);
      Runs[I].GradY[R] = valuesOf(G);
      Runs[I].GradX[R] = valuesOf(X.grad());
    }
  });
  for (std::size_t I = 0; I < Pairs.size(); ++I) {
    const auto &[Src, Dst] = Pairs[I];
    const spmd::Mesh Mesh(M, 0);
    SCOPED_TRACE(Src.str(Whole, Mesh) + " to " + Dst.str(Whole, Mesh));
    ASSERT_EQ(Dst.check(Whole, M, Runs[I].Y), "");
    ASSERT_EQ(Src.dual().check(Whole, M, Runs[I].GradX), "");
    ASSERT_EQ(Dst.pair(M, Runs[I].GradY, Runs[I].Y),
              Src.pair(M, Runs[I].GradX, Runs[I].X));
  }
}

void checkAll(const Shape &Whole, bool Starts = false) {
  const std::vector<TestSpec> All = allSpecs(Whole.size(), 2);
  std::vector<std::pair<TestSpec, TestSpec>> Pairs;
  for (const TestSpec &Src : All)
    for (const TestSpec &Dst : All)
      Pairs.emplace_back(Src, Dst);
  checkPairs({{"a", 2}, {"b", 2}}, Whole, Pairs, Starts);
}

TEST(RedistributeTensors, EveryPairOfVectors) { checkAll({5}); }
TEST(RedistributeTensors, EveryPairOfMatrices) { checkAll({4, 3}); }
TEST(RedistributeTensors, EveryPairThatIsStarted) { checkAll({4, 3}, true); }

TEST(RedistributeTensors, PairsOfRankThreeOnThreeAxes) {
  const std::vector<TestSpec> All = allSpecs(3, 3);
  std::vector<std::pair<TestSpec, TestSpec>> Pairs;
  for (std::size_t I = 1; I < 200; ++I)
    Pairs.emplace_back(All[I * 7919 % All.size()],
                       All[I * 104729 % All.size()]);
  checkPairs({{"a", 2}, {"b", 2}, {"c", 2}}, {3, 4, 2}, Pairs);
}

TEST(RedistributeTensors, TakesTensorsThatAreNotContiguous) {
  spmd::run_local(2, [](int Rank) {
    const spmd::Mesh Mesh({{"a", 2}}, Rank);
    const at::Tensor X = (torch::arange(6.0) + 10 * Rank).reshape({3, 2}).t();
    const at::Tensor Y =
        spmd::redistribute(X, Mesh, "[_@a, _]", "[4, 3]{a: R}");
    EXPECT_EQ(12, Y[2][1].item<float>());
  });
}

TEST(RedistributeTensors, WhatChangesNothingIsTheOperand) {
  const spmd::Mesh Mesh({{"a", 1}, {"b", 1}}, 0);
  const at::Tensor X = torch::zeros({4});
  EXPECT_TRUE(
      spmd::redistribute(X, Mesh, "[4@a]", "[4]{b: P, a: R}").is_same(X));
  EXPECT_TRUE(spmd::redistribute_async(X, Mesh, "[4@a]", "[4]{b: P, a: R}")
                  .wait()
                  .is_same(X));
}

// The gradient is linear in the result's, and its own gradient is redistributed
// from src to dst.
TEST(RedistributeTensors, TheGradientHasAGradient) {
  const std::vector<spmd::Mesh::Dim> M = {{"a", 2}, {"b", 2}};
  for (const Shape &Whole : {Shape({}), Shape({3}), Shape({4, 3})})
    for (const TestSpec &Src : allSpecs(Whole.size(), 2))
      for (const TestSpec &Dst : allSpecs(Whole.size(), 2)) {
        Values Second(4);
        spmd::run_local(4, [&](int Rank) {
          const spmd::Mesh Mesh(M, Rank);
          const Shape In = Src.localShape(Whole, Mesh);
          const at::Tensor X = at::zeros(spmd::detail::sizesOf(In), at::kDouble)
                                   .set_requires_grad(true);
          const at::Tensor Y = spmd::redistribute(X, Mesh, Src.str(Whole, Mesh),
                                                  Dst.str(Whole, Mesh));
          const at::Tensor G = at::zeros_like(Y).set_requires_grad(true);
          const at::Tensor First = torch::autograd::grad(
              {Y * 1}, {X}, {G}, c10::nullopt, /*create_graph=*/true)[0];
          Second[static_cast<std::size_t>(Rank)] =
              valuesOf(torch::autograd::grad(
                  {First * 1}, {G}, {tensorOf(Src.draw(Whole, Mesh), In)})[0]);
        });
        const spmd::Mesh Mesh(M, 0);
        ASSERT_EQ(Dst.check(Whole, M, Second), "")
            << Src.str(Whole, Mesh) << " to " << Dst.str(Whole, Mesh);
      }
}

} // namespace
