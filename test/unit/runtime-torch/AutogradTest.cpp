// Forward and backward of the typed operators on tensors. The backend plays
// two ranks that hold the same data, so every sum doubles.

#include <spmd/torch.h>

#include <gtest/gtest.h>

using spmd::Axis;
using spmd::I;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;

namespace {

using spmd::View;

/// Row-wise access to a float view around one dim.
struct Rows {
  explicit Rows(const View &X, spmd::Placement P) {
    const int Dim = P.HasDim ? (P.Dim < 0 ? P.Dim + X.rank() : P.Dim) : 0;
    for (int D = 0; D < Dim; ++D)
      Outer *= X.shape()[D];
    Row = X.numel() / Outer;
    Data = static_cast<float *>(X.data());
  }
  int64_t Outer = 1, Row;
  float *Data;
};

struct TwoEqualRanks : spmd::Backend {
  const char *name() const override { return "two equal ranks"; }
  void allReduce(const View &In, const View &Out, const Axis &) override {
    for (int64_t E = 0; E < In.numel(); ++E)
      static_cast<float *>(Out.data())[E] =
          2 * static_cast<float *>(In.data())[E];
    Calls += "all_reduce ";
  }
  void allGather(const View &In, const View &Out, const Axis &,
                 spmd::Placement Src) override {
    const Rows From(In, Src);
    float *To = static_cast<float *>(Out.data());
    for (int64_t O = 0; O < From.Outer; ++O)
      for (int Rank = 0; Rank < 2; ++Rank)
        To = std::copy_n(From.Data + O * From.Row, From.Row, To);
    Calls += "all_gather ";
  }
  void reduceScatter(const View &In, const View &Out, const Axis &A,
                     spmd::Placement Dst) override {
    const Rows From(In, Dst);
    const int64_t Half = From.Row / 2;
    float *To = static_cast<float *>(Out.data());
    for (int64_t O = 0; O < From.Outer; ++O)
      for (int64_t E = 0; E < Half; ++E)
        *To++ = 2 * From.Data[O * From.Row + A.rank() * Half + E];
    Calls += "reduce_scatter ";
  }
  void allToAll(const View &In, const View &Out, const Axis &, spmd::Placement,
                spmd::Placement) override {
    std::copy_n(static_cast<float *>(In.data()), In.numel(),
                static_cast<float *>(Out.data()));
    Calls += "all_to_all ";
  }
  std::string Calls;
};

struct Autograd : ::testing::Test {
  std::shared_ptr<TwoEqualRanks> Backend = std::make_shared<TwoEqualRanks>();
  Axis Tp = Mesh({{"tp", 2}}, 1).axis("tp");
  Autograd() { spmd::set_backend(Backend); }
  ~Autograd() override { spmd::set_backend(nullptr); }

  /// Runs \p Op on 0 … 7 in shape 2x4, then backward from 0, 1, 2 …; returns
  /// the gradient.
  template <class Fn> at::Tensor gradient(Fn Op) {
    at::Tensor X = torch::arange(8.0).reshape({2, 4}).set_requires_grad(true);
    Y = Op(X);
    Forward = std::exchange(Backend->Calls, "");
    Y.backward(torch::arange(static_cast<double>(Y.numel())).view(Y.sizes()));
    Backward = std::exchange(Backend->Calls, "");
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

TEST_F(Autograd, OneRankIsTheIdentity) {
  const Axis One;
  const at::Tensor G = gradient([&](at::Tensor X) {
    return spmd::all_gather(spmd::all_reduce(X, One, P, I), One, V, R);
  });
  EXPECT_EQ("", Forward + Backward);
  EXPECT_TRUE(same(Y, count({1, 2, 4})));
  EXPECT_TRUE(same(G, count({2, 4})));
}

TEST_F(Autograd, MissingBackendIsAnError) {
  spmd::set_backend(nullptr);
  EXPECT_THROW(all_reduce(torch::ones({2}), Tp, P, R), spmd::Error);
  EXPECT_THROW(reduce_scatter(torch::ones({3}), Tp, P, S(0)), spmd::Error);
}

} // namespace
