#include "spmd/nccl.h"

#include "Capture.h"
#include "DeviceMemory.h"

#include "../lib/CallHash.h"

#include "spmd/bootstrap.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace spmd {
namespace {

/// For calls that return at once.
ncclConfig_t nonblocking(ncclConfig_t Config) {
  Config.blocking = 0;
  return Config;
}

/// Waits until NCCL is done with \p Comm, but no longer than \p Until.
ncclResult_t await(ncclComm_t Comm, std::chrono::steady_clock::time_point Until,
                   std::string &Why) {
  ncclResult_t State = ncclInProgress;
  while (ncclCommGetAsyncError(Comm, &State) == ncclSuccess &&
         State == ncclInProgress && std::chrono::steady_clock::now() < Until)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  if (State == ncclInProgress)
    Why = "a rank did not come within " + std::to_string(deadline().count()) +
          " ms";
  else if (State != ncclSuccess)
    Why =
        std::string(ncclGetErrorString(State)) + ", " + ncclGetLastError(Comm);
  return State;
}

int deviceOf(ncclComm_t Comm) {
  int Device = 0;
  if (const ncclResult_t R = ncclCommCuDevice(Comm, &Device); R != ncclSuccess)
    detail::fail(std::string("spmd::nccl_backend: ncclCommCuDevice: ") +
                 ncclGetErrorString(R));
  return Device;
}

class NcclBackend final : public Backend {
public:
  /// \p Of: whose communicator \p World is, and nobody else's.
  NcclBackend(ncclComm_t World, cudaStream_t Stream, const ncclConfig_t &Config,
              std::optional<Job> Of)
      : World(World), Of(std::move(Of)), Stream(Stream),
        Config(nonblocking(Config)),
        Device(deviceMemory(Stream, deviceOf(World))) {}
  ~NcclBackend() override {
    bool Well = true;
    for (const auto &Entry : Made)
      Well &= !Entry.second || !Entry.second->hasFailed();
    Made.clear();
    if (Of && World)
      Well ? ncclCommDestroy(World) : ncclCommAbort(World);
  }

  const char *name() const override { return "nccl"; }
  Memory &memory() override { return *Device; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    const std::vector<int> Members = A.members();
    std::shared_ptr<NcclCommunicator> &Known = Made[Members];
    if (Known)
      return Known;
    if (captureOf(callStream(Stream)))
      detail::cannotConnect(A, "it is used for the first time in the capture "
                               "of a graph: use it once before");
    // NCCL's own words name no axis.
    if (Of)
      comeFor(A);
    const auto Split = std::make_shared<NcclCommunicator>(
        split(A, Members), Stream, /*Owned=*/true);
    if (Split->size() != A.size() || Split->rank() != A.rank())
      detail::cannotConnect(
          A, "NCCL gave one of " + std::to_string(Split->size()) +
                 " ranks in which this is rank " +
                 std::to_string(Split->rank()) +
                 ": other ranks use another axis for the first time");
    return Known = Split;
  }

private:
  ncclComm_t split(const Axis &A, const std::vector<int> &Members) {
    if (!World)
      detail::cannotConnect(A, "connecting an axis has failed before: make "
                               "another spmd::nccl_backend");
    const auto Until = std::chrono::steady_clock::now() + deadline();
    ncclComm_t Comm = nullptr;
    ncclResult_t Result =
        ncclCommSplit(World, colorOf(Members), A.rank(), &Comm, &Config);
    std::string Why = ncclGetErrorString(Result);
    if (Result == ncclSuccess || Result == ncclInProgress)
      Result = await(World, Until, Why);
    if (Result == ncclSuccess)
      Result = await(Comm, Until, Why);
    if (Result == ncclSuccess)
      return Comm;
    if (Comm)
      ncclCommAbort(Comm);
    if (Of)
      ncclCommAbort(std::exchange(World, nullptr));
    detail::cannotConnect(A, "ncclCommSplit: " + Why);
  }

  /// The same for the ranks of one axis alone: those of two are never mixed.
  static int colorOf(const std::vector<int> &Members) {
    std::uint64_t Hash = detail::HashSeed;
    for (const int Rank : Members)
      Hash = detail::mix(Hash, static_cast<std::uint64_t>(Rank));
    return static_cast<int>(Hash & INT_MAX);
  }

  /// All ranks of the job connect \p A, each its own part of it.
  void comeFor(const Axis &A) {
    std::string Says = "axis '" + A.name() + "'";
    for (const AxisDigit D : A.digits())
      Says += ", " + std::to_string(D.Size) + " ranks " +
              std::to_string(D.Stride) + " apart";
    try {
      Of->store().barrier("nccl axis", Of->rank(), Of->size(), Says);
    } catch (const Error &E) {
      detail::cannotConnect(A, E.what());
    }
  }

  ncclComm_t World;
  const std::optional<Job> Of;
  cudaStream_t Stream;
  ncclConfig_t Config;
  std::unique_ptr<Memory> Device;
  std::map<std::vector<int>, std::shared_ptr<NcclCommunicator>> Made;
};

} // namespace

std::shared_ptr<Backend> nccl_backend(ncclComm_t World, cudaStream_t Stream,
                                      const ncclConfig_t &Config) {
  return std::make_shared<NcclBackend>(World, Stream, Config, std::nullopt);
}

std::shared_ptr<Backend> nccl_backend(const Job &J, cudaStream_t Stream,
                                      const ncclConfig_t &Config) {
  const auto Fail = [](const std::string &Why) {
    detail::fail("spmd::nccl_backend: " + Why);
  };
  ncclUniqueId Id = {};
  if (J.rank() == 0)
    if (const ncclResult_t Result = ncclGetUniqueId(&Id); Result != ncclSuccess)
      Fail(std::string("ncclGetUniqueId: ") + ncclGetErrorString(Result) +
           ", " + ncclGetLastError(nullptr));
  const std::string Text = J.store().fromFirst(
      "nccl id", J.rank(), std::string(Id.internal, sizeof Id.internal));
  if (Text.size() != sizeof Id.internal)
    Fail("rank 0 has another version of NCCL");
  std::copy(Text.begin(), Text.end(), Id.internal);
  // As before an axis.
  J.store().barrier("nccl", J.rank(), J.size());
  const auto Until = std::chrono::steady_clock::now() + deadline();
  ncclConfig_t Asked = nonblocking(Config);
  ncclComm_t World = nullptr;
  ncclResult_t Result =
      ncclCommInitRankConfig(&World, J.size(), Id, J.rank(), &Asked);
  std::string Why = ncclGetErrorString(Result);
  if (Result == ncclSuccess || Result == ncclInProgress)
    Result = await(World, Until, Why);
  if (Result != ncclSuccess) {
    if (World)
      ncclCommAbort(World);
    Fail("ncclCommInitRankConfig: " + Why);
  }
  return std::make_shared<NcclBackend>(World, Stream, Config, J);
}

} // namespace spmd
