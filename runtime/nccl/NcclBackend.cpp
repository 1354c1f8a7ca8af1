#include "spmd/nccl.h"

#include "AwaitComm.h"
#include "Capture.h"
#include "DeviceMemory.h"

#include "../lib/CallHash.h"

#include "spmd/bootstrap.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <map>

namespace spmd {
namespace {

using Members = std::vector<int>;

/// What all axes share, however their ranks find each other.
class NcclBackend : public Backend {
public:
  NcclBackend(int OnDevice, cudaStream_t Stream, const ncclConfig_t &Asked)
      : Stream(Stream), Config(Asked), Device(deviceMemory(Stream, OnDevice)) {
    // Calls return at once.
    Config.blocking = 0;
  }

  const char *name() const override { return "nccl"; }
  Memory &memory() override { return *Device; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    const Members Of = A.members();
    if (const auto At = Made.find(Of); At != Made.end()) {
      if (!At->second)
        detail::cannotConnect(A, "connecting it has failed before: make "
                                 "another spmd::nccl_backend");
      return At->second;
    }
    if (captureOf(callStream(Stream)))
      detail::cannotConnect(A, "it is used for the first time in the capture "
                               "of a graph: use it once before");
    std::shared_ptr<NcclCommunicator> &Known = Made[Of];
    const auto New = std::make_shared<NcclCommunicator>(make(A, Of), Stream,
                                                        /*Owned=*/true);
    if (New->size() != A.size() || New->rank() != A.rank())
      detail::cannotConnect(
          A, "NCCL gave one of " + std::to_string(New->size()) +
                 " ranks in which this is rank " + std::to_string(New->rank()) +
                 ": other ranks use another axis for the "
                 "first time");
    return Known = New;
  }

protected:
  /// One of the ranks of \p A alone.
  virtual ncclComm_t make(const Axis &A, const Members &Of) = 0;

  /// \p Comm, once the call that began to make it is done.
  static ncclComm_t finished(const Axis &A, const char *Call, ncclComm_t Comm,
                             ncclResult_t Began, WaitClock::time_point Until) {
    std::string Why;
    if (awaitComm(Began, Comm, Until, Why) == ncclSuccess)
      return Comm;
    if (Comm)
      ncclCommAbort(Comm);
    detail::cannotConnect(A, Call + (": " + Why));
  }

  const cudaStream_t Stream;
  ncclConfig_t Config;

private:
  const std::unique_ptr<Memory> Device;
  std::map<Members, std::shared_ptr<NcclCommunicator>> Made;
};

/// Parts of a communicator that is the program's.
class SplitBackend final : public NcclBackend {
public:
  SplitBackend(ncclComm_t World, int OnDevice, cudaStream_t Stream,
               const ncclConfig_t &Config)
      : NcclBackend(OnDevice, Stream, Config), World(World) {}

private:
  ncclComm_t make(const Axis &A, const Members &Of) override {
    checkTakesAll(A);
    const auto Until = WaitClock::now() + deadline();
    ncclComm_t Comm = nullptr;
    std::string Why;
    const ncclResult_t Split =
        awaitComm(ncclCommSplit(World, colorOf(Of), A.rank(), &Comm, &Config),
                  World, Until, Why);
    if (Split != ncclSuccess && Comm)
      ncclCommAbort(Comm);
    if (Split != ncclSuccess)
      detail::cannotConnect(A, "ncclCommSplit: " + Why);
    return finished(A, "ncclCommSplit", Comm, Split, Until);
  }

  /// Who is alone on an axis does not connect it.
  void checkTakesAll(const Axis &A) const {
    int Ranks = 0, Listed = 0;
    ncclCommCount(World, &Ranks);
    for (const Members &Group : A.groups())
      Listed += Group.size() > 1 ? static_cast<int>(Group.size()) : 0;
    if (!A.groups().empty() && Listed != Ranks)
      detail::cannotConnect(
          A, "ranks are alone on it, and to split a communicator takes all: "
             "make the backend by spmd::nccl_backend(job)");
  }

  /// The same for the ranks of one axis alone: those of two are never mixed.
  static int colorOf(const Members &Of) {
    std::uint64_t Hash = detail::HashSeed;
    for (const int Rank : Of)
      Hash = detail::mix(Hash, static_cast<std::uint64_t>(Rank));
    return static_cast<int>(Hash & INT_MAX);
  }

  const ncclComm_t World;
};

/// Only the ranks of an axis take part; they find each other in the store.
class JobBackend final : public NcclBackend {
public:
  JobBackend(const Job &Of, int OnDevice, cudaStream_t Stream,
             const ncclConfig_t &Config, std::string Turn)
      : NcclBackend(OnDevice, Stream, Config), Of(Of), Turn(std::move(Turn)) {}

private:
  ncclComm_t make(const Axis &A, const Members &Ranks) override {
    const ncclUniqueId Id = meet(A, Ranks);
    const auto Until = WaitClock::now() + deadline();
    ncclComm_t Comm = nullptr;
    const ncclResult_t Began =
        ncclCommInitRankConfig(&Comm, A.size(), Id, A.rank(), &Config);
    return finished(A, "ncclCommInitRankConfig", Comm, Began, Until);
  }

  /// NCCL would wait for ever, and its own words name no axis.
  ncclUniqueId meet(const Axis &A, const Members &Ranks) const {
    std::string Name = "nccl " + Turn;
    for (const int Rank : Ranks)
      Name += " " + std::to_string(Rank);
    ncclUniqueId Id = {};
    std::string Text;
    if (A.rank() == 0) {
      const ncclResult_t Result = ncclGetUniqueId(&Id);
      Text =
          Result == ncclSuccess
              ? std::string(Id.internal, sizeof Id.internal)
              : std::string("ncclGetUniqueId: ") + ncclGetErrorString(Result);
    }
    try {
      Text = Of.store().fromFirst(Name, A.rank(), Text);
      Of.store().barrier(Name, A.rank(), A.size());
    } catch (const Error &E) {
      detail::cannotConnect(A, E.what());
    }
    if (Text.size() != sizeof Id.internal)
      detail::cannotConnect(A, "rank " + std::to_string(Ranks[0]) +
                                   " makes no id for it, or by another "
                                   "version of NCCL: " +
                                   Text);
    std::copy(Text.begin(), Text.end(), Id.internal);
    return Id;
  }

  const Job Of;
  /// Of this and not of an earlier backend.
  const std::string Turn;
};

} // namespace

std::shared_ptr<Backend> nccl_backend(ncclComm_t World, cudaStream_t Stream,
                                      const ncclConfig_t &Config) {
  int Device = 0;
  if (const ncclResult_t R = ncclCommCuDevice(World, &Device); R != ncclSuccess)
    detail::fail(std::string("spmd::nccl_backend: ncclCommCuDevice: ") +
                 ncclGetErrorString(R));
  return std::make_shared<SplitBackend>(World, Device, Stream, Config);
}

std::shared_ptr<Backend> nccl_backend(const Job &J, cudaStream_t Stream,
                                      const ncclConfig_t &Config) {
  int Device = 0;
  check(cudaGetDevice(&Device), "cudaGetDevice");
  static std::atomic<int> Turns{0};
  return std::make_shared<JobBackend>(
      J, Device, Stream, Config,
      J.store().fromFirst("nccl", J.rank(), std::to_string(Turns++)));
}

} // namespace spmd
