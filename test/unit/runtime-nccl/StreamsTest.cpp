// Operators on streams: what is started runs beside, in the order of calls.

#include "Devices.h"

#include <spmd/async.h>
#include <spmd/bootstrap.h>
#include <spmd/flight.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <random>
#include <thread>

namespace {

using spmd::Axis;
using spmd::I;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::Work;
using spmd::test::DeviceBuffer;
using spmd::test::onDevices;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t Buffers = 5, Elements = 8;

/// A program that all ranks draw alike: operators in place and between buffers
/// on two axes, at once and started, that are waited for in any order.
/// \p View is the buffer with that number, of 2 x 4 elements.
template <class Fn> void program(const Mesh &M, unsigned Seed, Fn View) {
  std::minstd_rand Random(Seed);
  std::vector<std::pair<Work, std::vector<std::size_t>>> Started;
  const auto IsBusy = [&](std::size_t B) {
    for (const auto &S : Started)
      if (std::count(S.second.begin(), S.second.end(), B))
        return true;
    return false;
  };
  const auto WaitForOne = [&] {
    const auto At =
        Started.begin() + static_cast<long>(Random() % Started.size());
    At->first.wait();
    Started.erase(At);
  };
  for (int Step = 0; Step < 30; ++Step) {
    const Axis A = M.axis(Random() % 2 ? "dp" : "tp");
    const bool Waits = Random() % 2;
    const unsigned What = Random() % 3;
    const std::size_t From = Random() % Buffers;
    const std::size_t To = What == 0 ? From : (From + 1) % Buffers;
    while (IsBusy(From) || IsBusy(To))
      WaitForOne();
    const spmd::View X = View(From), Y = View(To);
    const spmd::View Turned(Y.data(), spmd::DType::F32, {4, 2});
    const auto Run = [&](auto AtOnce, auto Start) {
      if (Waits)
        AtOnce();
      else
        Started.emplace_back(Start(), std::vector<std::size_t>{From, To});
    };
    if (What == 0)
      Run([&] { all_reduce(X, A, P, I); },
          [&] { return all_reduce_async(X, A, P, I); });
    else if (What == 1)
      Run([&] { all_to_all(X, Turned, A, S(0), S(1)); },
          [&] { return all_to_all_async(X, Turned, A, S(0), S(1)); });
    else
      Run([&] { all_gather(X.slice(1, 0, 2), Y, A, S(1), R); },
          [&] { return all_gather_async(X.slice(1, 0, 2), Y, A, S(1), R); });
    if (!Started.empty() && Random() % 4 == 0)
      WaitForOne();
  }
  while (!Started.empty())
    WaitForOne();
}

std::vector<float> drawn(int Rank, std::size_t Buffer) {
  std::vector<float> X;
  for (std::size_t E = 0; E < Elements; ++E)
    X.push_back(static_cast<float>(
        (7 * static_cast<std::size_t>(Rank) + 3 * Buffer + E) % 5));
  return X;
}

TEST(Streams, RandomProgramsDoWhatTheyDoOnTheHost) {
  using Result = std::vector<std::vector<float>>;
  const std::vector<Mesh::Dim> Dims = {{"dp", 2}, {"tp", 2}};
  for (unsigned Seed = 1; Seed <= 40; ++Seed) {
    std::vector<Result> Host(4), Device(4);
    spmd::run_local(4, [&](int Rank) {
      Result &X = Host[static_cast<std::size_t>(Rank)];
      for (std::size_t B = 0; B < Buffers; ++B)
        X.push_back(drawn(Rank, B));
      program(Mesh(Dims, Rank), Seed,
              [&X](std::size_t B) { return spmd::View(X[B].data(), {2, 4}); });
    });
    onDevices(4, [&](int Rank, cudaStream_t Stream) {
      std::vector<std::unique_ptr<DeviceBuffer>> X;
      for (std::size_t B = 0; B < Buffers; ++B)
        X.push_back(std::make_unique<DeviceBuffer>(Stream, drawn(Rank, B)));
      program(Mesh(Dims, Rank), Seed,
              [&X](std::size_t B) { return X[B]->view({2, 4}); });
      for (const auto &B : X)
        Device[static_cast<std::size_t>(Rank)].push_back(B->values());
    });
    ASSERT_EQ(Host, Device) << "seed " << Seed;
  }
}

TEST(Streams, MeansAreNcclsOwn) {
  onDevices(3, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 3}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {static_cast<float>(3 * Rank), 6});
    all_reduce_mean(X.view({2}), A, P, I);
    EXPECT_THAT(X.values(), ElementsAre(3, 6));
  });
}

