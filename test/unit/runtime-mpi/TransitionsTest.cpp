// The transition table over MPI: mpirun starts four of these processes, each of
// which is a rank of every case and expects the same of all ranks.

#include "ElementCases.h"
#include "GroupCases.h"
#include "Messages.h"
#include "ProfileCases.h"
#include "SteadyState.h"
#include "TransitionCases.h"

#include <spmd/mpi.h>
#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::View;

int worldRank() {
  int Rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  return Rank;
}

/// The first ranks of the world, connected as a program would.
struct Processes : spmd::test::Launcher {
  void run(int N, const std::function<void(const Axis &)> &Body) override {
    // A mesh that leaves ranks out is one only for those it has.
    if (worldRank() < N)
      Body(Mesh({{"a", N}}, worldRank()).axis("a"));
  }

  void share(spmd::test::Ranks &X) override {
    for (std::size_t R = 0; R < X.Values.size(); ++R) {
      const int Root = static_cast<int>(R);
      int Sizes[2] = {static_cast<int>(X.Shapes[R].size()),
                      static_cast<int>(X.Values[R].size())};
      MPI_Bcast(Sizes, 2, MPI_INT, Root, MPI_COMM_WORLD);
      std::vector<int64_t> Extents(X.Shapes[R].begin(), X.Shapes[R].end());
      Extents.resize(static_cast<std::size_t>(Sizes[0]));
      X.Values[R].resize(static_cast<std::size_t>(Sizes[1]));
      MPI_Bcast(Extents.data(), Sizes[0], MPI_INT64_T, Root, MPI_COMM_WORLD);
      MPI_Bcast(X.Values[R].data(), Sizes[1], MPI_DOUBLE, Root, MPI_COMM_WORLD);
      X.Shapes[R] = Extents;
    }
  }
};

class EveryRow : public ::testing::TestWithParam<std::size_t> {
protected:
  Processes On;
};

TEST_P(EveryRow, ForwardAndBackward) {
  spmd::test::checkRow(spmd::rules::Transitions[GetParam()], 4, On);
}

TEST_F(EveryRow, EveryElementType) { spmd::test::checkElements(On); }

TEST_F(EveryRow, IsToldToTheProfiler) { spmd::test::checkProfile(On); }

// MPI adds; the sum is scaled after it.
TEST(Mpi, MeansAreTheSameStarted) {
  const Axis A = Mesh({{"a", 4}}, worldRank()).axis("a");
  const float Mine = static_cast<float>(worldRank());
  float X[2] = {Mine, Mine + 0.5F}, Y[2] = {};
  all_reduce_mean(View(X, {2}), View(Y, {2}), A, spmd::P, spmd::R);
  EXPECT_THAT(Y, ::testing::ElementsAre(1.5F, 2));
  all_reduce_mean_async(View(X, {2}), A, spmd::P, spmd::R).wait();
  EXPECT_THAT(X, ::testing::ElementsAre(1.5F, 2));
}

TEST(Mpi, CallsThatOneRankHasSwappedAreWarnedOf) {
  const Axis A = Mesh({{"a", 4}}, worldRank()).axis("a");
  testing::internal::CaptureStderr();
  const bool HasSwapped = worldRank() == 3;
  for (const bool Second : {false, true}) {
    float X = 1;
    all_reduce(View(&X, {}), A, spmd::P, spmd::R,
               {"train.cpp", Second == HasSwapped ? 5 : 6});
  }
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr("rank " + std::to_string(worldRank()) +
                         " calls all_reduce(P -> R) of f32[] at train.cpp:" +
                         (HasSwapped ? "5" : "6") +
                         ", other ranks the same at another place"));
}

TEST(Mpi, GroupsAreAxes) {
  spmd::test::checkGroups(Mesh({{"dp", 2}, {"tp", 2}}, worldRank()));
}

/// A device's memory without a device: what lies in one array.
struct Elsewhere final : spmd::Backend, spmd::Memory {
  static inline float Array[2] = {};
  const char *name() const override { return "elsewhere"; }
  std::shared_ptr<spmd::Communicator> connect(const Axis &) override {
    throw spmd::Error("a device is asked for");
  }
  Memory &memory() override { return *this; }
  bool isDevice() const override { return true; }
  bool owns(const void *Data) const override { return Data == Array; }
  void copyRows(void *, std::size_t, const void *, std::size_t, std::size_t,
                std::size_t) override {}
  void zero(void *, std::size_t) override {}
  void scale(void *, spmd::DType, std::int64_t, double) override {}
  void *scratch(int, std::size_t) override { return nullptr; }
  std::shared_ptr<void> allocate(std::size_t) override { return nullptr; }
  void upload(void *, const void *, std::size_t) override {}
  void download(void *, const void *, std::size_t) override {}
};

TEST(Mpi, TakesTheHostsMemoryOfTwoBackends) {
  const auto Before = spmd::set_backend(spmd::host_and_device(
      spmd::mpi_backend(), std::make_shared<Elsewhere>()));
  const Axis A = Mesh({{"dp", 4}}, worldRank()).axis("dp");
  float X[1] = {1};
  all_reduce(View(X, {1}), A, spmd::P, spmd::R);
  EXPECT_EQ(4, X[0]);
  EXPECT_THAT(
      [&] { all_reduce(View(Elsewhere::Array, {2}), A, spmd::P, spmd::R); },
      ::testing::ThrowsMessage<spmd::Error>(
          ::testing::HasSubstr("a device is asked for")));
  spmd::set_backend(Before);
}

