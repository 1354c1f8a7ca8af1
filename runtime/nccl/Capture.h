//===- Capture.h - Streams that are recorded into graphs --------*- C++ -*-===//

#ifndef SPMD_NCCL_CAPTURE_H
#define SPMD_NCCL_CAPTURE_H

#include "CheckCuda.h"

#include "spmd/stream.h"

namespace spmd {

/// Where a call of this thread goes that goes to \p Own unless told otherwise.
inline cudaStream_t callStream(cudaStream_t Own) {
  return static_cast<cudaStream_t>(detail::streamOfCall(Own));
}

/// Of the capture that \p S is in; 0 if it is in none.
inline unsigned long long captureOf(cudaStream_t S) {
  cudaStreamCaptureStatus Status = cudaStreamCaptureStatusNone;
  unsigned long long Id = 0;
  check(cudaStreamGetCaptureInfo(S, &Status, &Id), "cudaStreamGetCaptureInfo");
  if (Status == cudaStreamCaptureStatusInvalidated)
    detail::fail("spmd: the capture of this stream has been broken off by an "
                 "earlier call: end it");
  return Status == cudaStreamCaptureStatusActive ? Id : 0;
}

/// While it lives, calls of this thread that a capture elsewhere would forbid,
/// such as to allocate or to ask an event, are let through: they have nothing
/// to do with what is captured.
class BesideCaptures {
public:
  BesideCaptures() { cudaThreadExchangeStreamCaptureMode(&Mode); }
  ~BesideCaptures() { cudaThreadExchangeStreamCaptureMode(&Mode); }
  BesideCaptures(const BesideCaptures &) = delete;
  BesideCaptures &operator=(const BesideCaptures &) = delete;

private:
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
};

} // namespace spmd

#endif // SPMD_NCCL_CAPTURE_H
