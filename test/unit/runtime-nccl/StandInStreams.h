//===- StandInStreams.h - Streams, events and captures ----------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_NCCL_STANDINSTREAMS_H
#define SPMD_TEST_UNIT_RUNTIME_NCCL_STANDINSTREAMS_H

#include "StandIn.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace spmd::standin {

/// The streams of a rank, which cudaFree waits for.
struct Device {
  explicit Device(int Number) : Number(Number) {}
  const int Number;
  std::mutex Lock;
  std::set<cudaStream_t> Streams;
  void synchronize();
};

/// That of this thread.
std::shared_ptr<Device> device();

/// Whether a stream has come to a point.
class Point {
public:
  void reach() {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Reached = true;
    }
    Changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> Held(Lock);
    Changed.wait(Held, [this] { return Reached; });
  }
  bool isReached() {
    const std::lock_guard<std::mutex> Held(Lock);
    return Reached;
  }

private:
  std::mutex Lock;
  std::condition_variable Changed;
  bool Reached = false;
};

/// What streams are told while they are recorded into a graph. A stream of it
/// is a lane; a lane knows how far others have come by the events that it has
/// waited for.
struct Capture {
  using Clock = std::map<int, std::size_t>;
  struct Node {
    enum Kind { Does, Records, Waits } Is;
    int Lane;
    Make Do;
    /// Of an event.
    std::size_t Mark = 0;
  };

  unsigned long long Id = 0;
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;
  std::thread::id By;
  cudaStream_t Origin = nullptr;
  bool IsBroken = false;
  std::map<cudaStream_t, int> Lanes;
  std::vector<Clock> Known;
  std::vector<Clock> Marks;
  std::vector<Node> Nodes;

  void add(Node N) {
    ++Known[static_cast<std::size_t>(N.Lane)][N.Lane];
    Nodes.push_back(std::move(N));
  }
};

/// Over all captures, and what streams and events know of them.
std::recursive_mutex &capturesLock();
/// An error, by which the captures that it ends are broken off, if \p What is
/// called that none of them allows; else success.
cudaError_t expectNoCapture(const char *What);
cudaError_t breakOff(Capture &C, cudaError_t With, const char *What);

} // namespace spmd::standin

struct CUevent_st {
  const std::shared_ptr<spmd::standin::Device> Of = spmd::standin::device();
  std::shared_ptr<spmd::standin::Point> Last;
  std::shared_ptr<spmd::standin::Capture> In;
  std::size_t Mark = 0;
};

struct CUstream_st {
  CUstream_st();
  ~CUstream_st();
  void put(std::function<void()> Do);
  std::shared_ptr<spmd::standin::Point> mark();

  const std::shared_ptr<spmd::standin::Device> Of = spmd::standin::device();
  std::shared_ptr<spmd::standin::Capture> In;

private:
  void run();

  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::function<void()>> Work;
  bool Ends = false;
  std::thread Thread;
};

namespace spmd::standin {
/// \p S, or what the null stream is on this thread.
cudaStream_t given(cudaStream_t S);
} // namespace spmd::standin

#endif // SPMD_TEST_UNIT_RUNTIME_NCCL_STANDINSTREAMS_H
