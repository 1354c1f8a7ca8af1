// Threads as ranks: what goes wrong on one of them is an error on all, soon,
// and says who and what.

#include <spmd/spmd.h>

#include "GroupCases.h"
#include "Messages.h"

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
using spmd::test::messagesOf;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

Axis tp(int Size, int Rank) { return Mesh({{"tp", Size}}, Rank).axis("tp"); }

TEST(LocalRanks, MeetOnEveryAxisOfTheMesh) {
  spmd::run_local(8, [](int Rank) {
    const Mesh M({{"dp", 2}, {"cp", 2}, {"tp", 2}}, Rank);
    float X = static_cast<float>(1 << Rank), Tp = 0, Both = 0;
    all_reduce(View(&X, {}), View(&Tp, {}), M.axis("tp"), P, R);
    EXPECT_EQ(3 << (Rank & 6), Tp);
    all_reduce(View(&X, {}), View(&Both, {}), M.flatten({"dp", "tp"}), P, R);
    EXPECT_EQ(Rank & 2 ? 0xcc : 0x33, Both);
  });
}

TEST(LocalRanks, FlattenedAxesGatherInTheirOrder) {
  spmd::run_local(4, [](int Rank) {
    const Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
    float X = static_cast<float>(Rank), All[4];
    all_gather(View(&X, {1}), View(All, {4}), M.flatten({"tp", "dp"}), S(0), R);
    EXPECT_THAT(All, ElementsAre(0, 2, 1, 3));
  });
}

TEST(LocalRanks, SumsAreTheSameOnAllRanksAndAtEveryRun) {
  std::vector<std::vector<float>> Seen;
  for (int Run = 0; Run < 3; ++Run)
    spmd::run_local(3, [&](int Rank) {
      std::vector<float> X(10000);
      for (std::size_t E = 0; E < X.size(); ++E)
        X[E] =
            1.0f / static_cast<float>(E + 7 * static_cast<unsigned>(Rank) + 1);
      all_reduce(View(X.data(), {10000}), tp(3, Rank), P, R);
      static std::mutex Lock;
      const std::lock_guard<std::mutex> Held(Lock);
      Seen.push_back(X);
    });
  EXPECT_THAT(Seen, Each(Seen[0]));
}

TEST(LocalRanks, DisagreementNamesBothCalls) {
  const auto Texts = messagesOf(3, [](int Rank) {
    float X[4] = {}, Y[12] = {};
    if (Rank == 2)
      all_gather(View(X, {4}), View(Y, {12}), tp(3, Rank), S(0), R,
                 {"train.cpp", 8});
    else
      all_reduce(View(X, {4}), tp(3, Rank), P, R, {"train.cpp", 6});
  });
  EXPECT_EQ(
      "train.cpp:8: spmd::all_gather(S(0) -> R) of f32[4] over axis 'tp' "
      "of 3 ranks: the ranks disagree: rank 0 calls all_reduce(P -> R) of "
      "f32[4] at train.cpp:6, rank 2 all_gather(S(0) -> R) of f32[12] at "
      "train.cpp:8",
      Texts[2]);
  EXPECT_THAT(Texts, Each(HasSubstr("the ranks disagree")));
}

TEST(LocalRanks, DisagreementOnShapesAndSizesIsSeen) {
  EXPECT_THAT(messagesOf(2,
                         [](int Rank) {
                           float X[4] = {};
                           all_reduce(View(X, {3 + Rank}), tp(2, Rank), P, R,
                                      {"t.cpp", 1});
                         }),
              Each(HasSubstr("rank 0 calls all_reduce(P -> R) of f32[3] at "
                             "t.cpp:1, rank 1 all_reduce(P -> R) of f32[4]")));
  EXPECT_THAT(messagesOf(2,
                         [](int Rank) {
                           float X[4] = {}, Y[4] = {};
                           const spmd::ChunkSizes Sizes = {2, 2};
                           const View In(X, {2}), Out(Y, {4});
                           if (Rank == 0)
                             all_gather(In, Out, tp(2, Rank), S(0, Sizes), R);
                           else
                             all_gather(In, Out, tp(2, Rank), S(0), R);
                         }),
              Each(AllOf(HasSubstr("all_gather(S(0, {2,2}) -> R) of f32[4]"),
                         HasSubstr("rank 1 all_gather(S(0) -> R)"))));
}

