//===- stream.h - The device's stream of a call -----------------*- C++ -*-===//

#ifndef SPMD_STREAM_H
#define SPMD_STREAM_H

namespace spmd::detail {

/// While it lives, what this thread calls over a device goes to \p Stream, a
/// cudaStream_t, rather than to the stream of the communicator.
class StreamScope {
public:
  explicit StreamScope(void *Stream);
  ~StreamScope();
  StreamScope(const StreamScope &) = delete;
  StreamScope &operator=(const StreamScope &) = delete;

private:
  void *const Before;
  const bool HadOne;
};

/// That of the innermost scope of the calling thread, else \p Own.
void *streamOfCall(void *Own);

} // namespace spmd::detail

#endif // SPMD_STREAM_H
