// What a rank leaves behind, and what spmd-flight makes of it.

#include "../../../runtime/tools/spmd-flight/Diff.h"

#include "Messages.h"
#include <spmd/async.h>

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::View;

namespace {

spmd::Axis tp(int Size, int Rank) {
  return Mesh({{"tp", Size}}, Rank).axis("tp");
}

/// A record as dump_flight_record writes it.
std::string dumped() {
  const std::string Path =
      testing::TempDir() + "spmd-flight-test." +
      std::to_string(reinterpret_cast<std::uintptr_t>(&Path));
  spmd::dump_flight_record(Path);
  std::ifstream File(Path);
  std::ostringstream Text;
  Text << File.rdbuf();
  std::remove(Path.c_str());
  return Text.str();
}

std::pair<bool, std::string> diffOf(const std::vector<std::string> &Texts) {
  std::vector<spmd::flight::Record> Records;
  for (std::size_t I = 0; I < Texts.size(); ++I) {
    std::istringstream From(Texts[I]);
    std::string Error;
    Records.push_back({"rank" + std::to_string(I), {}});
    EXPECT_TRUE(read(From, Records.back(), Error)) << Error;
  }
  std::ostringstream Out;
  const bool Agree = diff(Records, Out);
  return {Agree, Out.str()};
}

TEST(Flight, EveryCallThatCommunicatesIsRecorded) {
  spmd::run_local(2, [](int Rank) {
    float X[4] = {}, Y[8] = {};
    const spmd::Axis A = tp(2, Rank);
    all_reduce(View(X, {4}), A, P, R, {"train.cpp", 3});
    convert(View(X, {4}), View(Y, {2}), A, R, S(0));
    all_gather(View(X, {2, 2}), View(Y, {2, 4}), A, S(-1), R, {"train.cpp", 5});
    EXPECT_EQ("0\ttp 0/2\tall_reduce(P -> R)\tf32[4]\ttrain.cpp:3\tfinished\n"
              "1\ttp 0/2\tall_gather(S(1) -> R)\tf32[2, 4]\ttrain.cpp:5\t"
              "finished\n",
              dumped());
  });
}

TEST(Flight, TheRingKeepsTheLastCalls) {
  spmd::run_local(2, [](int Rank) {
    float X = 0;
    const spmd::Axis A = tp(2, Rank);
    for (int I = 0; I < 1030; ++I)
      all_reduce(View(&X, {}), A, P, R);
    const auto Entries = spmd::flight_record();
    EXPECT_EQ(1024U, Entries.size());
    EXPECT_EQ(6U, Entries.front().Sequence);
    EXPECT_EQ(1029U, Entries.back().Sequence);
    EXPECT_TRUE(Entries.back().Finished);
  });
}

TEST(Flight, ALateWaitFinishesNoOtherCall) {
  spmd::run_local(2, [](int Rank) {
    float X = 0, Y = 0;
    const spmd::Axis A = tp(2, Rank);
    // Its place in the ring is the last call's when it is waited for.
    spmd::Work Over = all_reduce_async(View(&X, {}), A, P, R);
    for (int I = 0; I < 1024; ++I)
      all_reduce(View(&Y, {}), A, P, R);
    Over.wait();
    for (const spmd::FlightEntry &E : spmd::flight_record())
      EXPECT_TRUE(E.Finished);
  });
}

TEST(Flight, DiffNamesTheFirstDisagreement) {
  std::vector<std::string> Texts(3);
  EXPECT_THROW(
      spmd::run_local(3,
                      [&](int Rank) {
                        float X[4] = {};
                        const spmd::Axis A = tp(3, Rank);
                        all_reduce(View(X, {4}), A, P, R, {"train.cpp", 3});
                        try {
                          all_reduce(View(X, {Rank == 1 ? 2 : 4}), A, P, R,
                                     {"train.cpp", 5});
                        } catch (...) {
                          Texts[static_cast<std::size_t>(Rank)] = dumped();
                          throw;
                        }
                      }),
      spmd::Error);
  const auto [Agree, Text] = diffOf(Texts);
  EXPECT_FALSE(Agree);
  EXPECT_EQ("axis tp 0/3: the ranks part at call 1:\n"
            "  rank0: all_reduce(P -> R) of f32[4] at train.cpp:5, waiting\n"
            "  rank1: all_reduce(P -> R) of f32[2] at train.cpp:5, waiting\n"
            "  rank2: all_reduce(P -> R) of f32[4] at train.cpp:5, waiting\n",
            Text);
}

TEST(Flight, DiffNamesWhoHasNotCome) {
  const std::string One = "0\ttp 0/2\tall_reduce(P -> R)\tf32[4]\ta.cpp:3\t"
                          "finished\n",
                    Two = "1\ttp 0/2\tall_reduce(P -> R)\tf32[4]\ta.cpp:4\t"
                          "waiting\n";
  EXPECT_EQ("axis tp 0/2: the ranks part at call 1:\n"
            "  rank0: all_reduce(P -> R) of f32[4] at a.cpp:4, waiting\n"
            "  rank1: has not come to it\n",
            diffOf({One + Two, One}).second);
  EXPECT_EQ(
      std::make_pair(
          true, std::string("axis tp 0/2: 2 ranks agree on calls 0 to 0\n")),
      diffOf({One, One}));
  // A ring that has lost the older calls says nothing of them.
  EXPECT_TRUE(diffOf({One + Two, Two}).first);
}

TEST(Flight, EachAxisIsCountedByItself) {
  std::vector<std::string> Texts(8);
  spmd::run_local(8, [&](int Rank) {
    float X[4] = {};
    const Mesh M({{"dp", 4}, {"tp", 2}, {"one", 1}}, Rank);
    // Of four ranks each, and rank 0 is the lowest on both.
    const spmd::Axis Dp = M.axis("dp"),
                     Ep = M.refold({"dp", "tp"}, {{"edp", 2}, {"ep", 4}})
                              .axis("ep");
    for (int I = 0; I < 3; ++I) {
      all_reduce(View(X, {4}), Dp, P, R);
      all_reduce(View(X, {4}), Ep, P, R);
      all_reduce(View(X, {4}), M.flatten({"dp", "one"}), P, R);
    }
    Texts[static_cast<std::size_t>(Rank)] = dumped();
  });
  EXPECT_EQ("axis (dp,one) 0/4: 4 ranks agree on calls 0 to 2\n"
            "axis (dp,one) 1/4: 4 ranks agree on calls 0 to 2\n"
            "axis dp 0/4: 4 ranks agree on calls 0 to 2\n"
            "axis dp 1/4: 4 ranks agree on calls 0 to 2\n"
            "axis ep 0/4: 4 ranks agree on calls 0 to 2\n"
            "axis ep 4/4: 4 ranks agree on calls 0 to 2\n",
            diffOf(Texts).second);
}

TEST(Flight, DiffSaysWhoLeftNoRecord) {
  const std::string One = "0\ttp 0/3\tall_reduce(P -> R)\tf32[4]\ta.cpp:3\t"
                          "finished\n",
                    Two = "1\ttp 0/3\tall_reduce(P -> R)\tf32[4]\ta.cpp:4\t"
                          "waiting\n";
  EXPECT_EQ(
      std::make_pair(
          false,
          std::string(
              "axis tp 0/3: call 1 waits for 1 rank that left no record:\n"
              "  rank0: all_reduce(P -> R) of f32[4] at a.cpp:4, waiting\n"
              "  rank1: all_reduce(P -> R) of f32[4] at a.cpp:4, "
              "waiting\n")),
      diffOf({One + Two, One + Two}));
  EXPECT_EQ("axis tp 0/3: call 1 waits for 2 ranks that left no record:\n"
            "  rank0: all_reduce(P -> R) of f32[4] at a.cpp:4, waiting\n",
            diffOf({One + Two}).second);
  EXPECT_EQ(std::make_pair(true, std::string("axis tp 0/3: 2 ranks agree on "
                                             "calls 0 to 0, 1 rank left no "
                                             "record\n")),
            diffOf({One, One}));
}

TEST(Flight, ALineThatIsCutShortIsLeftOut) {
  const std::string One = "0\ttp 0/2\tall_reduce(P -> R)\tf32[4]\ta.cpp:3\t"
                          "finished\n";
  EXPECT_EQ("axis tp 0/2: 2 ranks agree on calls 0 to 0\n",
            diffOf({One, One + "1\ttp 0/2\tall_red"}).second);
}

TEST(Flight, TheFolderIsMadeAndWhatCannotBeWrittenSaysWhy) {
  EXPECT_EQ(
      "spmd::dump_flight_record: cannot write /proc/none/x: No such file "
      "or directory",
      spmd::test::messageOf([] { spmd::dump_flight_record("/proc/none/x"); }));
  const std::string Folder =
      testing::TempDir() + "spmd-flight-folder." + std::to_string(::getpid());
  const auto FailWith = [](const std::string &Value) {
    setenv("SPMD_FLIGHT_DIR", Value.c_str(), 1);
    EXPECT_THROW(spmd::run_local(2,
                                 [](int Rank) {
                                   float X[4] = {};
                                   all_reduce(View(X, {2 + Rank}), tp(2, Rank),
                                              P, R);
                                 }),
                 spmd::Error);
    unsetenv("SPMD_FLIGHT_DIR");
  };
  // Set to nothing it is not set, and names no folder.
  testing::internal::CaptureStderr();
  FailWith("");
  EXPECT_EQ("", testing::internal::GetCapturedStderr());
  EXPECT_FALSE(std::ifstream("/rank0.flight").good());
  FailWith(Folder);
  EXPECT_TRUE(std::ifstream(Folder + "/rank0.flight").good());
  EXPECT_TRUE(std::ifstream(Folder + "/rank1.flight").good());
  std::filesystem::remove_all(Folder);
}

TEST(Flight, CallsAtDifferentPlacesAreShown) {
  std::vector<spmd::flight::Record> Records(2);
  for (std::size_t R = 0; R < 2; ++R) {
    Records[R].Name = "rank" + std::to_string(R);
    for (std::uint64_t N = 0; N < 2; ++N)
      Records[R].Lines.push_back({N, "tp 0/2", "all_reduce(P -> R)", "f32[4]",
                                  N == R ? "a.cpp:1" : "a.cpp:2", true});
  }
  std::ostringstream Out;
  EXPECT_TRUE(diff(Records, Out));
  EXPECT_EQ("axis tp 0/2: the ranks make call 0 alike, but at different "
            "places, as if one had swapped two calls:\n"
            "  rank0: all_reduce(P -> R) of f32[4] at a.cpp:1\n"
            "  rank1: all_reduce(P -> R) of f32[4] at a.cpp:2\n"
            "axis tp 0/2: 2 ranks agree on calls 0 to 1\n",
            Out.str());
}

TEST(Flight, WhatIsNoRecordIsAnError) {
  spmd::flight::Record R;
  std::string Error;
  for (const char *Text : {"x\n", "1\ta\tb\tc\td\n",
                           "99999999999999999999\ta\tb\tc\td\tfinished\n"}) {
    std::istringstream From(Text);
    EXPECT_FALSE(read(From, R, Error));
    EXPECT_EQ("line 1: not a call of a record", Error);
  }
}

} // namespace