TEST(LocalRanks, ErrorsSayWhatWasCalled) {
  spmd::FailedCall Call;
  try {
    spmd::run_local(2, [](int Rank) {
      float X[3] = {};
      if (Rank == 0)
        all_reduce(View(X, {3}), tp(2, Rank), P, R, {"train.cpp", 8});
    });
  } catch (const spmd::Error &E) {
    Call = E.call();
  }
  EXPECT_EQ("spmd::all_reduce", Call.Operation);
  EXPECT_EQ("tp", Call.Axis);
  EXPECT_EQ("P", Call.Src);
  EXPECT_EQ("R", Call.Dst);
  EXPECT_EQ("f32", Call.DType);
  EXPECT_EQ("[3]", Call.Shape);
  EXPECT_EQ(8, Call.At.Line);
  EXPECT_EQ("rank 1 has ended", Call.Cause);
}

TEST(LocalRanks, AThrowingRankEndsTheWaitOfTheOthers) {
  const auto Texts = messagesOf(3, [](int Rank) {
    float X = 0;
    if (Rank == 1)
      throw std::runtime_error("out of data");
    all_reduce(View(&X, {}), tp(3, Rank), P, R, {"train.cpp", 8});
  });
  EXPECT_EQ(
      "train.cpp:8: spmd::all_reduce(P -> R) of f32[] over axis 'tp' of 3 "
      "ranks: rank 1 failed: out of data",
      Texts[0]);
  EXPECT_EQ(Texts[0], Texts[2]);
  EXPECT_EQ("out of data", Texts[3]);
}

TEST(LocalRanks, ARankThatEndsEarlyIsNamed) {
  const auto Texts = messagesOf(2, [](int Rank) {
    float X = 0;
    if (Rank == 0)
      all_reduce(View(&X, {}), tp(2, Rank), P, R);
  });
  EXPECT_THAT(Texts[0], HasSubstr("rank 1 has ended"));
}

TEST(LocalRanks, ALateRankIsAnErrorOnAll) {
  const auto Texts = messagesOf(
      3,
      [](int Rank) {
        float X = 0;
        if (Rank == 2)
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
        all_reduce(View(&X, {}), tp(3, Rank), P, R);
      },
      std::chrono::milliseconds(50));
  EXPECT_THAT(Texts, Each(HasSubstr("rank 2 did not come within 50 ms")));
}

TEST(LocalRanks, AxesOfOthersAreRefused) {
  EXPECT_THAT(messagesOf(2,
                         [](int) {
                           float X = 0;
                           all_reduce(View(&X, {}), tp(2, 0), P, R);
                         })[1],
              HasSubstr("its mesh was made for rank 0, this is rank 1"));
  EXPECT_THAT(messagesOf(2,
                         [](int Rank) {
                           float X = 0;
                           all_reduce(View(&X, {}), tp(4, Rank), P, R);
                         })
                  .back(),
              HasSubstr("rank 2 is on it, the run has 2 ranks"));
  EXPECT_THAT(messagesOf(0, [](int) {}).back(),
              HasSubstr("0 ranks, expected at least 1"));
}

TEST(LocalRanks, AnAxisIsOfNoUseAfterItsRun) {
  std::vector<Axis> Kept(2);
  const auto Use = [&](int Rank) {
    float X = 1;
    all_reduce(View(&X, {}), Kept[static_cast<std::size_t>(Rank)], P, R);
  };
  spmd::run_local(2, [&](int Rank) {
    Kept[static_cast<std::size_t>(Rank)] = tp(2, Rank);
    Use(Rank);
  });
  try {
    Use(0);
    ADD_FAILURE();
  } catch (const spmd::Error &E) {
    EXPECT_THAT(E.what(), HasSubstr("has ended"));
  }
}

TEST(LocalRanks, AnotherThreadOfARankMayCall) {
  spmd::run_local(2, [](int Rank) {
    const Axis Tp = tp(2, Rank);
    float X = 1;
    all_reduce(View(&X, {}), Tp, P, R);
    std::thread([&] { all_reduce(View(&X, {}), Tp, P, R); }).join();
    EXPECT_EQ(4, X);
  });
}

TEST(LocalRanks, GroupsAreAxes) {
  spmd::run_local(4, [](int Rank) {
    spmd::test::checkGroups(spmd::Mesh({{"dp", 2}, {"tp", 2}}, Rank));
  });
}

} // namespace
