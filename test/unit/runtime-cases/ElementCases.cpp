#include "ElementCases.h"

#include "Messages.h"

#include <gtest/gtest.h>

#include <limits>

namespace spmd::test {
namespace {

/// Numbers in the memory of an axis.
template <class T> struct Elements {
  Elements(const Axis &A, std::vector<std::uint8_t> Small, T Above = 0)
      : Of(A.memory()), Count(Small.size()),
        At(Of.allocate(Count * sizeof(T))) {
    T Host[8];
    for (std::size_t I = 0; I < Count; ++I)
      Host[I] = static_cast<T>(Above + Small[I]);
    Of.upload(At.get(), Host, Count * sizeof(T));
  }
  View view() const {
    return View(static_cast<T *>(At.get()), {static_cast<std::int64_t>(Count)});
  }
  T operator[](std::size_t I) const {
    T Host[8];
    Of.download(Host, At.get(), Count * sizeof(T));
    return Host[I];
  }

  Memory &Of;
  std::size_t Count;
  std::shared_ptr<void> At;
};

template <class T> void checkUnsigned(const Axis &A, bool Compares) {
  // More than a number of that size with a sign.
  constexpr T Half = std::numeric_limits<T>::max() / 2 + 1;
  const auto Mine = static_cast<std::uint8_t>(A.rank());
  const Elements<T> Sum(A, {Mine, 7}, Half);
  all_reduce(Sum.view(), A, P, R);
  EXPECT_EQ(static_cast<T>(Half + 3), Sum[0]);
  EXPECT_EQ(static_cast<T>(Half + 21), Sum[1]);
  // One rank alone is above.
  const Elements<T> Most(A, {Mine, 7}, A.rank() == 1 ? Half : T(0));
  const auto Greatest = [&] { all_reduce_max(Most.view(), A, V, R); };
  if (!Compares) {
    EXPECT_NE(std::string::npos,
              messageOf(Greatest).find("a process group compares no unsigned "
                                       "numbers of more than 8 bits"));
    return;
  }
  Greatest();
  EXPECT_EQ(static_cast<T>(Half + 1), Most[0]);
  const Elements<T> Least(A, {Mine, 7}, A.rank() == 1 ? Half : T(0));
  all_reduce_min(Least.view(), A, V, R);
  EXPECT_EQ(T(0), Least[0]);
}

void checkBools(const Axis &A) {
  const bool IsFirst = A.rank() == 0;
  const Elements<bool> Mine(A, {IsFirst, true}), All(A, {0, 0, 0, 0, 0, 0}),
      Any(A, {IsFirst, 0}), Each(A, {IsFirst, 1});
  all_gather(Mine.view(), All.view(), A, S(0), R);
  for (std::size_t I = 0; I < 6; ++I)
    EXPECT_EQ(I < 2 || I % 2, All[I]) << I;
  all_reduce_max(Any.view(), A, V, R);
  EXPECT_TRUE(Any[0]);
  EXPECT_FALSE(Any[1]);
  all_reduce_min(Each.view(), A, V, R);
  EXPECT_FALSE(Each[0]);
  EXPECT_TRUE(Each[1]);
  EXPECT_NE(std::string::npos,
            messageOf([&] { all_reduce(Mine.view(), A, P, R); })
                .find("over " + detail::describe(A) +
                      ": bools have no sum: all_reduce_max is any of them, "
                      "all_reduce_min all"));
}

/// Powers of two, and what is rounded.
template <int Mantissa> void checkFloat8(const Axis &A, bool Computes) {
  using T = float8<Mantissa>;
  const T Mine(static_cast<float>(1 << A.rank()));
  const Elements<std::uint8_t> One(A, {Mine.Bits, T(1.5f).Bits}),
      All(A, {0, 0, 0, 0, 0, 0});
  const DType Type = Mantissa == 3 ? DType::F8E4M3 : DType::F8E5M2;
  const View X(One.At.get(), Type, {2});
  all_gather(X, View(All.At.get(), Type, {6}), A, S(0), R);
  for (std::size_t Rank = 0; Rank < 3; ++Rank)
    EXPECT_EQ(static_cast<float>(1 << Rank),
              static_cast<float>(T(All[2 * Rank])));
  const auto Sum = [&] { all_reduce(X, A, P, R); };
  if (!Computes) {
    EXPECT_NE(std::string::npos,
              messageOf(Sum).find("a process group computes with no floats of "
                                  "8 bits: give it halves"));
    return;
  }
  Sum();
  EXPECT_EQ(7, static_cast<float>(T(One[0])));
  // Of 4.5 e5m2 has no room for the half.
  EXPECT_EQ(Mantissa == 3 ? 4.5f : 4, static_cast<float>(T(One[1])));
  const Elements<std::uint8_t> Most(A, {T(-1.0f - A.rank()).Bits});
  all_reduce_max(View(Most.At.get(), Type, {1}), A, V, R);
  EXPECT_EQ(-1, static_cast<float>(T(Most[0])));
}

} // namespace

void checkElements(Launcher &On, bool HasAll) {
  On.run(3, [&](const Axis &A) {
    checkUnsigned<std::uint32_t>(A, HasAll);
    checkUnsigned<std::uint64_t>(A, HasAll);
    checkBools(A);
    checkFloat8<2>(A, HasAll);
    checkFloat8<3>(A, HasAll);
  });
}

} // namespace spmd::test
