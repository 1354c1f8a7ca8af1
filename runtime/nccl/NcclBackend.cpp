#include "spmd/nccl.h"

#include "DeviceMemory.h"

#include <map>

namespace spmd {
namespace {

/// One that was split off, and ends with its axis.
class OwnedCommunicator final : public NcclCommunicator {
public:
  using NcclCommunicator::NcclCommunicator;
  ~OwnedCommunicator() override { ncclCommDestroy(comm()); }
};

class NcclBackend final : public Backend {
public:
  NcclBackend(ncclComm_t World, cudaStream_t Stream)
      : World(World), Stream(Stream), Device(deviceMemory(Stream)) {}

  const char *name() const override { return "nccl"; }
  Memory &memory() override { return *Device; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    // The ranks of an axis share its smallest member as their color.
    const std::vector<int> Members = A.members();
    std::shared_ptr<Communicator> &Known = Made[Members];
    if (Known)
      return Known;
    const int Color = *std::min_element(Members.begin(), Members.end());
    ncclComm_t Comm;
    const ncclResult_t Result =
        ncclCommSplit(World, Color, A.rank(), &Comm, nullptr);
    if (Result != ncclSuccess)
      detail::cannotConnect(A, std::string("ncclCommSplit: ") +
                                   ncclGetErrorString(Result));
    Known = std::make_shared<OwnedCommunicator>(Comm, Stream);
    return Known;
  }

private:
  ncclComm_t World;
  cudaStream_t Stream;
  std::unique_ptr<Memory> Device;
  std::map<std::vector<int>, std::shared_ptr<Communicator>> Made;
};

} // namespace

std::shared_ptr<Backend> nccl_backend(ncclComm_t World, cudaStream_t Stream) {
  return std::make_shared<NcclBackend>(World, Stream);
}

} // namespace spmd
