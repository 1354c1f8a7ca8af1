// Operators that are started and waited for, on threads as ranks.

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;
using spmd::View;
using spmd::Work;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

Axis tp(int Size, int Rank) { return Mesh({{"tp", Size}}, Rank).axis("tp"); }

std::string messageOf(const std::function<void()> &Do) {
  try {
    Do();
  } catch (const std::exception &E) {
    return E.what();
  }
  return "";
}

TEST(Async, GoesOnWhileTheRankDoesSomethingElse) {
  spmd::run_local(2, [](int Rank) {
    std::vector<float> X(100000, static_cast<float>(Rank + 1));
    Work W = all_reduce_async(View(X.data(), {100000}), tp(2, Rank), P, R);
    while (!W.done())
      std::this_thread::yield();
    EXPECT_EQ(3, X.back());
    W.wait();
  });
}

TEST(Async, ManyAreUnderWayOnTwoAxesAndEndInAnyOrder) {
  spmd::run_local(4, [](int Rank) {
    const Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
    const Axis Axes[] = {M.axis("dp"), M.axis("tp")};
    std::vector<Work> All;
    float X[2][3], Y[2][3] = {};
    for (int A = 0; A < 2; ++A)
      for (int E = 0; E < 3; ++E) {
        // Ranks may take the axes in different orders.
        const int On = (A + Rank) % 2;
        X[On][E] = static_cast<float>(100 * E + Rank);
        All.push_back(all_reduce_async(View(&X[On][E], {}), View(&Y[On][E], {}),
                                       Axes[On], P, R));
      }
    while (!All.empty()) {
      const std::size_t At = All.size() / 2;
      All[At].wait();
      All.erase(All.begin() + static_cast<std::ptrdiff_t>(At));
    }
    for (int E = 0; E < 3; ++E) {
      EXPECT_EQ(200 * E + 2 * (Rank % 2) + 2, Y[0][E]);
      EXPECT_EQ(200 * E + 4 * (Rank / 2) + 1, Y[1][E]);
    }
  });
}

TEST(Async, AnOperatorThatWaitsTakesItsPlaceInTheOrder) {
  spmd::run_local(3, [](int Rank) {
    const Axis A = tp(3, Rank);
    float X = 1, Y = static_cast<float>(Rank), All[3] = {};
    Work First = all_reduce_async(View(&X, {}), A, P, R);
    all_gather(View(&Y, {1}), View(All, {3}), A, S(0), R);
    Work Last = all_reduce_async(View(&Y, {}), A, P, R);
    First.wait();
    EXPECT_EQ(3, X);
    EXPECT_EQ(2, All[2]);
    Last.wait();
    EXPECT_EQ(3, Y);
  });
}

TEST(Async, CutResultsArePutTogetherByTheWait) {
  spmd::run_local(2, [](int Rank) {
    const float X[4] = {0.f + 10 * Rank, 1.f + 10 * Rank, 2.f + 10 * Rank,
                        3.f + 10 * Rank};
    float Y[8] = {}, Z[4] = {}, Back[4] = {};
    const Axis A = tp(2, Rank);
    float In[4];
    std::copy(X, X + 4, In);
    Work First =
        all_gather_async(View(In, {2, 2}), View(Y, {2, 4}), A, S(1), R);
    Work Second =
        redistribute_async(View(In, {2, 2}), View(Z, {1, 4}), A, S(1), S(0));
    First.wait();
    EXPECT_THAT(Y, ::testing::ElementsAre(0, 1, 10, 11, 2, 3, 12, 13));
    Second.wait();
    all_to_all_async(View(Z, {1, 4}), View(Back, {2, 2}), A, S(0), S(1)).wait();
    EXPECT_THAT(Back, ::testing::ElementsAreArray(X));
  });
}

TEST(Async, StridedViewsAndMeansAreCompletedByTheWait) {
  for (const int Ranks : {1, 2})
    spmd::run_local(Ranks, [Ranks](int Rank) {
      const float F = static_cast<float>(Rank);
      float X[6] = {F, -1, F + 2, -1, F + 4, -1}, Y[3] = {};
      const View Every(X, {3}, {2});
      const Axis A = tp(Ranks, Rank);
      all_reduce_mean_async(Every, View(Y, {3}), A, P, R).wait();
      const float Half = static_cast<float>(Ranks - 1) / 2;
      EXPECT_THAT(Y, ::testing::ElementsAre(Half, Half + 2, Half + 4));
      all_reduce_mean_async(Every, A, P, R).wait();
      EXPECT_THAT(X,
                  ::testing::ElementsAre(Half, -1, Half + 2, -1, Half + 4, -1));
    });
}

TEST(Async, WaitingAgainDoesNothing) {
  spmd::run_local(2, [](int Rank) {
    float X = 1;
    Work W = all_reduce_async(View(&X, {}), tp(2, Rank), P, R);
    W.wait();
    W.wait();
    EXPECT_TRUE(W.done());
    EXPECT_EQ(2, X);
    Work Moved = std::move(W);
    Moved.wait();
    Work().wait();
  });
}

