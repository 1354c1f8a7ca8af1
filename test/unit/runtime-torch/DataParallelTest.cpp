// Gradients that are reduced while the backward still runs.

#include "Messages.h"

#include <spmd/data_parallel.h>
#include <spmd/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using spmd::Axis;
using spmd::P;
using spmd::R;

namespace {

/// Three layers with the same parameters on all ranks, and data of the rank's.
struct Trainer {
  explicit Trainer(double Mine) : X(torch::full({2, 4}, Mine)) {
    // Threads share torch's random numbers.
    for (int Layer = 0; Layer < 3; ++Layer)
      Parameters.push_back((torch::arange(16.0).view({4, 4}) + Layer)
                               .sin()
                               .set_requires_grad(true));
  }
  at::Tensor loss() const {
    at::Tensor H = X;
    for (const at::Tensor &W : Parameters)
      H = at::matmul(H, W).tanh();
    return H.sum();
  }
  std::vector<at::Tensor> gradients() const {
    std::vector<at::Tensor> Out;
    for (const at::Tensor &W : Parameters)
      Out.push_back(W.grad().clone());
    return Out;
  }
  std::vector<at::Tensor> Parameters;
  at::Tensor X;
};

void onRanks(const std::function<void(int, const Axis &)> &Body) {
  spmd::run_local(3, [&](int Rank) {
    Body(Rank, spmd::Mesh({{"dp", 3}}, Rank).axis("dp"));
  });
}

TEST(DataParallel, MakesTheMeansOfTheGradients) {
  for (const std::size_t Bytes :
       {std::size_t(1), std::size_t(100), spmd::DefaultBucketBytes})
    onRanks([&](int Rank, const Axis &Dp) {
      const Trainer Alone(Rank + 1.0), Together(Rank + 1.0);
      spmd::DataParallel Sync(Together.Parameters, Dp, P, R, Bytes);
      for (int Step = 0; Step < 2; ++Step) {
        for (const Trainer *T : {&Alone, &Together})
          for (const at::Tensor &W : T->Parameters)
            W.mutable_grad().reset();
        Alone.loss().backward();
        const std::vector<at::Tensor> Means =
            all_reduce_mean(Alone.gradients(), Dp, P, R);
        Together.loss().backward();
        Sync.wait();
        for (std::size_t I = 0; I < Means.size(); ++I)
          EXPECT_TRUE(at::allclose(Means[I], Together.gradients()[I]));
      }
    });
}

TEST(DataParallel, BucketsStartWhileTheBackwardRuns) {
  onRanks([](int Rank, const Axis &Dp) {
    const Trainer T(Rank + 1.0);
    spmd::DataParallel Sync(T.Parameters, Dp, P, R, 1);
    T.loss().backward();
    EXPECT_EQ(3U, spmd::flight_record().size());
    Sync.wait();
    EXPECT_EQ(3U, spmd::flight_record().size());
  });
}

TEST(DataParallel, WhatTookNoPartHasZeros) {
  onRanks([](int Rank, const Axis &Dp) {
    Trainer T(Rank + 1.0);
    const at::Tensor Unused = torch::ones({2}).set_requires_grad(true);
    T.Parameters.insert(T.Parameters.begin() + 1, Unused);
    spmd::DataParallel Sync(T.Parameters, Dp, P, R);
    (Rank == 1 ? Unused.sum() : T.Parameters[0].sum()).backward();
    Sync.wait();
    EXPECT_TRUE(at::allclose(Unused.grad(), torch::full({2}, 1.0 / 3)));
    EXPECT_TRUE(
        at::allclose(T.Parameters[0].grad(), torch::full({4, 4}, 2.0 / 3)));
    EXPECT_EQ(0, T.Parameters[2].grad().abs().sum().item<double>());
  });
}

TEST(DataParallel, ASecondBackwardBeforeTheWaitIsAnError) {
  onRanks([](int Rank, const Axis &Dp) {
    const Trainer T(Rank + 1.0);
    spmd::DataParallel Sync(T.Parameters, Dp, P, R, 1, {"train.cpp", 4});
    T.loss().backward();
    EXPECT_EQ("train.cpp:4: spmd::DataParallel: a gradient is made once more "
              "before wait() has been called for the backward before",
              spmd::test::messageOf([&] { T.loss().backward(); }));
    Sync.wait();
  });
}

} // namespace
