#include "spmd/nccl.h"

#include "DeviceMemory.h"

#include "../lib/CallHash.h"

#include "spmd/bootstrap.h"

#include <climits>
#include <map>
#include <optional>

namespace spmd {
namespace {

/// One that was split off, and ends with its axis.
class OwnedCommunicator final : public NcclCommunicator {
public:
  OwnedCommunicator(ncclComm_t Comm, cudaStream_t Stream)
      : NcclCommunicator(Comm, Stream, /*Owned=*/true) {}
  ~OwnedCommunicator() override {
    if (!aborted())
      ncclCommDestroy(comm());
  }
};

class NcclBackend final : public Backend {
public:
  /// \p Of: whose communicator \p World is, and nobody else's.
  NcclBackend(ncclComm_t World, cudaStream_t Stream, std::optional<Job> Of)
      : World(World), Of(std::move(Of)), Stream(Stream),
        Device(deviceMemory(Stream)) {}
  ~NcclBackend() override {
    Made.clear();
    if (Of)
      ncclCommDestroy(World);
  }

  const char *name() const override { return "nccl"; }
  Memory &memory() override { return *Device; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    const std::vector<int> Members = A.members();
    std::shared_ptr<Communicator> &Known = Made[Members];
    if (Known)
      return Known;
    // NCCL waits for all with no end: they come together first.
    if (Of)
      comeFor(A);
    ncclComm_t Comm;
    const ncclResult_t Result =
        ncclCommSplit(World, colorOf(Members), A.rank(), &Comm, nullptr);
    if (Result != ncclSuccess)
      detail::cannotConnect(A, std::string("ncclCommSplit: ") +
                                   ncclGetErrorString(Result));
    const auto Split = std::make_shared<OwnedCommunicator>(Comm, Stream);
    if (Split->size() != A.size() || Split->rank() != A.rank())
      detail::cannotConnect(
          A, "NCCL gave one of " + std::to_string(Split->size()) +
                 " ranks in which this is rank " +
                 std::to_string(Split->rank()) +
                 ": other ranks use another axis for the first time");
    return Known = Split;
  }

private:
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
  std::unique_ptr<Memory> Device;
  std::map<std::vector<int>, std::shared_ptr<Communicator>> Made;
};

} // namespace

std::shared_ptr<Backend> nccl_backend(ncclComm_t World, cudaStream_t Stream) {
  return std::make_shared<NcclBackend>(World, Stream, std::nullopt);
}

std::shared_ptr<Backend> nccl_backend(const Job &J, cudaStream_t Stream) {
  const auto Check = [](ncclResult_t Result, const char *What) {
    if (Result != ncclSuccess)
      detail::fail(std::string("spmd::nccl_backend: ") + What + ": " +
                   ncclGetErrorString(Result) + ", " +
                   ncclGetLastError(nullptr));
  };
  ncclUniqueId Id;
  if (J.rank() == 0) {
    Check(ncclGetUniqueId(&Id), "ncclGetUniqueId");
    J.store().set("nccl id", std::string(Id.internal, sizeof Id.internal));
  } else {
    const std::string Text = J.store().get("nccl id");
    if (Text.size() != sizeof Id.internal)
      detail::fail("spmd::nccl_backend: rank 0 has another version of NCCL");
    std::copy(Text.begin(), Text.end(), Id.internal);
  }
  // As before an axis.
  J.store().barrier("nccl", J.rank(), J.size());
  ncclComm_t World;
  Check(ncclCommInitRank(&World, J.size(), Id, J.rank()), "ncclCommInitRank");
  return std::make_shared<NcclBackend>(World, Stream, J);
}

} // namespace spmd
