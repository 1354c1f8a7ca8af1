#include "SideStream.h"

#include "Watch.h"

#include "../lib/Progress.h"

namespace spmd {

cudaEvent_t makeEvent() {
  const BesideCaptures Mode;
  cudaEvent_t Event;
  check(cudaEventCreateWithFlags(&Event, cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  return Event;
}

void order(cudaStream_t Before, cudaEvent_t By, cudaStream_t After) {
  check(cudaEventRecord(By, Before), "cudaEventRecord");
  check(cudaStreamWaitEvent(After, By, 0), "cudaStreamWaitEvent");
}

namespace {

struct Done final : Started::State {
  ~Done() override { cudaEventDestroy(Event); }
  cudaEvent_t Event = makeEvent();
  /// In which it was started, or 0.
  unsigned long long Capture = 0;
};

} // namespace

NcclCommunicator::Side::Side() {
  const BesideCaptures Mode;
  check(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  Ready = makeEvent();
}

NcclCommunicator::Side::~Side() {
  cudaEventDestroy(Ready);
  cudaStreamDestroy(Stream);
}

bool NcclCommunicator::isOwn(cudaStream_t S) const {
  return S == Stream || (Beside && S == Beside->Stream);
}

/// Operators of different captures, and those of none, run when their graphs
/// do: that order is the program's.
void NcclCommunicator::comeAfterLatest(cudaStream_t On) {
  const unsigned long long Capture = captureOf(On);
  const Latest &Before = latest(Capture);
  // Another stream may have had the name of one that is not ours.
  if (Before.Event && Before.Capture == Capture &&
      !(Before.On == On && isOwn(On)))
    check(cudaStreamWaitEvent(On, Before.Event, 0), "cudaStreamWaitEvent");
}

void NcclCommunicator::setLatest(cudaStream_t On) {
  const unsigned long long Capture = captureOf(On);
  Latest &Now = latest(Capture);
  if (!Now.Event)
    Now.Event = makeEvent();
  Now.On = On;
  Now.Capture = Capture;
  check(cudaEventRecord(Now.Event, On), "cudaEventRecord");
}

// The watch asks what it looks at until it is told not to.
NcclCommunicator::~NcclCommunicator() {
  if (Owned)
    Over->drain();
  if (!Over->stop() && Owned)
    ncclCommDestroy(Comm);
  for (const Latest &L : Last)
    if (L.Event)
      cudaEventDestroy(L.Event);
}

bool NcclCommunicator::hasFailed() const { return Over->hasFailed(); }
bool NcclCommunicator::mayHold() const { return Over->mayHold(); }

void NcclCommunicator::start(Started &S) {
  if (!Beside)
    Beside = std::make_unique<Side>();
  if (!S.Own)
    S.Own = std::make_unique<Done>();
  auto &Ends = static_cast<Done &>(*S.Own);
  const cudaStream_t From = callStream(Stream);
  Ends.Capture = captureOf(From);
  const unsigned long long Other = captureOf(Beside->Stream);
  if (Other && Other != Ends.Capture)
    failOn(S.C, "an operator that was started on this axis in the capture of a "
                "graph has not been waited for, and this one is not in it");
  order(From, Beside->Ready, Beside->Stream);
  // The calls are those of an operator that is not started.
  struct Turn {
    bool &Is;
    ~Turn() { Is = false; }
  };
  {
    const Turn Starting{IsStarting = true};
    transfer(*this, S.C, S.Data);
  }
  check(cudaEventRecord(Ends.Event, Beside->Stream), "cudaEventRecord");
}

void NcclCommunicator::finish(Started &S) {
  Over->checkWell(S.C);
  const auto &Ends = static_cast<const Done &>(*S.Own);
  const cudaStream_t To = callStream(Stream);
  if (captureOf(To) != Ends.Capture) {
    S.leaveScratch();
    failOn(S.C, Ends.Capture
                    ? "it was started in the capture of a graph and is waited "
                      "for outside: wait for it before the capture ends"
                    : "it was started before the capture of a graph in which "
                      "it is waited for: wait for it before the capture");
  }
  check(cudaStreamWaitEvent(To, Ends.Event, 0), "cudaStreamWaitEvent");
}

bool NcclCommunicator::isDone(Started &S) {
  const auto &Ends = static_cast<const Done &>(*S.Own);
  // The wait only goes into the graph.
  if (Ends.Capture)
    return true;
  const BesideCaptures Mode;
  const cudaError_t Result = cudaEventQuery(Ends.Event);
  if (Result == cudaErrorNotReady)
    return false;
  check(Result, "cudaEventQuery");
  return true;
}

} // namespace spmd
