//===- Progress.h - A thread that runs started operators --------*- C++ -*-===//

#ifndef SPMD_LIB_PROGRESS_H
#define SPMD_LIB_PROGRESS_H

#include "local/World.h"

#include "spmd/work.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace spmd {

/// Makes the calls of started operators on one communicator, in their order.
class Progress {
public:
  explicit Progress(Communicator &With);
  /// Nothing is under way any more.
  ~Progress();

  void put(Started &S);
  /// Throws what the call of \p S threw.
  void wait(Started &S);
  bool isDone(Started &S);
  /// Until nothing is under way.
  void idle();

private:
  struct Entry final : Started::State {
    Started *Next = nullptr;
    /// Who started it; the thread stands in for that rank.
    local::Self Who;
    bool Done = false;
    std::exception_ptr Failure;
  };
  static Entry &entry(Started &S) { return static_cast<Entry &>(*S.Own); }
  void run();
  void call(Started &S);

  Communicator &With;
  std::mutex Lock;
  std::condition_variable Put, Done;
  /// The first is under way.
  Started *First = nullptr, *Last = nullptr;
  bool Ending = false;
  std::thread Thread;
};

/// The function of \p With that \p C is.
void transfer(Communicator &With, const Call &C, const Transfer &Data);

} // namespace spmd

#endif // SPMD_LIB_PROGRESS_H
