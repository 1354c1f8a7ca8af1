// Captures, and the graphs that they make.

#include "StandInStreams.h"

#include <algorithm>

namespace spmd::standin {

std::recursive_mutex &capturesLock() {
  static std::recursive_mutex Lock;
  return Lock;
}

static std::vector<std::shared_ptr<Capture>> &active() {
  static std::vector<std::shared_ptr<Capture>> All;
  return All;
}

static thread_local cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;

cudaError_t breakOff(Capture &C, cudaError_t With, const char *What) {
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  C.IsBroken = true;
  complain(std::string("a capture is broken off by ") + What);
  return With;
}

cudaError_t expectNoCapture(const char *What) {
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  cudaError_t Result = cudaSuccess;
  int Here = 0;
  cudaGetDevice(&Here);
  for (const auto &C : active()) {
    // Threads with a device stand for processes.
    if (C->Origin->Of->Number != Here)
      continue;
    const bool IsMine = C->By == std::this_thread::get_id();
    const bool Forbids = Mode != cudaStreamCaptureModeRelaxed &&
                         ((IsMine && C->Mode != cudaStreamCaptureModeRelaxed) ||
                          (Mode == cudaStreamCaptureModeGlobal &&
                           C->Mode == cudaStreamCaptureModeGlobal));
    if (Forbids)
      Result = breakOff(*C, cudaErrorStreamCaptureUnsupported, What);
  }
  return Result;
}

} // namespace spmd::standin

using namespace spmd::standin;

struct CUgraph_st {
  std::shared_ptr<Capture> Of;
};

struct CUgraphExec_st {
  std::shared_ptr<Capture> Of;
  /// For the lanes beside the first.
  std::vector<std::unique_ptr<CUstream_st>> Streams;
};

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *M) {
  std::swap(*M, Mode);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t S,
                                  cudaStreamCaptureStatus *Status) {
  return cudaStreamGetCaptureInfo(S, Status, nullptr, nullptr, nullptr, nullptr,
                                  nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t S,
                                     cudaStreamCaptureStatus *Status,
                                     unsigned long long *Id, cudaGraph_t *,
                                     const cudaGraphNode_t **,
                                     const cudaGraphEdgeData **,
                                     std::size_t *) {
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  const auto &In = given(S)->In;
  *Status = !In            ? cudaStreamCaptureStatusNone
            : In->IsBroken ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
  if (Id)
    *Id = In ? In->Id : 0;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t S, cudaStreamCaptureMode M) {
  if (!S)
    return cudaErrorStreamCaptureUnsupported;
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  static unsigned long long Number = 0;
  S->In = std::make_shared<Capture>();
  S->In->Id = ++Number;
  S->In->Mode = M;
  S->In->By = std::this_thread::get_id();
  S->In->Origin = S;
  S->In->Lanes[S] = 0;
  S->In->Known.emplace_back();
  active().push_back(S->In);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t S, cudaGraph_t *Graph) {
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  *Graph = nullptr;
  const std::shared_ptr<Capture> C = S->In;
  if (!C || C->Origin != S)
    return cudaErrorStreamCaptureUnmatched;
  active().erase(std::find(active().begin(), active().end(), C));
  for (const auto &[Stream, Lane] : C->Lanes)
    Stream->In = nullptr;
  C->Origin = nullptr;
  if (C->IsBroken)
    return cudaErrorStreamCaptureInvalidated;
  for (std::size_t Lane = 0; Lane < C->Known.size(); ++Lane) {
    const int L = static_cast<int>(Lane);
    if (C->Known[0][L] < C->Known[Lane][L])
      return cudaErrorStreamCaptureUnjoined;
  }
  *Graph = new CUgraph_st{C};
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                 unsigned long long) {
  *Exec = new CUgraphExec_st{Graph->Of, {}};
  expectGraphFreed((*Exec)->Of->Id);
  for (std::size_t Lane = 1; Lane < Graph->Of->Known.size(); ++Lane)
    (*Exec)->Streams.push_back(std::make_unique<CUstream_st>());
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t On) {
  const auto Stream = [&](int Lane) {
    return Lane ? Exec->Streams[static_cast<std::size_t>(Lane) - 1].get()
                : given(On);
  };
  const std::shared_ptr<Point> Begins = given(On)->mark();
  for (const auto &S : Exec->Streams)
    S->put([Begins] { Begins->wait(); });
  std::vector<std::shared_ptr<Point>> Marks(Exec->Of->Marks.size());
  for (const Capture::Node &N : Exec->Of->Nodes)
    switch (N.Is) {
    case Capture::Node::Does:
      Stream(N.Lane)->put(N.Do());
      break;
    case Capture::Node::Records:
      Marks[N.Mark] = Stream(N.Lane)->mark();
      break;
    case Capture::Node::Waits:
      Stream(N.Lane)->put([P = Marks[N.Mark]] { P->wait(); });
      break;
    }
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t Graph) {
  delete Graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  delete Exec;
  return cudaSuccess;
}
