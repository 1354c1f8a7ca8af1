//===- Ranks.h - The ranks of a check on devices ----------------*- C++ -*-===//
//
// Ranks are the processes that a launcher has started, which may share a card,
// or with SPMD_GPU_THREADS=<n> so many threads of one process, with a device
// each.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TEST_GPU_RANKS_H
#define SPMD_TEST_GPU_RANKS_H

#include "TransitionCases.h"

#include <spmd/bootstrap.h>
#include <spmd/nccl.h>

namespace spmd::test {

/// Of threads, or of the job.
int ranks();
bool areThreads();
/// Of the process; rank 0 of threads.
const Job &job();

/// Runs \p Body on all ranks, each with the mesh "dp" of them over NCCL and a
/// stream, or, for \p N of 1, on each rank by itself.
void onRanks(int N,
             const std::function<void(const Mesh &, cudaStream_t)> &Body);
inline void
onRanks(const std::function<void(const Mesh &, cudaStream_t)> &Body) {
  onRanks(ranks(), Body);
}

/// The ranks of a check, for cases of any communicator. Processes connect once
/// for all, which takes half a second on a card.
class OnDevices final : public Launcher {
public:
  OnDevices();
  ~OnDevices() override;
  void run(int N, const std::function<void(const Axis &)> &Body) override;
  void share(Ranks &X) override;
  bool isSlow() const override { return !areThreads(); }

private:
  struct Connected;
  std::unique_ptr<Connected> All;
};

} // namespace spmd::test

#endif // SPMD_TEST_GPU_RANKS_H
