#include "SideStream.h"

#include "CheckCuda.h"
#include "DeviceMemory.h"
#include "Watch.h"

#include "../lib/Progress.h"

namespace spmd {
namespace {

/// An order between streams, without times.
cudaEvent_t makeEvent() {
  cudaEvent_t Event;
  check(cudaEventCreateWithFlags(&Event, cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  return Event;
}

void order(cudaStream_t Before, cudaEvent_t By, cudaStream_t After) {
  check(cudaEventRecord(By, Before), "cudaEventRecord");
  check(cudaStreamWaitEvent(After, By, 0), "cudaStreamWaitEvent");
}

struct Done final : Started::State {
  ~Done() override { cudaEventDestroy(Event); }
  cudaEvent_t Event = makeEvent();
};

} // namespace

NcclCommunicator::Side::Side() {
  check(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  Last = makeEvent();
  Ready = makeEvent();
}

NcclCommunicator::Side::~Side() {
  cudaEventDestroy(Ready);
  cudaEventDestroy(Last);
  cudaStreamDestroy(Stream);
}

// The watch asks what it looks at until it is told not to.
NcclCommunicator::~NcclCommunicator() {
  if (!Over->stop() && Owned)
    ncclCommDestroy(Comm);
}

bool NcclCommunicator::hasFailed() const { return Over->hasFailed(); }
bool NcclCommunicator::mayHold() const { return Over->mayHold(); }

void NcclCommunicator::start(Started &S) {
  if (!Beside)
    Beside = std::make_unique<Side>();
  if (!S.Own)
    S.Own = std::make_unique<Done>();
  order(Stream, Beside->Ready, Beside->Stream);
  // The calls are those of an operator that is not started.
  struct Aside {
    cudaStream_t &To;
    cudaStream_t Back;
    ~Aside() { To = Back; }
  };
  {
    const Aside Turn{To, std::exchange(To, Beside->Stream)};
    transfer(*this, S.C, S.Data);
  }
  const cudaEvent_t Event = static_cast<Done &>(*S.Own).Event;
  check(cudaEventRecord(Event, Beside->Stream), "cudaEventRecord");
}

void NcclCommunicator::finish(Started &S) {
  Over->checkWell(S.C);
  check(cudaStreamWaitEvent(Stream, static_cast<Done &>(*S.Own).Event, 0),
        "cudaStreamWaitEvent");
}

bool NcclCommunicator::isDone(Started &S) {
  const cudaError_t Result = cudaEventQuery(static_cast<Done &>(*S.Own).Event);
  if (Result == cudaErrorNotReady)
    return false;
  check(Result, "cudaEventQuery");
  return true;
}

void NcclCommunicator::settle() {
  if (Beside)
    order(Beside->Stream, Beside->Last, Stream);
}

} // namespace spmd
