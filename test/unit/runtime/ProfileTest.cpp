// What a profiler is told of ranks that are threads.

#include "Messages.h"
#include "ProfileCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

using spmd::P;
using spmd::R;
using spmd::View;
using Lines = std::vector<std::string>;

namespace {

struct Threads : spmd::test::Launcher {
  void run(int N,
           const std::function<void(const spmd::Axis &)> &Body) override {
    spmd::run_local(
        N, [&](int Rank) { Body(spmd::Mesh({{"a", N}}, Rank).axis("a")); });
  }
};

TEST(Profile, ToldOfEveryOperatorThatCommunicates) {
  Threads On;
  spmd::test::checkProfile(On);
}

TEST(Profile, StepsOfARedistributionAreOperators) {
  const spmd::test::Profiled By;
  spmd::run_local(4, [&](int Rank) {
    const spmd::Mesh M({{"a", 2}, {"b", 2}}, Rank);
    float X[4] = {}, Y[4] = {};
    for (const bool Starts : {false, true}) {
      if (Starts)
        redistribute_async(View(X, {2}), View(Y, {4}), M, "[4@a]{b: P}",
                           "[4]{a: R, b: R}", {"train.cpp", 7})
            .wait();
      else
        redistribute(View(X, {2}), View(Y, {4}), M, "[4@a]{b: P}",
                     "[4]{a: R, b: R}", {"train.cpp", 7});
    }
    const Lines All = By.Log->mine();
    ASSERT_EQ(8U, All.size());
    EXPECT_EQ("1: all_reduce over b of 2, 8 bytes, train.cpp:7", All[0]);
    EXPECT_EQ("1 ends", All[1]);
    EXPECT_EQ("2: all_gather over a of 2, 8 bytes, train.cpp:7", All[2]);
    EXPECT_EQ("4 ends", All[7]);
    for (std::size_t I = 0; I < 4; ++I)
      EXPECT_EQ(All[I].substr(1), All[I + 4].substr(1));
  });
}

TEST(Profile, WhatFailsEnds) {
  const spmd::test::Profiled By;
  spmd::test::messagesOf(2, [&](int Rank) {
    const spmd::Axis A = spmd::Mesh({{"a", 2}}, Rank).axis("a");
    float X[2] = {};
    if (Rank == 1)
      throw std::runtime_error("left");
    EXPECT_NE("no error", spmd::test::messageOf([&] {
                all_reduce(View(X, {2}), A, P, R, {"train.cpp", 3});
              }));
    EXPECT_NE(
        "no error", spmd::test::messageOf([&] {
          all_reduce_async(View(X, {2}), A, P, R, {"train.cpp", 4}).wait();
        }));
    EXPECT_EQ(
        (Lines{"1: all_reduce over a of 2, 8 bytes, train.cpp:3", "1 ends",
               "2: all_reduce over a of 2, 8 bytes, train.cpp:4", "2 ends"}),
        By.Log->mine());
  });
}

TEST(Profile, WhatABeginThrowsTheOperatorDoes) {
  struct Refusing final : spmd::Profiler {
    std::uint64_t begin(const spmd::ProfiledCall &) override {
      throw std::runtime_error("no room");
    }
    void end(std::uint64_t) noexcept override { ADD_FAILURE(); }
  };
  const auto Before = spmd::set_profiler(std::make_shared<Refusing>());
  spmd::run_local(2, [&](int Rank) {
    const spmd::Axis A = spmd::Mesh({{"a", 2}}, Rank).axis("a");
    float X[2] = {};
    EXPECT_THAT(
        spmd::test::messageOf([&] { all_reduce(View(X, {2}), A, P, R); }),
        testing::HasSubstr("no room"));
  });
  EXPECT_NE(nullptr, spmd::set_profiler(Before));
}

TEST(Profile, WhoComesLaterIsNotToldOfWhatBeganBefore) {
  const spmd::test::Profiled First;
  const auto Second = std::make_shared<spmd::test::ProfileLog>();
  std::atomic<int> Started{0};
  const auto Await = [&](int Many) {
    while (Started < Many)
      std::this_thread::yield();
  };
  spmd::run_local(2, [&](int Rank) {
    const spmd::Axis A = spmd::Mesh({{"a", 2}}, Rank).axis("a");
    float X[2] = {};
    spmd::Work Sum = all_reduce_async(View(X, {2}), A, P, R, {"train.cpp", 3});
    ++Started;
    Await(2);
    if (Rank == 0) {
      EXPECT_EQ(First.Log, spmd::set_profiler(Second));
      ++Started;
    }
    Await(3);
    Sum.wait();
    EXPECT_EQ(Lines{"1: all_reduce over a of 2, 8 bytes, train.cpp:3"},
              First.Log->mine());
    EXPECT_EQ(Lines{}, Second->mine());
  });
}

} // namespace