TEST(Streams, AHandleSaysWhenItIsDone) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    Work Sum = all_reduce_async(X.view({1}), A, P, R);
    while (!Sum.done())
      std::this_thread::yield();
    Sum.wait();
    EXPECT_THAT(X.values(), ElementsAre(2));
  });
}

/// Waits for what the watch does, which is seen by the next operator.
std::string failure(const Axis &A, const DeviceBuffer &X) {
  for (int Try = 0; Try < 500; ++Try) {
    try {
      all_reduce(X.view({1}), A, P, R, {"train.cpp", 9});
    } catch (const spmd::Error &E) {
      return E.what();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return "";
}

TEST(Streams, ARankThatDoesNotComeIsToldByTheNextOperator) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    all_reduce(X.view({1}), A, P, R, {"train.cpp", 7});
    EXPECT_THAT(X.values(), ElementsAre(2));
    if (Rank == 1)
      return;
    all_reduce(X.view({1}), A, P, R, {"train.cpp", 8});
    // The stream goes on.
    cudaStreamSynchronize(Stream);
    EXPECT_THAT(failure(A, X),
                AllOf(HasSubstr("train.cpp:9: spmd::all_reduce(P -> R) of "
                                "f32[1] over axis 'dp' of 2 ranks"),
                      HasSubstr("all_reduce of f32[1] at train.cpp:8: a rank "
                                "did not come within 200 ms")));
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

// NCCL connects the ranks in the first operator, on the host.
TEST(Streams, ARankThatIsNeverConnectedIsGivenUp) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  spmd::standin::setConnectsAtFirst(true);
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    // The axis is there on both.
    A.communicator();
    if (Rank == 1)
      return;
    for (const int Line : {4, 5})
      try {
        all_reduce(X.view({1}), A, P, R, {"train.cpp", Line});
        ADD_FAILURE() << "rank 1 did not come";
      } catch (const spmd::Error &E) {
        EXPECT_EQ("all_reduce of f32[1] at train.cpp:4: a rank did not come "
                  "within 200 ms",
                  E.call().Cause);
      }
  });
  spmd::standin::setConnectsAtFirst(false);
  spmd::set_deadline(std::chrono::milliseconds(0));
}

TEST(Streams, WhatFailsInAGroupDoesNotHoldLaterCallsBack) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1, 1, 1});
    float Host[3] = {};
    const auto Uneven = S(0, {1, 2});
    const spmd::View Mine = X.view({3}).slice(0, 0, Rank + 1);
    EXPECT_THROW(all_gather(Mine, spmd::View(Host, {3}), A, Uneven, R),
                 spmd::Error);
    EXPECT_THAT(spmd::standin::complaints(),
                Each(HasSubstr("NCCL is given what is not device memory")));
    all_reduce(X.view({3}), A, P, R);
    EXPECT_THAT(X.values(), ElementsAre(2, 2, 2));
  });
}

