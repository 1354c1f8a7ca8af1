// Memory of NCCL's own, and what it is registered as.

#include "StandIn.h"

#include <map>
#include <mutex>
#include <set>

namespace spmd::standin {
namespace {

std::mutex Lock;
bool MakesWindows = true;
/// Memory that NCCL has made.
std::set<void *> Made;
/// Of a handle, which is the address behind it: the memory, and whether it is a
/// window.
std::map<void *, bool> Known;

ncclResult_t enroll(void *At, bool IsWindow, void **Handle) {
  const std::lock_guard<std::mutex> Held(Lock);
  if (!Made.count(At)) {
    complain("what is registered is not of ncclMemAlloc");
    return ncclInvalidArgument;
  }
  if (!Known.emplace(At, IsWindow).second)
    complain("memory is registered twice");
  *Handle = At;
  return ncclSuccess;
}

ncclResult_t withdraw(void *Handle, bool IsWindow) {
  const std::lock_guard<std::mutex> Held(Lock);
  const auto At = Known.find(Handle);
  if (At == Known.end() || At->second != IsWindow) {
    complain("what was not registered is withdrawn");
    return ncclInvalidArgument;
  }
  Known.erase(At);
  return ncclSuccess;
}

} // namespace

void setMakesWindows(bool Does) {
  const std::lock_guard<std::mutex> Held(Lock);
  MakesWindows = Does;
}
std::pair<int, int> registered() {
  const std::lock_guard<std::mutex> Held(Lock);
  int Windows = 0;
  for (const auto &[At, IsWindow] : Known)
    Windows += IsWindow;
  return {Windows, static_cast<int>(Known.size()) - Windows};
}

} // namespace spmd::standin

using namespace spmd::standin;

ncclResult_t ncclMemAlloc(void **At, std::size_t Bytes) {
  if (cudaMalloc(At, Bytes) != cudaSuccess)
    return ncclUnhandledCudaError;
  const std::lock_guard<std::mutex> Held(Lock);
  Made.insert(*At);
  return ncclSuccess;
}
ncclResult_t ncclMemFree(void *At) {
  {
    const std::lock_guard<std::mutex> Held(Lock);
    if (Made.erase(At) == 0)
      return ncclInvalidArgument;
    if (Known.count(At))
      complain("memory is freed that is registered");
  }
  cudaFree(At);
  return ncclSuccess;
}

ncclResult_t ncclCommRegister(ncclComm_t, void *At, std::size_t,
                              void **Handle) {
  return enroll(At, /*IsWindow=*/false, Handle);
}
ncclResult_t ncclCommDeregister(ncclComm_t, void *Handle) {
  return withdraw(Handle, /*IsWindow=*/false);
}
ncclResult_t ncclCommWindowRegister(ncclComm_t Comm, void *At,
                                    std::size_t Bytes, ncclWindow_t *Out, int) {
  return registerTogether(Comm, Bytes, [=] {
    *Out = nullptr;
    {
      const std::lock_guard<std::mutex> Held(Lock);
      if (!MakesWindows)
        return ncclSuccess;
    }
    return enroll(At, /*IsWindow=*/true, reinterpret_cast<void **>(Out));
  });
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t Window) {
  return withdraw(Window, /*IsWindow=*/true);
}