TEST(Mpi, ConnectsEveryAxisOfTheMesh) {
  const int Rank = worldRank();
  const Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
  float X = static_cast<float>(1 << Rank), Tp = 0, All[4] = {};
  all_reduce(View(&X, {}), View(&Tp, {}), M.axis("tp"), spmd::P, spmd::R);
  EXPECT_EQ(3 << (Rank & 2), Tp);
  all_gather(View(&X, {1}), View(All, {4}), M.flatten({"tp", "dp"}), spmd::S(0),
             spmd::R);
  EXPECT_THAT(All, testing::ElementsAre(1, 4, 2, 8));
}

TEST(Mpi, TheLaunchersVariablesAndTheStore) {
  const spmd::Job J = spmd::init();
  EXPECT_EQ("Open MPI", J.launcher());
  EXPECT_EQ(worldRank(), J.rank());
  EXPECT_EQ(worldRank(), J.localRank());
  EXPECT_EQ(4, J.size());
  EXPECT_THAT(J.rendezvous(), testing::StartsWith("tcp://127.0.0.1:"));
  J.store().set("of " + std::to_string(J.rank()), std::to_string(J.rank()));
  for (int R = 0; R < J.size(); ++R)
    EXPECT_EQ(std::to_string(R), J.store().get("of " + std::to_string(R)));
  J.store().barrier("end", J.rank(), J.size());
}

TEST(Mpi, CommunicatorsAreAxes) {
  float X = 1;
  all_reduce(View(&X, {}), MPI_COMM_WORLD, spmd::P, spmd::R);
  EXPECT_EQ(4, X);
}

// What MPI allocates is its own.
// To duplicate one takes a hundred times as long as an operator.
TEST(Mpi, ACommunicatorIsDuplicatedOnce) {
  EXPECT_EQ(Axis(MPI_COMM_WORLD).communicator(),
            Axis(MPI_COMM_WORLD).communicator());
  const auto SumOver = [](MPI_Comm Of) {
    float X = 1;
    all_reduce(View(&X, {}), Of, spmd::P, spmd::R);
    return X;
  };
  Axis Outlives;
  std::weak_ptr<spmd::Communicator> Of;
  // Handles are used again, for other ranks.
  for (const int Size : {4, 2, 1, 4, 2}) {
    MPI_Comm Some;
    MPI_Comm_split(MPI_COMM_WORLD, worldRank() / Size, 0, &Some);
    EXPECT_EQ(Size, SumOver(Some));
    Of = Axis(Some).connected();
    EXPECT_EQ(Size, SumOver(Some));
    Outlives = Some;
    MPI_Comm_free(&Some);
    EXPECT_FALSE(Of.expired());
    float X = 1;
    all_reduce(View(&X, {}), Outlives, spmd::P, spmd::R);
    EXPECT_EQ(Size, X);
    Outlives = Axis();
    EXPECT_TRUE(Of.expired());
  }
}

TEST(Mpi, WhatIsNoGroupOfRanksIsAnError) {
  EXPECT_EQ("spmd::Axis: the communicator is MPI_COMM_NULL",
            spmd::test::messageOf([] { Axis A(MPI_COMM_NULL); }));
  // Its operators take what the other side has.
  MPI_Comm Half, Both;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() / 2, 0, &Half);
  MPI_Intercomm_create(Half, 0, MPI_COMM_WORLD, worldRank() < 2 ? 2 : 0, 7,
                       &Both);
  EXPECT_EQ("spmd::Axis: the communicator is one between two groups",
            spmd::test::messageOf([&] { Axis A(Both); }));
  MPI_Comm_free(&Both);
  MPI_Comm_free(&Half);
}

TEST(Mpi, CallsAllocateNothing) {
  const Axis Pair = Mesh({{"dp", 2}, {"tp", 2}}, worldRank()).axis("tp");
  EXPECT_EQ(0, spmd::test::allocationsInCalls(Pair));
  EXPECT_EQ(0, spmd::test::allocationsInStarts(Pair));
}

TEST(Mpi, ManyAreUnderWayOnTwoAxes) {
  const Mesh M({{"dp", 2}, {"tp", 2}}, worldRank());
  float X = 1, Y = 1;
  spmd::Work Dp =
      all_reduce_async(View(&X, {}), M.axis("dp"), spmd::P, spmd::R);
  spmd::Work Tp =
      all_reduce_async(View(&Y, {}), M.axis("tp"), spmd::P, spmd::I);
  while (!Tp.done())
    ;
  Tp.wait();
  EXPECT_EQ(2, Y);
  Dp.wait();
  EXPECT_EQ(2, X);
}

TEST(Mpi, MeshOfAnotherRankIsRefused) {
  float X = 1;
  const int Other = (worldRank() + 1) % 4;
  try {
    all_reduce(View(&X, {}), Mesh({{"a", 4}}, Other).axis("a"), spmd::P,
               spmd::R);
    ADD_FAILURE();
  } catch (const spmd::Error &E) {
    EXPECT_THAT(E.what(),
                testing::HasSubstr("its mesh was made for rank " +
                                   std::to_string(Other) + ", this is rank "));
  }
}

INSTANTIATE_TEST_SUITE_P(Transitions, EveryRow,
                         ::testing::Range(std::size_t(0),
                                          std::size(spmd::rules::Transitions)));

} // namespace

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  ::testing::InitGoogleTest(&Argc, Argv);
  if (worldRank() != 0)
    delete ::testing::UnitTest::GetInstance()->listeners().Release(
        ::testing::UnitTest::GetInstance()
            ->listeners()
            .default_result_printer());
  spmd::set_backend(spmd::mpi_backend());
  const int Failed = RUN_ALL_TESTS();
  spmd::set_backend(nullptr);
  MPI_Finalize();
  return Failed;
}
