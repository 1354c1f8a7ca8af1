// Views that are not dense, and element types, through the operators.

#include <spmd/spmd.h>

#include <gtest/gtest.h>

#include <numeric>

using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::Shape;
using spmd::V;
using spmd::View;

namespace {

TEST(View, KnowsWhetherItIsDense) {
  float X[24];
  const View Whole(X, {4, 6});
  EXPECT_TRUE(Whole.isDense());
  EXPECT_EQ(Shape({6, 1}), Whole.strides());
  EXPECT_TRUE(Whole.slice(0, 1, 3).isDense());
  EXPECT_FALSE(Whole.slice(1, 0, 2).isDense());
  EXPECT_TRUE(Whole.slice(1, 0, 2).slice(0, 2, 3).isDense());
  EXPECT_FALSE(Whole.transposed(0, -1).isDense());
  EXPECT_TRUE(View(X, {4, 1, 6}).transposed(0, 1).isDense());
  EXPECT_TRUE(View(X, {0, 6}).transposed(0, 1).isDense());
  EXPECT_EQ(X + 8, Whole.slice(0, 1, 4).slice(1, 2, 6).data());
  EXPECT_EQ("f32[6, 4]", Whole.transposed(0, 1).str());
}

TEST(View, SaysWhatIsWrong) {
  float X[24];
  const View Whole(X, {4, 6});
  EXPECT_THROW(Whole.slice(1, 2, 7), spmd::Error);
  EXPECT_THROW(Whole.slice(2, 0, 1), spmd::Error);
  EXPECT_THROW(Whole.transposed(0, 2), spmd::Error);
  EXPECT_THROW(View(X, {4, 6}, {1}), spmd::Error);
}

TEST(View, TakesElementTypes) {
  spmd::half H[1];
  spmd::bfloat16 B[1];
  long long L[1];
  signed char C[1];
  EXPECT_EQ(spmd::DType::F16, View(H, {1}).dtype());
  EXPECT_EQ(spmd::DType::BF16, View(B, {1}).dtype());
  EXPECT_EQ(spmd::DType::I64, View(L, {1}).dtype());
  EXPECT_EQ(spmd::DType::I8, View(C, {1}).dtype());
  unsigned U[1];
  std::uint64_t Q[1];
  bool F[1];
  EXPECT_EQ(spmd::DType::U32, View(U, {1}).dtype());
  EXPECT_EQ(spmd::DType::U64, View(Q, {1}).dtype());
  EXPECT_EQ("bool[1]", View(F, {1}).str());
  EXPECT_EQ(1.5f, static_cast<float>(spmd::half::of(1.5f)));
  EXPECT_EQ(1.5f, spmd::half(1.5f));
  EXPECT_EQ(3.0f, spmd::bfloat16(3.0));
  EXPECT_EQ(0x3c00, spmd::half(1.0f).Bits);
  EXPECT_TRUE(std::is_trivially_copyable<spmd::half>::value &&
              std::is_trivially_default_constructible<spmd::half>::value);
  EXPECT_EQ(-2.5f, static_cast<float>(spmd::bfloat16::of(-2.5f)));
}

/// Runs \p Op on strided and on dense views of the same numbers, and compares.
template <class Fn> void compare(const Shape &In, const Shape &Out, Fn Op) {
  spmd::run_local(2, [&](int Rank) {
    const spmd::Axis Tp = Mesh({{"tp", 2}}, Rank).axis("tp");
    const auto Sized = [](const Shape &Of) {
      return std::vector<float>(static_cast<std::size_t>(Of.numel()));
    };
    std::vector<float> X = Sized(In), Y = Sized(Out), Z = Sized(Out);
    std::iota(X.begin(), X.end(), 100.f * static_cast<float>(Rank));
    Op(View(X.data(), In), View(Y.data(), Out), Tp);
    // The same matrix, columns first; the result between other elements.
    std::vector<float> Flipped = Sized(In);
    for (std::int64_t I = 0; I < In[0]; ++I)
      for (std::int64_t J = 0; J < In[1]; ++J)
        Flipped[static_cast<std::size_t>(J * In[0] + I)] =
            X[static_cast<std::size_t>(I * In[1] + J)];
    std::vector<float> Wide(static_cast<std::size_t>(Out[0] * (Out[1] + 3)),
                            -1);
    const View Into =
        View(Wide.data(), {Out[0], Out[1] + 3}).slice(1, 2, Out[1] + 2);
    Op(View(Flipped.data(), {In[1], In[0]}).transposed(0, 1), Into, Tp);
    for (std::int64_t I = 0; I < Out[0]; ++I)
      for (std::int64_t J = 0; J < Out[1] + 3; ++J) {
        const float Is = Wide[static_cast<std::size_t>(I * (Out[1] + 3) + J)];
        const bool Within = J >= 2 && J < Out[1] + 2;
        EXPECT_EQ(Within ? Y[static_cast<std::size_t>(I * Out[1] + J - 2)] : -1,
                  Is);
      }
  });
}

TEST(StridedViews, GiveWhatDenseOnesDo) {
  compare({4, 6}, {4, 6},
          [](View X, View Y, spmd::Axis A) { all_reduce(X, Y, A, P, R); });
  compare({4, 6}, {4, 6},
          [](View X, View Y, spmd::Axis A) { all_reduce_mean(X, Y, A, P, R); });
  compare({4, 6}, {4, 12},
          [](View X, View Y, spmd::Axis A) { all_gather(X, Y, A, S(1), R); });
  compare({4, 6}, {4, 3}, [](View X, View Y, spmd::Axis A) {
    reduce_scatter(X, Y, A, P, S(1));
  });
  compare({4, 6}, {8, 3}, [](View X, View Y, spmd::Axis A) {
    all_to_all(X, Y, A, S(0), S(1));
  });
  compare({4, 6}, {4, 12}, [](View X, View Y, spmd::Axis A) {
    convert(X, Y, A, S(1), P, spmd::expert);
  });
  compare({4, 6}, {8, 3}, [](View X, View Y, spmd::Axis A) {
    redistribute(X, Y, Mesh({{"tp", 2}}, A.rank()), "[8@tp, _]", "[_, 6@tp]");
  });
}

TEST(StridedViews, AreReducedInPlace) {
  spmd::run_local(2, [](int Rank) {
    const spmd::Axis Tp = Mesh({{"tp", 2}}, Rank).axis("tp");
    float X[6] = {1, 2, 3, 4, 5, 6};
    spmd::all_reduce(View(X, {2, 3}).slice(1, 0, 2), Tp, P, R);
    EXPECT_EQ(std::vector<float>({2, 4, 3, 8, 10, 6}),
              std::vector<float>(X, X + 6));
    spmd::scale(View(X, {2, 3}).slice(1, 2, 3), Tp, 2);
    EXPECT_EQ(std::vector<float>({2, 4, 6, 8, 10, 12}),
              std::vector<float>(X, X + 6));
  });
}

TEST(StridedViews, ResultsHaveAPlaceForEachElement) {
  spmd::run_local(2, [](int Rank) {
    const spmd::Axis A = spmd::Mesh({{"tp", 2}}, Rank).axis("tp");
    float X[8] = {1, 2, 3, 4, 5, 6, 7, 8}, Y[8] = {};
    const std::string Text = "elements of the result lie in one place, by its "
                             "strides";
    const auto Cause = [](const auto &Do) -> std::string {
      try {
        Do();
      } catch (const spmd::Error &E) {
        return E.call().Cause;
      }
      return "";
    };
    EXPECT_EQ(Text, Cause([&] {
                all_gather(View(X, {4}), View(Y, {8}, {0}), A, spmd::S(0),
                           spmd::R);
              }));
    EXPECT_EQ(Text, Cause([&] {
                all_reduce_async(View(X, {2, 2}), View(Y, {2, 2}, {1, 1}), A,
                                 spmd::P, spmd::R)
                    .wait();
              }));
    // In place every place has one value all the same.
    EXPECT_EQ("", Cause([&] {
                all_reduce(View(X, {2, 4}, {0, 1}), A, spmd::P, spmd::R);
              }));
    EXPECT_EQ(2, X[0]);
    EXPECT_EQ("the operand has no memory, its address is null", Cause([&] {
                float *const None = nullptr;
                all_reduce(View(None, {2}, {2}), View(Y, {2}), A, spmd::P,
                           spmd::R);
              }));
  });
}

} // namespace
