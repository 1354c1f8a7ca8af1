// The transition table over Gloo process groups, one per thread.

#include "ElementCases.h"
#include "GroupCases.h"
#include "TransitionCases.h"

#include "Groups.h"
#include "Messages.h"
#include "ProfileCases.h"

#include <spmd/c10d.h>
#include <spmd/torch.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <list>
#include <mutex>
#include <thread>

namespace {

using spmd::Axis;
using spmd::test::Groups;

struct Gloo : spmd::test::Launcher {
  void run(int N, const std::function<void(const Axis &)> &Body) override {
    static std::map<int, Groups> All;
    All.try_emplace(N, N).first->second.run(Body);
  }
};

class EveryRow : public ::testing::TestWithParam<std::size_t> {
protected:
  Gloo On;
};

TEST_P(EveryRow, ForwardAndBackward) {
  spmd::test::checkRow(spmd::rules::Transitions[GetParam()], 4, On);
}

TEST_F(EveryRow, EveryElementType) {
  spmd::test::checkElements(On, /*HasAll=*/false);
}

TEST_F(EveryRow, IsToldToTheProfiler) { spmd::test::checkProfile(On); }

// Gloo itself divides by the number of elements.
TEST_F(EveryRow, OfNoElements) {
  On.run(2, [](const Axis &A) {
    const spmd::View None(static_cast<float *>(nullptr), {0, 2});
    all_reduce(None, A, spmd::P, spmd::R);
    all_gather(None, None, A, spmd::S(0), spmd::R);
    reduce_scatter(None, None, A, spmd::P, spmd::S(0));
    all_to_all(None, None, A, spmd::S(0), spmd::S(0, {0, 0}));
    spmd::Work W = all_gather_async(None, None, A, spmd::S(0, {0, 0}), spmd::I);
    W.wait();
  });
}

TEST(ProcessGroup, TheDeadlineCountsWhereItIsShorter) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  Groups Pair(2, std::chrono::seconds(2));
  Pair.run([](const Axis &A) {
    float X[2] = {};
    if (A.rank() == 1)
      return;
    try {
      spmd::all_reduce(spmd::View(X, {2}), A, spmd::P, spmd::R);
      ADD_FAILURE() << "rank 1 did not come";
    } catch (const spmd::Error &E) {
      EXPECT_EQ("a rank did not come within 200 ms", E.call().Cause);
    }
    // The group is still at work on X.
    std::this_thread::sleep_for(std::chrono::seconds(3));
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

TEST(ProcessGroup, ErrorsCarryTheGroupsText) {
  Groups Pair(2, std::chrono::milliseconds(200));
  Pair.run([](const Axis &A) {
    float X[2] = {};
    if (A.rank() == 1)
      return;
    try {
      spmd::all_reduce(spmd::View(X, {2}), A, spmd::P, spmd::R);
      ADD_FAILURE() << "rank 1 did not come";
    } catch (const spmd::Error &E) {
      EXPECT_THAT(E.call().Cause,
                  testing::AllOf(testing::StartsWith("c10d: "),
                                 testing::HasSubstr("imed out")));
    }
  });
}

// What is late on one rank ends on the other: the next calls would not match.
TEST(ProcessGroup, AfterAFailureEveryCallFailsAtOnce) {
  Groups Pair(2, std::chrono::seconds(2));
  const auto Sum = [](const Axis &A) {
    return spmd::test::messageOf([&] {
      (void)spmd::all_reduce(at::ones({4}), A, spmd::P, spmd::R,
                             {"train.cpp", 3});
    });
  };
  const std::string Late =
      "train.cpp:3: spmd::all_reduce(P -> R) of f32[4] over "
      "an unnamed axis of 2 ranks: a rank did not come "
      "within 200 ms";
  spmd::set_deadline(std::chrono::milliseconds(200));
  Pair.run([&](const Axis &A) {
    if (A.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      EXPECT_EQ("no error", Sum(A));
      return;
    }
    EXPECT_EQ(Late, Sum(A));
    const auto Start = std::chrono::steady_clock::now();
    EXPECT_EQ(Late, Sum(A));
    EXPECT_EQ(Late, spmd::test::messageOf([&] {
                spmd::all_reduce_async(at::ones({4}), A, spmd::P, spmd::R,
                                       {"train.cpp", 3})
                    .wait();
              }));
    EXPECT_LT(std::chrono::steady_clock::now() - Start,
              std::chrono::milliseconds(150));
    // The group is still at work on the first.
    std::this_thread::sleep_for(std::chrono::seconds(1));
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

/// A buffer that is the group's for good.
float *kept(std::vector<float> Values) {
  static std::mutex &Lock = *new std::mutex;
  static auto &All = *new std::list<std::vector<float>>;
  const std::lock_guard<std::mutex> Held(Lock);
  All.push_back(std::move(Values));
  return All.back().data();
}

constexpr int Floats = 64;

float *scratch(int Slot) {
  return static_cast<float *>(
      spmd::hostMemory().scratch(Slot, Floats * sizeof(float)));
}

/// Rank 1 comes to \p Body when rank 0 has given it up, and does \p After, then
/// uses its own memory for packing. What that holds at the end is as it was.
void whereRankOneIsLate(const std::function<void(const Axis &)> &Body,
                        const std::function<void(const Axis &)> &After) {
  Groups Pair(2, std::chrono::seconds(2));
  spmd::set_deadline(std::chrono::milliseconds(200));
  Pair.run([&](const Axis &A) {
    // Large enough for all.
    for (int Slot = 0; Slot < spmd::Memory::Slots; ++Slot)
      scratch(Slot);
    if (A.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      return Body(A);
    }
    EXPECT_THAT(spmd::test::messageOf([&] { Body(A); }),
                testing::HasSubstr("a rank did not come within 200 ms"));
    After(A);
    for (int Slot = 0; Slot < spmd::Memory::Slots; ++Slot)
      std::fill_n(scratch(Slot), Floats, 77.F);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    for (int Slot = 0; Slot < spmd::Memory::Slots; ++Slot)
      EXPECT_EQ(Floats, std::count(scratch(Slot), scratch(Slot) + Floats, 77.F))
          << Slot;
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

void gather(const Axis &A) {
  float *const X = kept({1, 2}), *const Y = kept({0, 0, 0, 0});
  spmd::all_gather(spmd::View(X, {2, 1}), spmd::View(Y, {2, 2}), A, spmd::S(1),
                   spmd::R);
  EXPECT_EQ((std::vector<float>{1, 1, 2, 2}), std::vector<float>(Y, Y + 4));
}

void scatter(const Axis &A, bool Started, float Scale) {
  float *const X = kept({Scale, 2 * Scale, 3 * Scale, 4 * Scale}), *const Y =
                                                                       kept(
                                                                           {0,
                                                                            0});
  const spmd::View In(X, {2, 2}), Out(Y, {2, 1});
  if (Started)
    spmd::reduce_scatter_async(In, Out, A, spmd::P, spmd::S(1)).wait();
  else
    spmd::reduce_scatter(In, Out, A, spmd::P, spmd::S(1));
  EXPECT_EQ((std::vector<float>{4, 8}), std::vector<float>(Y, Y + 2));
}

// Gloo's thread goes on with what its caller has given up.
TEST(ProcessGroup, WhatIsGivenUpWritesNoLaterCallsMemory) {
  whereRankOneIsLate(gather, [](const Axis &) {});
}

// Others may still come to it, and are to get what it was about.
TEST(ProcessGroup, WhatIsGivenUpSendsNoLaterCallsValues) {
  for (const bool Started : {false, true})
    whereRankOneIsLate([&](const Axis &A) { scatter(A, Started, 1); },
                       [&](const Axis &A) {
                         // Fails at once, with its operand packed.
                         EXPECT_NE("no error", spmd::test::messageOf([&] {
                                     scatter(A, Started, 100);
                                   }));
                       });
}

// As the group's thread would write what is freed with the axis.
TEST(ProcessGroup, WhatIsGivenUpOutlivesItsAxis) {
  std::vector<std::vector<float>> Next;
  whereRankOneIsLate(
      [](const Axis &A) {
        const auto &With = static_cast<const spmd::ProcessGroupCommunicator &>(
            *A.communicator());
        const Axis Own(With.group());
        float *const X = kept(std::vector<float>(100)), *const Y = kept(
                                                            std::vector<float>(
                                                                200));
        spmd::all_gather_async(spmd::View(X, {100, 1}), spmd::View(Y, {100, 2}),
                               Own, spmd::S(1), spmd::R)
            .wait();
      },
      [&](const Axis &) {
        // One takes its place, if it is freed.
        for (int I = 0; I < 64; ++I)
          Next.emplace_back(200, 77.F);
      });
  for (const std::vector<float> &Of : Next)
    EXPECT_EQ(std::vector<float>(200, 77.F), Of);
}

TEST(ProcessGroup, TakesInferenceTensors) {
  Gloo().run(2, [](const Axis &A) {
    const c10::InferenceMode On;
    const at::Tensor X = at::full({2, 2}, A.rank() + 1.0);
    const at::Tensor Y = spmd::all_gather(X, A, spmd::S(0), spmd::R);
    EXPECT_TRUE(Y.is_inference());
    EXPECT_TRUE(
        at::equal(spmd::reduce_scatter(Y, A, spmd::P, spmd::S(0)), X * 2));
    EXPECT_TRUE(at::equal(
        spmd::all_to_all(spmd::all_to_all(X, A, spmd::S(0), spmd::S(1)), A,
                         spmd::S(1), spmd::S(0)),
        X));
  });
}

at::Tensor bools(std::vector<std::int64_t> Of) {
  return at::tensor(Of, at::kLong).to(at::kBool);
}

TEST(ProcessGroup, MovesBools) {
  Gloo().run(2, [](const Axis &A) {
    const at::Tensor X = bools({A.rank() == 0, 0, 1});
    EXPECT_TRUE(at::equal(spmd::all_reduce_max(X, A, spmd::V, spmd::R),
                          bools({1, 0, 1})));
    EXPECT_TRUE(at::equal(spmd::all_gather(X, A, spmd::S(0), spmd::R),
                          bools({1, 0, 1, 0, 0, 1})));
    EXPECT_TRUE(at::equal(spmd::broadcast(X, A, spmd::V, spmd::R, 1),
                          bools({0, 0, 1})));
  });
}

// Gloo throws on a thread of its own.
TEST(ProcessGroupDeathTest, OtherShapesAreSaidToBe) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string Folder = testing::TempDir() + "spmd-gloo-shapes";
  EXPECT_DEATH(
      {
        setenv("SPMD_FLIGHT_DIR", Folder.c_str(), 1);
        Groups(2, std::chrono::seconds(5)).run([](const Axis &A) {
          (void)spmd::all_reduce(at::ones({A.rank() ? 4 : 12}), A, spmd::P,
                                 spmd::R, {"train.cpp", 8});
        });
      },
      "spmd: Gloo ends this process, .* while train.cpp:8: "
      "spmd::all_reduce\\(P -> R\\) of f32\\[(4|12)\\] over an unnamed "
      "axis of 2 ranks is under way: SPMD_CHECK=1");
  std::ifstream Record(Folder + "/rank0.flight"),
      Other(Folder + "/rank1.flight");
  EXPECT_TRUE(Record || Other);
}

/// Axes of meshes, also of groups of ranks, over groups of Gloo.
spmd::MakeGroup glooOver(const c10::intrusive_ptr<c10d::Store> &Store) {
  return [Store](const Axis &A) {
    const auto Options = c10d::ProcessGroupGloo::Options::create();
    Options->devices.push_back(
        c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
    std::string Prefix = "axis";
    for (const int Rank : A.members())
      Prefix += " " + std::to_string(Rank);
    return c10::intrusive_ptr<c10d::ProcessGroup>(
        c10::make_intrusive<c10d::ProcessGroupGloo>(
            c10::make_intrusive<c10d::PrefixStore>(Prefix, Store), A.rank(),
            A.size(), Options));
  };
}

TEST(GroupBackend, ConnectsMeshesAndGroups) {
  const auto Store = c10::make_intrusive<c10d::HashStore>();
  spmd::run_local(4, [&](int Rank) {
    spmd::set_backend(spmd::c10d_backend(glooOver(Store)));
    const spmd::Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
    spmd::test::checkGroups(M);
    at::Tensor X = at::full({1}, Rank + 1.0);
    for (const char *Name : {"tp", "dp"})
      X = spmd::all_reduce(X, M.axis(Name), spmd::P, spmd::R);
    EXPECT_EQ(10, X.item<double>());
  });
}

TEST(GroupBackend, AGroupOfOtherRanksIsAnError) {
  spmd::run_local(2, [](int Rank) {
    spmd::set_backend(spmd::c10d_backend(
        [](const Axis &) { return c10::intrusive_ptr<c10d::ProcessGroup>(); }));
    EXPECT_THAT(spmd::test::messageOf([&] {
                  (void)spmd::all_reduce(
                      at::ones({1}), spmd::Mesh({{"dp", 2}}, Rank).axis("dp"),
                      spmd::P, spmd::R);
                }),
                testing::HasSubstr("it was given no process group"));
  });
}

INSTANTIATE_TEST_SUITE_P(ProcessGroups, EveryRow,
                         ::testing::Range(std::size_t(0),
                                          std::size(spmd::rules::Transitions)));

} // namespace
