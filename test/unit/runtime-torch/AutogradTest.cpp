// Forward and backward of the typed operators on tensors. The communicator
// plays two ranks that hold the same data, so every sum doubles.

#include <spmd/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using spmd::Axis;
using spmd::I;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;

namespace {

struct TwoEqualRanks : spmd::Communicator {
  int size() const override { return 2; }
  int rank() const override { return 1; }
  const char *kind() const override { return "two equal ranks"; }

  static const float *read(const void *Data) {
    return static_cast<const float *>(Data);
  }
  static float *write(void *Data) { return static_cast<float *>(Data); }
  static void twice(const float *From, float *To, int64_t Count) {
    std::transform(From, From + Count, To, [](float X) { return 2 * X; });
  }

  void allReduce(const spmd::Call &, const void *In, void *Out,
                 std::int64_t Count) override {
    twice(read(In), write(Out), Count);
    Calls += "all_reduce ";
  }
  void allGather(const spmd::Call &, const void *In, void *Out,
                 const spmd::Counts &Parts) override {
    std::copy_n(read(In), Parts[0],
                std::copy_n(read(In), Parts[0], write(Out)));
    Calls += "all_gather ";
  }
  void reduceScatter(const spmd::Call &, const void *In, void *Out,
                     const spmd::Counts &Parts) override {
    twice(read(In) + Parts.before(1), write(Out), Parts[1]);
    Calls += "reduce_scatter ";
  }
  void allToAll(const spmd::Call &, const void *In, const spmd::Counts &Sent,
                void *Out, const spmd::Counts &) override {
    for (int Rank = 0; Rank < 2; ++Rank)
      std::copy_n(read(In) + Sent.before(1), Sent[1],
                  write(Out) + Rank * Sent[1]);
    Calls += "all_to_all ";
  }
  std::string Calls;
};

struct Autograd : ::testing::Test {
  std::shared_ptr<TwoEqualRanks> Pair = std::make_shared<TwoEqualRanks>();
  Axis Tp = Axis("tp", Pair);

