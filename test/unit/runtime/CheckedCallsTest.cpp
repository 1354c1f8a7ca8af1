// What SPMD_CHECK=1 does at every call: lies are caught where they are told.
// The functions are tried by themselves, as the variable is read once.

#include "../../../runtime/lib/CheckCall.h"

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using spmd::Axis;
using spmd::Call;
using spmd::Placement;
using spmd::View;
using spmd::rules::OperatorKind;
using ::testing::Each;
using ::testing::HasSubstr;

namespace {

const Placement P = spmd::P, R = spmd::R, I = spmd::I, V = spmd::V;

/// What \p Body throws on each of two ranks, "" for nothing.
std::vector<std::string> causes(const std::function<void(const Axis &)> &Body) {
  std::vector<std::string> Texts(2);
  spmd::run_local(2, [&](int Rank) {
    try {
      Body(spmd::Mesh({{"dp", 1}, {"tp", 2}}, Rank).axis("tp"));
    } catch (const spmd::Error &E) {
      Texts[static_cast<std::size_t>(Rank)] = E.call().Cause;
    }
  });
  return Texts;
}

Call reduction(const Axis &A, std::int64_t Size, int Line) {
  return {OperatorKind::AllReduce, A,     P, R, spmd::DType::F32, {Size},
          {"train.cpp", Line},     {Size}};
}

TEST(CheckSameCall, SaysWhoCallsWhat) {
  EXPECT_THAT(
      causes([](const Axis &A) {
        spmd::detail::checkSameCall(reduction(A, 4 + A.rank(), 7 + A.rank()));
      }),
      Each("the ranks disagree: rank 0 calls all_reduce(P -> R) of f32[4] at "
           "train.cpp:7, rank 1 all_reduce(P -> R) of f32[5] at train.cpp:8"));
}

// Gradients of two layers that one rank exchanges: no shape tells.
TEST(CheckSameCall, SwappedCallsAreWarnedOf) {
  const auto Swapped = [](const std::function<void(const Axis &, int)> &Do) {
    testing::internal::CaptureStderr();
    EXPECT_THAT(causes([&](const Axis &A) {
                  for (const int Call : {0, 1})
                    Do(A, A.rank() == Call);
                }),
                Each(""));
    return testing::internal::GetCapturedStderr();
  };
  const auto Warns = [](int First, int Second) {
    return "spmd: warning: rank 0 calls all_reduce(P -> R) of f32[4] at "
           "train.cpp:" +
           std::to_string(First) +
           ", rank 1 all_reduce(P -> R) of f32[4] at train.cpp:" +
           std::to_string(Second) +
           ": if these are two calls, one rank has swapped them, and their "
           "values are mixed\n";
  };
  EXPECT_EQ(Warns(21, 20) + Warns(20, 21), Swapped([](const Axis &A, int Line) {
              float X[4] = {};
              all_reduce(View(X, {4}), A, spmd::P, spmd::R,
                         {"train.cpp", 20 + Line});
            }));
  // Ranks that were built in two folders.
  EXPECT_EQ("", Swapped([](const Axis &A, int) {
              float X[4] = {};
              all_reduce(View(X, {4}), A, spmd::P, spmd::R,
                         {A.rank() ? "/here/train.cpp" : "train.cpp", 20});
            }));
  EXPECT_EQ(Warns(31, 30) + Warns(30, 31), Swapped([](const Axis &A, int Line) {
              spmd::detail::checkSameCall(reduction(A, 4, 30 + Line));
            }));
}

TEST(CheckSameCall, TwoBranchesMayDoTheSame) {
  EXPECT_THAT(causes([](const Axis &A) {
                spmd::detail::checkSameCall(reduction(A, 4, 7 + A.rank()));
              }),
              Each(""));
}

TEST(CheckSameValue, FindsWhatIsNotReplicated) {
  for (const Placement &Type : {R, I})
    EXPECT_THAT(causes([&](const Axis &A) {
                  float X[3] = {1, 2, static_cast<float>(A.rank())};
                  spmd::detail::checkSameValue(reduction(A, 3, 7), Type,
                                               View(X, {3}), "operand");
                }),
                Each(HasSubstr(", but differs between rank 0 and rank 1")));
}

TEST(CheckSameValue, LetsVaryWhatMay) {
  for (const Placement &Type : {P, V})
    EXPECT_THAT(causes([&](const Axis &A) {
                  float X = static_cast<float>(A.rank());
                  spmd::detail::checkSameValue(reduction(A, 1, 7), Type,
                                               View(&X, {}), "operand");
                }),
                Each(""));
}

// Of two NaNs an addition takes the first, so the ranks may have either.
TEST(CheckSameValue, TakesAllNaNsForOne) {
  const auto Check = [](const Axis &A, const View &X) {
    spmd::detail::checkSameValue(
        {OperatorKind::AllReduce, A, P, R, X.dtype(), {}, {}}, R, X, "result");
  };
  EXPECT_THAT(causes([&](const Axis &A) {
                const bool Other = A.rank() == 1;
                float F[2] = {1, Other ? -NAN : NAN};
                Check(A, View(F, {2}));
                double D[1] = {Other ? -std::nan("") : std::nan("7")};
                Check(A, View(D, {1}));
                spmd::half H[1] = {
                    {Other ? std::uint16_t(0xfe00) : std::uint16_t(0x7c01)}};
                Check(A, View(H, {1}));
                spmd::bfloat16 B[1] = {
                    {Other ? std::uint16_t(0xffc0) : std::uint16_t(0x7f81)}};
                Check(A, View(B, {1}));
              }),
              Each(""));
  EXPECT_THAT(causes([&](const Axis &A) {
                float X[1] = {A.rank() == 1 ? INFINITY : NAN};
                Check(A, View(X, {1}));
              }),
              Each(HasSubstr("differs between rank 0 and rank 1")));
}

} // namespace
