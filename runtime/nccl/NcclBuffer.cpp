#include "spmd/nccl_buffer.h"

#include "CheckNccl.h"

#include "spmd/nccl.h"

#if NCCL_VERSION_CODE >= 22700
// Null where the one that is loaded is older.
extern "C" ncclResult_t ncclCommWindowRegister(ncclComm_t, void *, size_t,
                                               ncclWindow_t *, int)
    __attribute__((weak));
extern "C" ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t)
    __attribute__((weak));
#endif

namespace spmd {
namespace {

/// Null on an axis of one rank.
std::shared_ptr<NcclCommunicator> ncclOf(const Axis &On) {
  const detail::BackendScope Where(/*OnDevice=*/true);
  if (On.size() == 1)
    return nullptr;
  auto Out = std::dynamic_pointer_cast<NcclCommunicator>(On.connected());
  if (!Out)
    detail::fail("the axis is not over NCCL, but over " +
                 std::string(On.communicator()->kind()));
  return Out;
}

/// Collective, from NCCL 2.27 on; null where it makes none of the memory.
void *window(const Checked &Run, void *Data, std::size_t Bytes) {
#if NCCL_VERSION_CODE >= 22700
  ncclWindow_t Made = nullptr;
  if (ncclCommWindowRegister)
    Run.check(ncclCommWindowRegister(Run.Comm, Data, Bytes, &Made,
                                     NCCL_WIN_COLL_SYMMETRIC),
              "ncclCommWindowRegister");
  return Made;
#else
  (void)Run, (void)Data, (void)Bytes;
  return nullptr;
#endif
}

void close(const Checked &Run, void *Window) {
#if NCCL_VERSION_CODE >= 22700
  Run.check(
      ncclCommWindowDeregister(Run.Comm, static_cast<ncclWindow_t>(Window)),
      "ncclCommWindowDeregister");
#else
  (void)Run, (void)Window;
#endif
}

} // namespace

NcclBuffer::NcclBuffer(std::size_t Bytes, const Axis &On, Site At)
    : On(On), Bytes(Bytes) {
  try {
    if (!Bytes)
      detail::fail("no bytes are asked for");
    const auto Nccl = ncclOf(On);
    if (const ncclResult_t R = ncclMemAlloc(&Data, Bytes); R != ncclSuccess)
      detail::fail(std::string("ncclMemAlloc: ") + ncclGetErrorString(R));
    if (!Nccl)
      return;
    With = Nccl;
    Nccl->call(On, At, [&](const Checked &Run) {
      if ((Handle = window(Run, Data, Bytes))) {
        Is = Known::AsWindow;
        return;
      }
      Run.check(ncclCommRegister(Run.Comm, Data, Bytes, &Handle),
                "ncclCommRegister");
      Is = Handle ? Known::OnThisRank : Known::No;
    });
  } catch (const Error &E) {
    if (Data)
      ncclMemFree(Data);
    const std::string &Why = E.call().Cause.empty() ? E.what() : E.call().Cause;
    detail::fail(
        (At.Line ? At.File + (":" + std::to_string(At.Line)) + ": " : "") +
        "spmd::NcclBuffer of " + std::to_string(Bytes) + " bytes over " +
        detail::describe(On) + ": " + Why);
  }
}

NcclBuffer::~NcclBuffer() {
  if (Handle)
    try {
      auto &Nccl = static_cast<NcclCommunicator &>(*With);
      Nccl.drain();
      Nccl.call(On, {}, [&](const Checked &Run) {
        if (Is == Known::AsWindow)
          close(Run, Handle);
        else
          Run.check(ncclCommDeregister(Run.Comm, Handle), "ncclCommDeregister");
      });
    } catch (const Error &) {
      // Gone with the communicator.
    }
  ncclMemFree(Data);
}

} // namespace spmd
