// Something goes wrong on one of several ranks that are threads: the others are
// told what, soon. Over MPI: test/faults.

#include <spmd/spmd.h>

#include "Messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::View;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int Ranks = 4;
constexpr milliseconds Deadline(500);
/// What machines that are busy may add.
constexpr std::chrono::seconds Slack(5);

Axis all(int Rank) { return Mesh({{"dp", Ranks}}, Rank).axis("dp"); }

void sum(const Axis &A, int Elements = 4) {
  std::vector<float> X(static_cast<std::size_t>(Elements), 1);
  all_reduce(View(X.data(), {Elements}), A, P, R, {"train.cpp", 10});
}

/// What each rank is told, "" for nothing.
std::vector<std::string> told(const std::function<void(int)> &Body) {
  const auto Began = Clock::now();
  std::vector<std::string> Texts =
      spmd::test::messagesOf(Ranks, Body, Deadline);
  Texts.pop_back();
  EXPECT_LT(Clock::now() - Began, 4 * Deadline + Slack);
  return Texts;
}

void expectOthers(const std::vector<std::string> &Texts, int Guilty,
                  const std::string &Text) {
  for (int Rank = 0; Rank < Ranks; ++Rank)
    if (Rank != Guilty)
      EXPECT_THAT(Texts[static_cast<std::size_t>(Rank)], HasSubstr(Text));
}

TEST(LocalFaults, AKilledRank) {
  expectOthers(told([](int Rank) {
                 const Axis A = all(Rank);
                 sum(A);
                 if (Rank == 2)
                   throw std::runtime_error("killed");
                 sum(A);
               }),
               2, "rank 2 failed: killed");
}

TEST(LocalFaults, ARankThatIsGone) {
  expectOthers(told([](int Rank) {
                 const Axis A = all(Rank);
                 sum(A);
                 if (Rank != 2)
                   sum(A);
               }),
               2, "rank 2 has ended");
}

TEST(LocalFaults, ARankPastTheDeadline) {
  const auto Texts = told([](int Rank) {
    const Axis A = all(Rank);
    sum(A);
    if (Rank == 1)
      std::this_thread::sleep_for(3 * Deadline);
    sum(A);
  });
  // Whoever gives up first ends; the others hear of either.
  int Late = 0;
  for (const std::string &Text : Texts) {
    EXPECT_NE("", Text);
    Late += Text.find("rank 1 did not come within 500 ms") != std::string::npos;
  }
  EXPECT_GE(Late, 1);
}

TEST(LocalFaults, MismatchedShapes) {
  expectOthers(told([](int Rank) { sum(all(Rank), Rank == 3 ? 5 : 4); }), -1,
               "the ranks disagree: rank 0 calls all_reduce(P -> R) of f32[4] "
               "at train.cpp:10, rank 3 all_reduce(P -> R) of f32[5] at "
               "train.cpp:10");
}

/// Run with SPMD_CHECK=1.
TEST(LocalFaults, ACorruptBuffer) {
  if (!std::getenv("SPMD_CHECK"))
    GTEST_SKIP() << "runs with SPMD_CHECK=1";
  expectOthers(
      told([](int Rank) {
        const Axis A = all(Rank);
        float X[4] = {1, 2, 3, 4}, Y[4];
        all_reduce(View(X, {4}), A, P, R);
        if (Rank == 1)
          reinterpret_cast<unsigned char *>(X)[5] ^= 4;
        convert(View(X, {4}), View(Y, {4}), A, R, P, {"train.cpp", 30});
      }),
      -1,
      "train.cpp:30: spmd::convert(R -> P) of f32[4] over axis 'dp' of "
      "4 ranks: the operand is typed R, but differs between rank 0 and "
      "rank 1");
  // A parameter that has drifted apart, where nothing else looks at it.
  expectOthers(
      told([](int Rank) {
        float X[4] = {1, 2, Rank == 2 ? 3.5f : 3, 4};
        invariant_to_replicate(View(X, {2, 2}).transposed(0, 1), all(Rank),
                               {"train.cpp", 31});
      }),
      -1,
      "train.cpp:31: spmd::reinterpret(I -> R) of f32[2, 2] over axis 'dp' of "
      "4 ranks: the operand is typed I, but differs between rank 0 and rank 2");
}

/// What lies between the chunks of a dim goes through a buffer of the
/// operator's own, here of more bytes than there are addresses for.
TEST(LocalFaults, ExhaustedMemory) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer ends the process instead";
#endif
#endif
  const auto Texts = told([](int Rank) {
    float X[1] = {};
    auto *const Beyond = reinterpret_cast<float *>(std::uintptr_t(1) << 60);
    const std::int64_t Columns = std::int64_t(1) << 50;
    all_gather(View(X, {2, Columns}), View(Beyond, {2, Columns * Ranks}),
               all(Rank), S(1), R, {"train.cpp", 40});
  });
  expectOthers(Texts, -1,
               "train.cpp:40: spmd::all_gather(S(1) -> R) of f32[2, "
               "1125899906842624] over axis 'dp' of 4 ranks: ");
  EXPECT_THAT(Texts, testing::Contains(HasSubstr("no memory is left")));
}

TEST(LocalFaults, TenThousandCommunicators) {
  spmd::run_local(Ranks, [](int Rank) {
    for (int I = 0; I < 10000; ++I) {
      const Axis A = all(Rank);
      float X = 1;
      all_reduce(View(&X, {}), A, P, R);
      ASSERT_EQ(Ranks, X);
    }
  });
}

TEST(LocalFaults, AThousandCommunicatorsAtOnce) {
  spmd::run_local(Ranks, [](int Rank) {
    std::vector<Axis> Alive;
    for (int I = 0; I < 1000; ++I)
      Alive.push_back(
          Mesh({{"dp", 2}, {"tp", 2}}, Rank).axis(I % 2 ? "dp" : "tp"));
    for (int Times = 0; Times < 3; ++Times)
      for (const Axis &A : Alive) {
        float X = 1;
        all_reduce(View(&X, {}), A, P, R);
        ASSERT_EQ(2, X);
      }
  });
}

} // namespace