TEST(Streams, AJobConnectsItsRanks) {
  spmd::run_local(3, [](int Rank) {
    cudaSetDevice(Rank);
    const spmd::Job Job = spmd::init();
    const auto Over = nccl_backend(Job);
    const auto Comm = Over->connect(Job.mesh({{"dp", 3}}).axis("dp"));
    EXPECT_EQ(3, Comm->size());
    EXPECT_EQ(Rank, Comm->rank());
  });
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

TEST(Streams, ARankThatDoesNotConnectAnAxisIsAnError) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  spmd::run_local(2, [](int Rank) {
    cudaSetDevice(Rank);
    const spmd::Job Job = spmd::init();
    const auto Over = nccl_backend(Job);
    if (Rank == 0)
      EXPECT_THAT(
          [&] { Over->connect(Job.mesh({{"dp", 2}}).axis("dp")); },
          ::testing::ThrowsMessage<spmd::Error>(HasSubstr("within 200 ms")));
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

// Two would sum over one axis and two over another, in one communicator.
TEST(Streams, RanksMayUseAxesFirstInAnyOrder) {
  spmd::run_local(4, [](int Rank) {
    cudaSetDevice(Rank);
    const spmd::test::OwnStream Stream;
    const spmd::Job Job = spmd::init();
    spmd::set_backend(nccl_backend(Job, Stream));
    const Mesh Mesh = Job.mesh({{"dp", 2}, {"tp", 2}});
    const auto Mine = static_cast<float>(Rank + 1);
    const DeviceBuffer X(Stream, {Mine}), Y(Stream, {Mine});
    for (const bool IsFirst : {true, false})
      if ((Rank < 2) == IsFirst)
        all_reduce(X.view({1}), Mesh.axis("tp"), P, R);
      else
        all_reduce(Y.view({1}), Mesh.axis("dp"), P, R);
    EXPECT_THAT(X.values(), ElementsAre(Rank < 2 ? 3 : 7));
    EXPECT_THAT(Y.values(), ElementsAre(Rank % 2 ? 6 : 4));
    spmd::set_backend(nullptr);
  });
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

TEST(Streams, WithoutAnIdNobodyWaits) {
  spmd::standin::setMakesIds(false);
  spmd::run_local(2, [](int Rank) {
    cudaSetDevice(Rank);
    const spmd::Job Job = spmd::init();
    const auto Over = nccl_backend(Job);
    EXPECT_THAT([&] { Over->connect(Job.mesh({{"dp", 2}}).axis("dp")); },
                ::testing::ThrowsMessage<spmd::Error>(
                    HasSubstr("rank 0 makes no id for it, or by another "
                              "version of NCCL: ncclGetUniqueId")));
  });
  spmd::standin::setMakesIds(true);
}

// A communicator of the program's is neither aborted nor, by an older NCCL,
// revoked: its kernels go on.
TEST(Streams, WhatCannotBeRevokedMayHoldItsBuffers) {
  for (const bool Can : {true, false}) {
    spmd::standin::setCanRevoke(Can);
    spmd::set_deadline(std::chrono::milliseconds(100));
    const std::vector<ncclComm_t> World = spmd::standin::world(2);
    std::promise<void> HasFailed;
    const std::shared_future<void> Failed = HasFailed.get_future().share();
    spmd::run_local(2, [&](int Rank) {
      cudaSetDevice(Rank);
      const ncclComm_t Comm = World[static_cast<std::size_t>(Rank)];
      {
        const spmd::test::OwnStream Stream;
        const DeviceBuffer X(Stream, {1});
        const auto With =
            std::make_shared<spmd::NcclCommunicator>(Comm, Stream);
        const Axis A("dp", With);
        if (Rank == 0) {
          all_reduce(X.view({1}), A, P, R);
          while (!With->hasFailed())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          EXPECT_THAT(failure(A, X), HasSubstr("did not come within 100 ms"));
          EXPECT_EQ(!Can, With->mayHold());
          spmd::set_deadline(std::chrono::seconds(60));
          HasFailed.set_value();
        } else {
          Failed.wait();
          if (!Can)
            all_reduce(X.view({1}), A, P, R);
        }
        cudaStreamSynchronize(Stream);
      }
      ncclCommDestroy(Comm);
    });
  }
  spmd::standin::setCanRevoke(true);
  spmd::set_deadline(std::chrono::milliseconds(0));
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

TEST(Streams, AnAxisThatHasFailedNeedsAnotherBackend) {
  spmd::set_deadline(std::chrono::milliseconds(100));
  std::promise<void> Tried; // a barrier of the store has the deadline too
  spmd::run_local(2, [&](int Rank) {
    cudaSetDevice(Rank);
    const spmd::Job Job = spmd::init();
    const Axis Dp = Job.mesh({{"dp", 2}}).axis("dp");
    auto Over = nccl_backend(Job);
    if (Rank == 0) {
      for (const char *Why : {"within 100 ms", "make another"})
        EXPECT_THAT([&] { Over->connect(Dp); },
                    ::testing::ThrowsMessage<spmd::Error>(HasSubstr(Why)));
      Tried.set_value();
    } else {
      Tried.get_future().wait();
    }
    Over = nccl_backend(Job);
    EXPECT_EQ(2, Over->connect(Dp)->size());
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

// Nothing but NCCL knows of all ranks here.
TEST(Streams, RanksOfTwoAxesAreNeverMixed) {
  onDevices(4, [](int Rank, cudaStream_t Stream) {
    const Mesh Mesh({{"dp", 2}, {"tp", 2}}, Rank);
    const DeviceBuffer X(Stream, {static_cast<float>(Rank + 1)});
    if (Rank < 2) {
      all_reduce(X.view({1}), Mesh.axis("tp"), P, R);
      EXPECT_THAT(X.values(), ElementsAre(3));
    } else {
      EXPECT_THAT([&] { all_reduce(X.view({1}), Mesh.axis("dp"), P, R); },
                  ::testing::ThrowsMessage<spmd::Error>(
                      HasSubstr("other ranks use another axis")));
    }
  });
}

// The watch asks a communicator that has work to do.
TEST(Streams, NobodyAsksWhatIsBeingDestroyed) {
  spmd::standin::setDestroysSlowly(true);
  spmd::set_deadline(std::chrono::milliseconds(80));
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    all_reduce(X.view({1}), A, P, R);
  });
  spmd::standin::setDestroysSlowly(false);
  spmd::set_deadline(std::chrono::milliseconds(0));
}

TEST(Streams, AWaitForWhatHasFailedThrows) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    A.communicator();
    if (Rank == 1)
      return;
    Work Sum = all_reduce_async(X.view({1}), A, P, R, {"train.cpp", 3});
    while (!Sum.done())
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_THAT([&] { Sum.wait(); },
                ::testing::ThrowsMessage<spmd::Error>(
                    HasSubstr("train.cpp:3: a rank did not come within 200 "
                              "ms")));
    EXPECT_FALSE(spmd::flight_record().back().Finished);
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

// Statics end in the other order than they were made, the watch's among them.
TEST(StreamsDeathTest, ABackendMayOutliveMain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const std::vector<ncclComm_t> World = spmd::standin::world(1);
        cudaSetDevice(0);
        spmd::set_backend(spmd::nccl_backend(World[0]));
        static std::shared_ptr<spmd::Communicator> Kept;
        Kept = std::make_shared<spmd::NcclCommunicator>(World[0]);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// As after a failure, of which the communicators of before do not recover.
TEST(Streams, AJobConnectsItsRanksAnew) {
  spmd::set_deadline(std::chrono::milliseconds(300));
  std::promise<void> HasFailed;
  const std::shared_future<void> Failed = HasFailed.get_future().share();
  spmd::run_local(2, [&](int Rank) {
    cudaSetDevice(Rank);
    cudaStream_t Stream;
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    const spmd::Job Job = spmd::init();
    const Axis Dp = Job.mesh({{"dp", 2}}).axis("dp");
    {
      const DeviceBuffer X(Stream, {1});
      auto Over = nccl_backend(Job, Stream);
      if (const Axis A("dp", Over->connect(Dp)); Rank == 0) {
        all_reduce(X.view({1}), A, P, R);
        EXPECT_THAT(failure(A, X), HasSubstr("did not come within 300 ms"));
        // From here on nobody is late but by other work of the machine.
        spmd::set_deadline(std::chrono::seconds(60));
        HasFailed.set_value();
      }
      Failed.wait();
      Over = nccl_backend(Job, Stream);
      const Axis A("dp", Over->connect(Dp));
      const DeviceBuffer Y(Stream, {1});
      all_reduce(Y.view({1}), A, P, R);
      EXPECT_THAT(Y.values(), ElementsAre(2));
    }
    cudaStreamDestroy(Stream);
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

/// What the other tests stand on.
TEST(StandIn, SeesWhatIsNotOnTheDevice) {
  cudaSetDevice(0);
  float X[1] = {1};
  cudaMemcpyAsync(X, X, sizeof X, cudaMemcpyDeviceToDevice, nullptr);
  cudaStreamSynchronize(nullptr);
  EXPECT_THAT(spmd::standin::complaints(),
              Each(HasSubstr("cudaMemcpyAsync is given what is not device")));
}

TEST(StandIn, SeesOperatorsOutOfOrder) {
  cudaSetDevice(0);
  const std::vector<ncclComm_t> One = spmd::standin::world(1);
  void *X = nullptr;
  cudaMalloc(&X, 4);
  cudaStream_t First, Second;
  cudaStreamCreateWithFlags(&First, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&Second, cudaStreamNonBlocking);
  std::promise<void> Gate;
  spmd::standin::put(First,
                     [&Gate] { return [&Gate] { Gate.get_future().wait(); }; });
  ncclAllReduce(X, X, 1, ncclFloat32, ncclSum, One[0], First);
  ncclAllReduce(X, X, 1, ncclFloat32, ncclSum, One[0], Second);
  cudaStreamSynchronize(Second);
  Gate.set_value();
  cudaFree(X);
  cudaStreamDestroy(First);
  cudaStreamDestroy(Second);
  ncclCommDestroy(One[0]);
  EXPECT_THAT(spmd::standin::complaints(),
              Contains(HasSubstr("ran in another order")));
}

} // namespace
