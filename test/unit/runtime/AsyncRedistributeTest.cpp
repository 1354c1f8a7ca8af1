// Redistributions over a mesh that are started and waited for, on threads.

#include "Messages.h"

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::View;
using spmd::Work;
using spmd::test::messagesOf;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

/// Sums on b, then exchanges on both: two steps that communicate.
constexpr char From[] = "[4@a]{b: P}", To[] = "[4@b]{a: R}";

/// What a rank has of it, 1 and 2 or 3 and 4 in all, and of the result.
struct Operand {
  explicit Operand(int Rank) : Operand(Mesh({{"a", 2}, {"b", 2}}, Rank)) {}
  explicit Operand(const Mesh &On) : M(On) {
    const int Rank = M.rank();
    for (int E = 0; E < 2; ++E)
      X[E] = Rank % 2 ? 0.5F : 0.5F + static_cast<float>(Rank / 2 * 2 + E);
  }
  Work start() {
    return redistribute_async(View(X, {2}), View(Y, {2}), M, From, To,
                              {"train.cpp", 5});
  }
  void check() const {
    const float First = M.rank() % 2 ? 3 : 1;
    EXPECT_THAT(Y, ElementsAre(First, First + 1));
  }

  Mesh M;
  float X[2], Y[2] = {};
};

/// Those of this rank, "all_gather a waiting".
std::vector<std::string> calls() {
  std::vector<std::string> Out;
  for (const spmd::FlightEntry &E : spmd::flight_record())
    Out.push_back(std::string(operatorName(E.Op)) + ' ' + E.Axis +
                  (E.Finished ? "" : " waiting"));
  return Out;
}

TEST(AsyncRedistribute, LaterStepsAreRunByTheWait) {
  spmd::run_local(4, [](int Rank) {
    Operand Of(Rank);
    Work W = Of.start();
    const auto Started = calls();
    ASSERT_EQ(1U, Started.size());
    EXPECT_EQ("reduce_scatter b waiting", Started[0]);
    while (!W.done())
      std::this_thread::yield();
    W.wait();
    W.wait();
    Of.check();
    const auto Done = calls();
    EXPECT_EQ(2U, Done.size());
    EXPECT_THAT(Done, Each(Not(HasSubstr("waiting"))));
    redistribute(View(Of.X, {2}), View(Of.Y, {2}), Of.M, From, To);
    const auto All = calls();
    EXPECT_EQ(Done, std::vector<std::string>(All.begin() + 2, All.end()));
  });
}

TEST(AsyncRedistribute, SeveralAreUnderWay) {
  spmd::run_local(4, [](int Rank) {
    Operand First(Rank), Second(First.M);
    float X = 1;
    Work One = First.start(), Two = Second.start();
    Work Sum = all_reduce_async(View(&X, {}), First.M.axis("a"), P, R);
    Two.wait();
    Sum.wait();
    One.wait();
    First.check();
    Second.check();
    EXPECT_EQ(2, X);
  });
}

TEST(AsyncRedistribute, TakesStridesAndOnesOwnBuffer) {
  spmd::run_local(4, [](int Rank) {
    const Operand Of(Rank);
    float X[4] = {Of.X[0], -1, Of.X[1], -1}, Y[4] = {-1, -1, -1, -1};
    const View Every(X, {2}, {2});
    redistribute_async(Every, View(Y, {2}, {2}), Of.M, From, To).wait();
    redistribute_async(Every, Every, Of.M, From, To).wait();
    const float First = Rank % 2 ? 3 : 1;
    EXPECT_THAT(X, ElementsAre(First, -1, First + 1, -1));
    EXPECT_THAT(Y, ElementsAre(First, -1, First + 1, -1));
  });
}

TEST(AsyncRedistribute, WhatDoesNotFitIsThrownAtTheStart) {
  EXPECT_THAT(messagesOf(4,
                         [](int Rank) {
                           Operand Of(Rank);
                           (void)redistribute_async(View(Of.X, {2}),
                                                    View(Of.Y, {1}), Of.M, From,
                                                    To);
                         }),
              Each(HasSubstr("the result is f32[2], the output given is")));
}

TEST(AsyncRedistribute, OneThatIsDroppedIsDoneAndAnError) {
  const std::string Expected =
      std::string("train.cpp:5: spmd::redistribute from '") + From + "' to '" +
      To + "' of f32[2]: started, and never waited for";
  ::testing::internal::CaptureStderr();
  const auto Texts = messagesOf(4, [](int Rank) {
    Operand Of(Rank);
    {
      const Work W = Of.start();
    }
    Of.check();
    float X = 1;
    all_reduce(View(&X, {}), Of.M.axis("a"), P, R);
  });
  EXPECT_THAT(Texts, Each(Expected));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), StartsWith(Expected));
}

TEST(AsyncRedistribute, OneThatChangesNothingIsToBeWaitedFor) {
  ::testing::internal::CaptureStderr();
  const auto Texts = messagesOf(1, [](int) {
    float X = 1, Y = 0;
    const Mesh M({{"a", 1}}, 0);
    redistribute_async(View(&X, {1}), View(&Y, {1}), M, "[1@a]", "[1]{a: R}")
        .wait();
    EXPECT_EQ(1, Y);
    const Work W = redistribute_async(View(&X, {1}), View(&Y, {1}), M, "[1@a]",
                                      "[1]{a: R}");
  });
  EXPECT_THAT(Texts.back(), HasSubstr("started, and never waited for"));
  ::testing::internal::GetCapturedStderr();
}

TEST(AsyncRedistribute, AnErrorInALaterStepIsThrownByTheWait) {
  std::string Seen[4];
  messagesOf(4, [&](int Rank) {
    Operand Of(Rank);
    Work W = Of.start();
    // All have been at the first step.
    while (!W.done())
      std::this_thread::yield();
    if (Rank == 3) {
      float X[4] = {};
      const Axis Both = Of.M.flatten({"a", "b"});
      all_reduce(View(X, {4}), Both, P, R);
    }
    Seen[Rank] = spmd::test::messageOf([&] { W.wait(); });
    W.wait();
  });
  for (int Rank = 0; Rank < 3; ++Rank)
    EXPECT_THAT(Seen[Rank],
                AllOf(StartsWith("train.cpp:5: spmd::all_to_all"),
                      HasSubstr("the ranks disagree: rank 0 calls all_to_all"),
                      HasSubstr("rank 3 all_reduce")));
}

TEST(AsyncRedistribute, AnExceptionThatPassesByEndsTheOthersLaterSteps) {
  const auto Texts = messagesOf(4, [&](int Rank) {
    Operand Of(Rank);
    Work W = Of.start();
    while (!W.done())
      std::this_thread::yield();
    // It is caught, so that the rank itself does not end.
    if (Rank == 3) {
      try {
        const Work Passed = std::move(W);
        throw std::runtime_error("out of data");
      } catch (const std::runtime_error &) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return;
      }
    }
    W.wait();
  });
  for (std::size_t Rank = 0; Rank < 3; ++Rank)
    EXPECT_THAT(Texts[Rank],
                AllOf(HasSubstr("spmd::redistribute from"),
                      HasSubstr("given up, as an exception passed")));
}

} // namespace