TEST(Async, WhatTheRanksDisagreeOnIsThrownByTheWait) {
  spmd::run_local(2, [](int Rank) {
    float X[2] = {};
    Work W = all_reduce_async(View(X, {1 + Rank}), tp(2, Rank), P, R,
                              {"train.cpp", 6});
    EXPECT_THAT(messageOf([&] { W.wait(); }),
                AllOf(StartsWith("train.cpp:6: spmd::all_reduce(P -> R)"),
                      HasSubstr("the ranks disagree")));
    W.wait();
  });
}

TEST(Async, MeshesOfTheSameAxesKeepOneOrder) {
  spmd::run_local(2,
                  [](int Rank) {
                    const Axis Axes[] = {tp(2, Rank), tp(2, Rank)};
                    for (int Round = 0; Round < 50; ++Round) {
                      float X[3];
                      std::vector<Work> All;
                      for (int I = 0; I < 3; ++I) {
                        X[I] = static_cast<float>(I + Rank);
                        if (I < 2)
                          All.push_back(
                              all_reduce_async(View(&X[I], {}), Axes[I], P, R));
                        else
                          all_reduce(View(&X[I], {}), Axes[0], P, R);
                      }
                      for (int I = 0; I < 2; ++I)
                        All[static_cast<std::size_t>(I ^ Rank)].wait();
                      for (int I = 0; I < 3; ++I)
                        EXPECT_EQ(2 * I + 1, X[I]);
                    }
                  },
                  {std::chrono::seconds(10)});
}

TEST(Async, ShapesAreCheckedAtTheStart) {
  spmd::run_local(2, [](int Rank) {
    float X[4] = {};
    EXPECT_THAT(messageOf([&] {
                  (void)all_gather_async(View(X, {1}), View(X, {1}),
                                         tp(2, Rank), S(0), R);
                }),
                HasSubstr("the result is [2], the output given is f32[1]"));
  });
}

/// Drops a handle on each of \p Ranks; then does \p Next.
std::string dropped(int Ranks, const std::function<void(const Axis &)> &Next) {
  ::testing::internal::CaptureStderr();
  const std::string Thrown = messageOf([&] {
    spmd::run_local(Ranks, [&](int Rank) {
      float X = 1;
      const Axis A = tp(Ranks, Rank);
      {
        Work W = all_reduce_async(View(&X, {}), A, P, R, {"train.cpp", 8});
      }
      EXPECT_EQ(Ranks, X) << "the buffer is let go after the operator only";
      Next(A);
    });
  });
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), StartsWith(Thrown));
  return Thrown;
}

TEST(Async, AHandleThatIsDroppedIsAnError) {
  const std::string Expected =
      "train.cpp:8: spmd::all_reduce(P -> R) of f32[] over axis 'tp' of ";
  for (const int Ranks : {1, 3}) {
    const std::string Text = Expected + std::to_string(Ranks) +
                             (Ranks == 1 ? " rank" : " ranks") +
                             ": started, and never waited for";
    EXPECT_EQ(Text, dropped(Ranks, [](const Axis &) {})) << "at the end";
    EXPECT_EQ(Text, dropped(Ranks, [&](const Axis &A) {
                float X = 0;
                EXPECT_EQ(Text, messageOf([&] {
                            all_reduce(View(&X, {}), A, P, R, {"t.cpp", 9});
                          }));
                throw std::runtime_error(Text);
              }));
  }
}

TEST(Async, OneThatIsOverwrittenIsDropped) {
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(
      messageOf([] {
        spmd::run_local(1, [](int) {
          float X = 1;
          Work W =
              all_reduce_async(View(&X, {}), Axis(), P, R, {"train.cpp", 3});
          W = all_reduce_async(View(&X, {}), Axis(), P, R, {"train.cpp", 4});
          W.wait();
        });
      }),
      StartsWith("train.cpp:3: "));
  ::testing::internal::GetCapturedStderr();
}

TEST(Async, AnExceptionThatPassesAHandleByEndsTheOthersWait) {
  std::string Seen;
  const std::string Thrown = messageOf([&] {
    spmd::run_local(2, [&](int Rank) {
      float X = 1;
      const Axis A = tp(2, Rank);
      if (Rank == 0) {
        Work W = all_reduce_async(View(&X, {}), A, P, R, {"train.cpp", 8});
        throw std::runtime_error("out of data");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      Seen = messageOf([&] { all_reduce(View(&X, {}), A, P, R); });
    });
  });
  EXPECT_EQ("out of data", Thrown);
  EXPECT_THAT(Seen, AllOf(HasSubstr("train.cpp:8: spmd::all_reduce"),
                          HasSubstr("given up, as an exception")));
}

TEST(Async, AHandleOutlivesItsRun) {
  std::vector<Work> Kept(2);
  std::vector<float> X(2, 1);
  spmd::run_local(2, [&](int Rank) {
    const auto At = static_cast<std::size_t>(Rank);
    Kept[At] = all_reduce_async(View(&X[At], {}), tp(2, Rank), P, R);
  });
  for (Work &W : Kept)
    messageOf([&] { W.wait(); });
}

} // namespace
