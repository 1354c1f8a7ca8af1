// Parameters of which each rank keeps a part, trained as one rank trains them.

#include "Groups.h"
#include "Messages.h"

#include <spmd/fully_sharded.h>
#include <spmd/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

using spmd::Axis;

namespace {

constexpr int Rows = 12;

/// Linear layers of odd sizes, a number, and data: the same at every making.
struct Model {
  Model() {
    const auto Add = [this](at::IntArrayRef Shape) {
      const double At = static_cast<double>(Parameters.size()) + 1;
      Parameters.push_back(
          torch::arange(c10::multiply_integers(Shape) * 1.0, torch::kFloat64)
              .add(At)
              .mul(1.7)
              .sin()
              .mul(0.5)
              .reshape(Shape)
              .set_requires_grad(true));
    };
    Add({7, 4});
    Add({7});
    Add({2, 7});
    Add({});
    X = torch::arange(Rows * 4.0, torch::kFloat64)
            .mul(0.37)
            .sin()
            .view({-1, 4});
  }
  /// Of \p Count rows from \p First on.
  at::Tensor loss(std::int64_t First, std::int64_t Count) const {
    const at::Tensor H =
        at::linear(X.narrow(0, First, Count), Parameters[0], Parameters[1])
            .tanh();
    return (at::linear(H, Parameters[2]) * Parameters[3]).pow(2).mean();
  }
  std::vector<at::Tensor> Parameters;
  at::Tensor X;
};

/// What \p Steps of AdamW make of it on one rank.
std::vector<at::Tensor> trainedAlone(int Steps) {
  const Model M;
  torch::optim::AdamW Optimizer(M.Parameters, torch::optim::AdamWOptions(0.05));
  for (int Step = 0; Step < Steps; ++Step) {
    Optimizer.zero_grad();
    M.loss(0, Rows).backward();
    Optimizer.step();
  }
  return M.Parameters;
}

/// The largest difference from them on the ranks of \p A.
double trainedOn(const Axis &A, std::size_t Bytes, int Steps,
                 const std::vector<at::Tensor> &Alone) {
  const Model M;
  spmd::FullySharded Sharded = spmd::fully_sharded(M.Parameters, A, Bytes);
  torch::optim::AdamW Optimizer(Sharded.shards(),
                                torch::optim::AdamWOptions(0.05));
  const std::int64_t Mine = Rows / A.size();
  for (int Step = 0; Step < Steps; ++Step) {
    Optimizer.zero_grad();
    Sharded.gather();
    M.loss(A.rank() * Mine, Mine).backward();
    Sharded.wait();
    Optimizer.step();
  }
  Sharded.gather();
  double Largest = 0;
  for (std::size_t I = 0; I < Alone.size(); ++I)
    Largest = std::max(Largest,
                       (M.Parameters[I] - Alone[I]).abs().max().item<double>());
  return Largest;
}

constexpr int Steps = 12;

TEST(FullySharded, TrainsAsOneRankDoesOnThreads) {
  const std::vector<at::Tensor> Alone = trainedAlone(Steps);
  for (const int Ranks : {1, 2, 3, 4})
    for (const std::size_t Bytes :
         {std::size_t(1), std::size_t(100), spmd::DefaultBucketBytes})
      spmd::run_local(Ranks, [&](int Rank) {
        const Axis Dp = spmd::Mesh({{"dp", Ranks}}, Rank).axis("dp");
        EXPECT_LT(trainedOn(Dp, Bytes, Steps, Alone), 1e-12) << Ranks;
      });
}

TEST(FullySharded, TrainsAsOneRankDoesOnProcessGroups) {
  const std::vector<at::Tensor> Alone = trainedAlone(Steps);
  for (const int Ranks : {2, 3})
    spmd::test::Groups(Ranks).run([&](const Axis &Dp) {
      EXPECT_LT(trainedOn(Dp, 100, Steps, Alone), 1e-12) << Ranks;
    });
}

void onRanks(const std::function<void(int, const Axis &)> &Body) {
  spmd::run_local(3, [&](int Rank) {
    Body(Rank, spmd::Mesh({{"dp", 3}}, Rank).axis("dp"));
  });
}

TEST(FullySharded, KeepsItsPartBetweenSteps) {
  onRanks([](int Rank, const Axis &Dp) {
    const Model M;
    spmd::FullySharded Sharded = spmd::fully_sharded(M.Parameters, Dp);
    const auto Kept = [&] {
      std::int64_t Numbers = 0;
      for (const at::Tensor &X : M.Parameters)
        Numbers += X.numel() + (X.grad().defined() ? X.grad().numel() : 0);
      return Numbers;
    };
    // Seven rows are three, three and one.
    EXPECT_EQ((std::vector<std::int64_t>{Rank == 2 ? 1 : 3, 4}),
              Sharded.shards()[0].sizes().vec());
    EXPECT_EQ(Rank == 0 ? 1 : 0, Sharded.shards()[3].numel());
    EXPECT_EQ(0, Kept());
    Sharded.gather();
    EXPECT_EQ(28 + 7 + 14 + 1, Kept());
    M.loss(0, 2).backward();
    Sharded.wait();
    EXPECT_EQ(0, Kept());
    for (const at::Tensor &X : Sharded.shards())
      EXPECT_EQ(X.sizes(), X.grad().sizes());
  });
}

TEST(FullySharded, BucketsStartWhileTheBackwardRuns) {
  onRanks([](int, const Axis &Dp) {
    const Model M;
    spmd::FullySharded Sharded = spmd::fully_sharded(M.Parameters, Dp, 1);
    Sharded.gather();
    EXPECT_EQ(4U, spmd::flight_record().size());
    M.loss(0, 2).backward();
    EXPECT_EQ(8U, spmd::flight_record().size());
    Sharded.wait();
    EXPECT_EQ(8U, spmd::flight_record().size());
  });
}

TEST(FullySharded, ASecondBackwardBeforeTheWaitIsAnError) {
  onRanks([](int, const Axis &Dp) {
    const Model M;
    spmd::FullySharded Sharded =
        spmd::fully_sharded(M.Parameters, Dp, 1, {"train.cpp", 4});
    Sharded.gather();
    const at::Tensor Loss = M.loss(0, 2), Again = M.loss(2, 2);
    Loss.backward();
    EXPECT_EQ("train.cpp:4: spmd::fully_sharded: a gradient is made once more "
              "before wait() has been called for the backward before",
              spmd::test::messageOf([&] { Again.backward(); }));
    Sharded.wait();
  });
}

TEST(FullySharded, WhatIsFrozenIsAnErrorThatNamesIt) {
  onRanks([](int, const Axis &Dp) {
    const Model M;
    M.Parameters[1].requires_grad_(false);
    EXPECT_EQ("train.cpp:4: spmd::fully_sharded: parameter 1 is given no "
              "gradient: leave out what is frozen or computed",
              spmd::test::messageOf([&] {
                (void)spmd::fully_sharded(M.Parameters, Dp, 1,
                                          {"train.cpp", 4});
              }));
  });
}

} // namespace
