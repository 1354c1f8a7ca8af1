#include "Capture.h"

#include "spmd/nccl.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace spmd {
namespace {

/// Of the device that is current; it keeps what it has, as returning memory to
/// the driver takes longer than an operator.
cudaMemPool_t pool() {
  static std::mutex Lock;
  static std::map<int, cudaMemPool_t> All;
  int Device = 0;
  check(cudaGetDevice(&Device), "cudaGetDevice");
  const std::lock_guard<std::mutex> Held(Lock);
  cudaMemPool_t &Known = All[Device];
  if (!Known) {
    const BesideCaptures Mode;
    cudaMemPoolProps Of = {};
    Of.allocType = cudaMemAllocationTypePinned;
    Of.location = {cudaMemLocationTypeDevice, Device};
    check(cudaMemPoolCreate(&Known, &Of), "cudaMemPoolCreate");
    std::uint64_t Everything = UINT64_MAX;
    check(cudaMemPoolSetAttribute(Known, cudaMemPoolAttrReleaseThreshold,
                                  &Everything),
          "cudaMemPoolSetAttribute");
  }
  return Known;
}

void *allocate(std::size_t Bytes, cudaStream_t On) {
  void *At = nullptr;
  check(cudaMallocFromPoolAsync(&At, Bytes ? Bytes : 1, pool(), On),
        "cudaMallocFromPoolAsync");
  return At;
}

void release(void *At, cudaStream_t On) { cudaFreeAsync(At, On); }

} // namespace

static DeviceAllocator &installed() {
  static DeviceAllocator Known = {allocate, release};
  return Known;
}

const DeviceAllocator &device_allocator() { return installed(); }

void set_device_allocator(const DeviceAllocator &By) {
  installed() = By.Allocate ? By : DeviceAllocator{allocate, release};
}

} // namespace spmd
