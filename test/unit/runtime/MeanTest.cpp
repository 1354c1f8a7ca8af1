// Means over ranks as threads, which scale a sum as they write it.

#include "Messages.h"

#include <spmd/half.h>
#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using spmd::Axis;
using spmd::DType;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::View;
using spmd::test::messagesOf;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

namespace {

constexpr int Ranks = 3;

Axis tp(int Rank) { return Mesh({{"tp", Ranks}}, Rank).axis("tp"); }

template <class T> struct Means {
  using Wide =
      std::conditional_t<std::is_same<T, double>::value, double, float>;
  static T of(Wide X) {
    if constexpr (std::is_floating_point<T>::value)
      return X;
    else
      return T::of(X);
  }
  /// An element of a rank's, of many digits.
  static T draw(int Rank, std::size_t E) {
    return of(Wide(1) / static_cast<Wide>(E % 977 + 7) +
              static_cast<Wide>(Rank));
  }
  /// The ranks' in their order, times a third, rounded once.
  static T expected(std::size_t E) {
    Wide Sum = static_cast<Wide>(draw(0, E)) + static_cast<Wide>(draw(1, E));
    Sum += static_cast<Wide>(draw(2, E));
    return of(Sum * static_cast<Wide>(1.0 / Ranks));
  }

  static void check(DType Type, std::size_t Count) {
    spmd::run_local(Ranks, [&](int Rank) {
      std::vector<T> X(Count), Y(Count), Z(Count), Right(Count);
      for (std::size_t E = 0; E < Count; ++E) {
        X[E] = draw(Rank, E);
        Right[E] = expected(E);
      }
      const spmd::Shape Of = {static_cast<std::int64_t>(Count)};
      const auto Same = [&](const std::vector<T> &Is) {
        return std::memcmp(Is.data(), Right.data(), Count * sizeof(T)) == 0;
      };
      const View In(X.data(), Type, Of);
      all_reduce_mean(In, View(Y.data(), Type, Of), tp(Rank), P, R);
      EXPECT_TRUE(Same(Y)) << nameOf(Type) << " of " << Count;
      all_reduce_mean_async(In, View(Z.data(), Type, Of), tp(Rank), P, R)
          .wait();
      EXPECT_TRUE(Same(Z)) << "started";
      all_reduce_mean(In, tp(Rank), P, R);
      EXPECT_TRUE(Same(X)) << "in place";
    });
  }
};

TEST(Mean, IsTheScaledSumOnEveryRank) {
  // Brought along as copies, and shared out.
  for (const std::size_t Count : {5, 10007}) {
    Means<float>::check(DType::F32, Count);
    Means<double>::check(DType::F64, Count);
    Means<spmd::half>::check(DType::F16, Count);
    Means<spmd::bfloat16>::check(DType::BF16, Count);
  }
}

TEST(Mean, OfHalvesIsThereWhereTheirSumIsNot) {
  spmd::run_local(Ranks, [](int Rank) {
    spmd::half X = spmd::half::of(60000);
    all_reduce_mean(View(&X, DType::F16, {}), tp(Rank), P, R);
    EXPECT_EQ(spmd::half::of(60000).Bits, X.Bits);
  });
}

TEST(Mean, OfWholeNumbersIsAnError) {
  for (const int Size : {1, Ranks})
    for (const bool Starts : {false, true})
      EXPECT_THAT(
          messagesOf(Size,
                     [&](int Rank) {
                       std::int32_t X = 3;
                       const View V(&X, {});
                       const Axis A = Mesh({{"tp", Size}}, Rank).axis("tp");
                       if (Starts)
                         all_reduce_mean_async(V, A, P, R).wait();
                       else
                         all_reduce_mean(V, A, P, R);
                     }),
          Each(AllOf(HasSubstr("spmd::all_reduce_mean(P -> R) of i32[]"),
                     HasSubstr("whole numbers are not scaled"))));
}

TEST(Mean, IsNoSumToTheOtherRanks) {
  EXPECT_THAT(messagesOf(Ranks,
                         [](int Rank) {
                           float X = 1;
                           if (Rank == 1)
                             all_reduce(View(&X, {}), tp(Rank), P, R);
                           else
                             all_reduce_mean(View(&X, {}), tp(Rank), P, R);
                         }),
              Each(AllOf(HasSubstr("rank 0 calls all_reduce_mean(P -> R)"),
                         HasSubstr("rank 1 all_reduce(P -> R)"))));
}

} // namespace