  /// Runs \p Op on 0 … 7 in shape 2x4, then backward from 0, 1, 2 …; returns
  /// the gradient.
  template <class Fn> at::Tensor gradient(Fn Op) {
    at::Tensor X = torch::arange(8.0).reshape({2, 4}).set_requires_grad(true);
    Y = Op(X);
    Forward = std::exchange(Pair->Calls, "");
    Y.backward(torch::arange(static_cast<double>(Y.numel())).view(Y.sizes()));
    Backward = std::exchange(Pair->Calls, "");
    return X.grad();
  }
  at::Tensor Y;
  std::string Forward, Backward;
};

bool same(const at::Tensor &A, const at::Tensor &B) {
  return A.sizes() == B.sizes() && at::allclose(A, B.to(A.scalar_type()));
}

at::Tensor count(at::IntArrayRef Shape, double Factor = 1) {
  const auto N = torch::empty(Shape).numel();
  return torch::arange(static_cast<double>(N)).view(Shape) * Factor;
}

TEST_F(Autograd, ParameterGradientIsSummed) {
  const at::Tensor G =
      gradient([&](at::Tensor X) { return invariant_to_replicate(X, Tp); });
  EXPECT_EQ("", Forward);
  EXPECT_EQ("all_reduce ", Backward);
  EXPECT_TRUE(same(Y, count({2, 4})));
  EXPECT_TRUE(same(G, count({2, 4}, 2)));
}

TEST_F(Autograd, AllReduceToInvariantIsFreeBackward) {
  at::Tensor G =
      gradient([&](at::Tensor X) { return all_reduce(X, Tp, P, I); });
  EXPECT_EQ("all_reduce ", Forward);
  EXPECT_EQ("", Backward);
  EXPECT_TRUE(same(G, count({2, 4})));
  G = gradient([&](at::Tensor X) { return all_reduce(X, Tp, P, R); });
  EXPECT_EQ("all_reduce ", Backward);
  EXPECT_TRUE(same(G, count({2, 4}, 2)));
}

// The pair of ranks adds, and leaves the mean to be made of it.
TEST_F(Autograd, TheGradientOfAMeanIsOne) {
  at::Tensor G =
      gradient([&](at::Tensor X) { return all_reduce_mean(X, Tp, P, I); });
  EXPECT_TRUE(same(Y, count({2, 4})));
  EXPECT_EQ("", Backward);
  EXPECT_TRUE(same(G, count({2, 4}, 0.5)));
  G = gradient([&](at::Tensor X) { return all_reduce_mean(X, Tp, P, R); });
  EXPECT_EQ("all_reduce ", Backward);
  EXPECT_TRUE(same(G, count({2, 4})));
  const at::Tensor Whole = torch::ones({2}, at::kInt);
  EXPECT_THROW((void)all_reduce_mean(Whole, Tp, P, R), spmd::Error);
  EXPECT_THROW((void)all_reduce_mean_async(Whole, Tp, P, R), spmd::Error);
}

TEST_F(Autograd, AllGatherAndReduceScatterAreTransposes) {
  at::Tensor G =
      gradient([&](at::Tensor X) { return all_gather(X, Tp, S(-1), R); });
  EXPECT_EQ("reduce_scatter ", Backward);
  EXPECT_TRUE(same(Y, torch::cat({count({2, 4}), count({2, 4})}, 1)));
  EXPECT_TRUE(same(G, 2 * count({2, 8}).narrow(1, 4, 4)));
  G = gradient([&](at::Tensor X) { return reduce_scatter(X, Tp, P, S(1)); });
  EXPECT_EQ("all_gather ", Backward);
  EXPECT_TRUE(same(Y, 2 * count({2, 4}).narrow(1, 2, 2)));
  EXPECT_TRUE(same(G, torch::cat({count({2, 2}), count({2, 2})}, 1)));
}

TEST_F(Autograd, VaryingStacks) {
  const at::Tensor G =
      gradient([&](at::Tensor X) { return all_gather(X, Tp, V, I); });
  EXPECT_EQ("", Backward);
  EXPECT_TRUE(same(Y, torch::stack({count({2, 4}), count({2, 4})})));
  EXPECT_TRUE(same(G, count({2, 2, 4})[1]));
}

TEST_F(Autograd, ConvertSlices) {
  at::Tensor G =
      gradient([&](at::Tensor X) { return convert(X, Tp, R, S(1)); });
  EXPECT_EQ("", Forward + Backward);
  EXPECT_TRUE(same(Y, count({2, 4}).narrow(1, 2, 2)));
  EXPECT_TRUE(same(G, torch::cat({torch::zeros({2, 2}), count({2, 2})}, 1)));
  G = gradient([&](at::Tensor X) { return convert(X, Tp, I, V); });
  EXPECT_EQ("all_gather ", Backward);
  EXPECT_TRUE(same(Y, count({2, 4})[1]));
  EXPECT_TRUE(same(G, torch::stack({count({4}), count({4})})));
}

TEST_F(Autograd, WhatIsSlicedIsNotTheOperand) {
  const torch::NoGradGuard Off;
  const at::Tensor X = count({2, 4});
  convert(X, Tp, R, S(0)).zero_();
  convert(X, Tp, I, V).zero_();
  redistribute(X, Tp, I, S(0)).zero_();
  redistribute_async(X, Tp, I, S(0)).wait().zero_();
  EXPECT_TRUE(same(X, count({2, 4})));
  // Nor is it a view to autograd, which would not let it be written.
  gradient([&](at::Tensor Y) {
    const torch::AutoGradMode On(true);
    return convert(Y.view({2, 4}), Tp, R, S(0)).mul_(2);
  });
}

TEST_F(Autograd, ViewsThatNegateAreTaken) {
  const at::Tensor X = at::_neg_view(count({2, 4}));
  EXPECT_TRUE(same(all_reduce(X, Tp, P, R), count({2, 4}, -2)));
  EXPECT_TRUE(same(all_reduce_async(X, Tp, P, R).wait(), count({2, 4}, -2)));
}

TEST_F(Autograd, ConvertToPartialKeepsOneRank) {
  const at::Tensor G =
      gradient([&](at::Tensor X) { return convert(X, Tp, R, P); });
  EXPECT_TRUE(same(Y, torch::zeros({2, 4})));
  EXPECT_TRUE(same(G, torch::zeros({2, 4})));
}

TEST_F(Autograd, OutPartialIsFree) {
  const at::Tensor G = gradient([&](at::Tensor X) {
    return spmd::reinterpret(spmd::out_partial(X * 2, Tp), Tp, V, P);
  });
  EXPECT_EQ("", Forward + Backward);
  EXPECT_TRUE(same(G, count({2, 4}, 2)));
}

TEST_F(Autograd, RedistributeTakesTheRowThatKeepsTheMeaning) {
  at::Tensor G =
      gradient([&](at::Tensor X) { return redistribute(X, Tp, P, S(0)); });
  EXPECT_EQ("reduce_scatter ", Forward);
  EXPECT_EQ("all_gather ", Backward);
  G = gradient([&](at::Tensor X) { return redistribute(X, Tp, R, S(0)); });
  EXPECT_EQ("", Forward + Backward);
  G = gradient([&](at::Tensor X) { return redistribute(X, Tp, S(0), S(1)); });
  EXPECT_EQ("all_to_all ", Forward);
  EXPECT_EQ("all_to_all ", Backward);
  EXPECT_EQ((std::vector<int64_t>{4, 2}), Y.sizes().vec());
  EXPECT_EQ((std::vector<int64_t>{2, 4}), G.sizes().vec());
  G = gradient([&](at::Tensor X) { return redistribute(X, Tp, V, V); });
  EXPECT_EQ("", Forward + Backward);
}

TEST_F(Autograd, InvariantUsedPerRankSumsItsGradient) {
  const at::Tensor G =
      gradient([&](at::Tensor X) { return spmd::reinterpret(X, Tp, I, V); });
  EXPECT_EQ("", Forward);
  EXPECT_EQ("all_reduce ", Backward);
  EXPECT_TRUE(same(G, count({2, 4}, 2)));
}

TEST_F(Autograd, WhatIsWaitedForIsTheSame) {
  const auto Compare = [&](auto Now, auto Later) {
    const at::Tensor G = gradient(Now), Before = Y.detach();
    const std::string Calls = Forward + "/" + Backward;
    const at::Tensor H = gradient([&](at::Tensor X) {
      spmd::TensorWork W = Later(X);
      const at::Tensor Result = W.wait();
      EXPECT_TRUE(Result.is_same(W.wait()));
      return Result;
    });
    EXPECT_TRUE(same(Before, Y));
    EXPECT_TRUE(same(G, H));
    EXPECT_EQ(Calls, Forward + "/" + Backward);
  };
  for (const Axis &A : {Tp, Axis()}) {
    Compare([&](at::Tensor X) { return all_reduce(X, A, P, I); },
            [&](at::Tensor X) { return all_reduce_async(X, A, P, I); });
    Compare([&](at::Tensor X) { return all_reduce_mean(X, A, P, I); },
            [&](at::Tensor X) { return all_reduce_mean_async(X, A, P, I); });
    Compare([&](at::Tensor X) { return all_reduce_mean(X, A, P, R); },
            [&](at::Tensor X) { return all_reduce_mean_async(X, A, P, R); });
    Compare([&](at::Tensor X) { return all_gather(X, A, S(1), R); },
            [&](at::Tensor X) { return all_gather_async(X, A, S(1), R); });
    Compare([&](at::Tensor X) { return reduce_scatter(X, A, P, S(1)); },
            [&](at::Tensor X) { return reduce_scatter_async(X, A, P, S(1)); });
    Compare([&](at::Tensor X) { return all_to_all(X, A, S(0), S(1)); },
            [&](at::Tensor X) { return all_to_all_async(X, A, S(0), S(1)); });
    Compare([&](at::Tensor X) { return redistribute(X, A, I, R); },
            [&](at::Tensor X) { return redistribute_async(X, A, I, R); });
    Compare([&](at::Tensor X) { return redistribute(X, A, I, S(1)); },
            [&](at::Tensor X) { return redistribute_async(X, A, I, S(1)); });
    Compare([&](at::Tensor X) { return redistribute(X, A, V, V); },
            [&](at::Tensor X) { return redistribute_async(X, A, V, V); });
  }
}

TEST_F(Autograd, OneRankIsTheIdentity) {
  const Axis One;
  const at::Tensor G = gradient([&](at::Tensor X) {
    return spmd::all_gather(spmd::all_reduce(X, One, P, I), One, V, R);
  });
  EXPECT_EQ("", Forward + Backward);
  EXPECT_TRUE(same(Y, count({1, 2, 4})));
  EXPECT_TRUE(same(G, count({2, 4})));
}

TEST_F(Autograd, MisuseIsAnError) {
  const Axis Unconnected = Mesh({{"tp", 2}}, 1).axis("tp");
  EXPECT_THROW((void)all_reduce(torch::ones({2}), Unconnected, P, R),
               spmd::Error);
  EXPECT_THROW((void)reduce_scatter(torch::ones({3}), Tp, P, S(0)),
               spmd::Error);
  const auto CauseOf = [&](const at::Tensor &X) -> std::string {
    try {
      (void)all_reduce(X, Tp, P, R);
    } catch (const spmd::Error &E) {
      EXPECT_EQ(0u, std::string(E.what()).find(E.call().At.File));
      EXPECT_EQ("spmd::all_reduce", E.call().Operation);
      return E.call().Cause;
    }
    return "no error";
  };
  EXPECT_THAT(
      CauseOf(torch::ones({2}, at::kComplexFloat)),
      testing::StartsWith("elements of type ComplexFloat are not moved; "
                          "those of Half, BFloat16, "));
  EXPECT_EQ("the operand is an undefined tensor", CauseOf(at::Tensor()));
  for (const at::Tensor &X :
       {torch::ones({2}).to_sparse(), torch::empty({2}, at::kMeta)})
    EXPECT_EQ("the operand is a tensor without memory of its own elements: " +
                  X.toString(),
              CauseOf(X));
  EXPECT_THROW((void)redistribute_async(at::Tensor(), Tp, P, R), spmd::Error);
  // On one rank as on many.
  for (const Axis &A : {Axis(), Tp})
    for (const bool Starts : {false, true})
      try {
        const at::Tensor X = torch::ones({2}, at::kLong);
        if (Starts)
          all_reduce_mean_async(X, A, P, R).wait();
        else
          (void)all_reduce_mean(X, A, P, R);
        ADD_FAILURE() << A.size();
      } catch (const spmd::Error &E) {
        EXPECT_EQ("whole numbers are not scaled", E.call().Cause);
      }
  EXPECT_THROW(
      (void)redistribute(at::Tensor(), Mesh({{"a", 1}}, 0), "[]", "[]"),
      spmd::Error);
}

// Threads as ranks: autograd runs the backward on the rank's own thread.
TEST(AutogradOnThreads, TakesUnevenShards) {
  spmd::run_local(3, [](int Rank) {
    const Axis Tp = Mesh({{"tp", 3}}, Rank).axis("tp");
    const auto Sizes = S(0, {3, 0, 1});
    const int64_t Mine = (*Sizes.Sizes)[static_cast<size_t>(Rank)];
    at::Tensor X =
        torch::full({Mine, 2}, Rank + 1.0, at::kDouble).set_requires_grad(true);
    const at::Tensor All = all_gather(X, Tp, Sizes, R);
    EXPECT_EQ((std::vector<int64_t>{4, 2}), All.sizes().vec());
    EXPECT_EQ(3 * 1 * 2 + 3 * 2, All.sum().item<double>());
    // Every rank uses the gathered value once: gradients are summed.
    (All * (Rank + 1)).sum().backward();
    EXPECT_TRUE(X.grad().eq(1 + 2 + 3).all().item<bool>());
  });
}

TEST(AutogradOnThreads, WhatHasFailedHasNoResult) {
  spmd::run_local(2, [](int Rank) {
    const Axis Tp = Mesh({{"tp", 2}}, Rank).axis("tp");
    std::string Texts;
    try {
      spmd::TensorWork W = all_reduce_async(torch::ones({2 + Rank}), Tp, P, R);
      for (int Wait = 0; Wait < 2; ++Wait)
        try {
          W.wait();
        } catch (const spmd::Error &E) {
          Texts += std::string(E.what()) + "\n";
        }
    } catch (const spmd::Error &E) {
      Texts += E.what();
    }
    EXPECT_NE(std::string::npos, Texts.find("the ranks disagree"));
    if (!std::getenv("SPMD_CHECK"))
      EXPECT_NE(std::string::npos, Texts.find("there is no result"));
  });
}

// Run with SPMD_CHECK=1: operators that need no other rank are looked at too.
TEST(AutogradOnThreads, FindParametersThatDiffer) {
  if (!std::getenv("SPMD_CHECK"))
    GTEST_SKIP() << "runs with SPMD_CHECK=1";
  spmd::run_local(2, [](int Rank) {
    const Mesh On({{"tp", 2}}, Rank);
    const Axis Tp = On.axis("tp");
    const at::Tensor X = torch::full({2, 2}, Rank), Y = torch::ones({2, 2});
    const auto Refused = [](auto Call) { EXPECT_THROW(Call(), spmd::Error); };
    Refused([&] { (void)invariant_to_replicate(X, Tp); });
    Refused([&] { (void)spmd::reinterpret(X, Tp, I, V); });
    Refused([&] { (void)convert(X.t(), Tp, R, P); });
    Refused([&] { (void)convert(X, Tp, I, S(0)); });
    Refused(
        [&] { (void)redistribute(X, On, "[2, 2]{tp: I}", "[2, 2]{tp: R}"); });
    Refused(
        [&] { (void)redistribute(X, On, "[2, 2]{tp: I}", "[2, 2]{tp: I}"); });
    EXPECT_TRUE(same(Y, invariant_to_replicate(Y, Tp)));
    EXPECT_TRUE(same(X, spmd::reinterpret(X, Tp, V, P)));
    const at::Tensor Z = redistribute(Y, On, "[2, 2]{tp: I}", "[2, 2]{tp: R}");
    EXPECT_TRUE(Z.is_alias_of(Y));
  });
}

} // namespace
