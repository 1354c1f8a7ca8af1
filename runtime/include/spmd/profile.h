//===- profile.h - Who watches operators run --------------------*- C++ -*-===//
//
// Every operator that communicates is told to a profiler as it begins and as it
// ends, on any transport, those that are started and the steps of redistribute
// too: what the flight record (spmd/flight.h) has entries of. Where there is no
// profiler this costs a load and a few tests. spmd/nvtx.h has one that makes
// NVTX ranges.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_PROFILE_H
#define SPMD_PROFILE_H

#include "spmd/error.h"

#include <cstdint>
#include <memory>

namespace spmd {

struct Call;

/// An operator as it begins. What it points to lives until begin returns.
struct ProfiledCall {
  /// "all_reduce_mean".
  const char *Operator;
  /// "tp"; empty for an unnamed axis.
  const char *Axis;
  /// On the axis.
  int Ranks;
  /// Of this rank's operand; 0 for a barrier.
  std::int64_t Bytes;
  /// Where the program calls it.
  Site At;
};

/// Called by whatever threads call operators, at once where several do.
class Profiler {
public:
  virtual ~Profiler() = default;
  /// What it returns, end is given. What it throws, the operator does.
  virtual std::uint64_t begin(const ProfiledCall &C) = 0;
  /// The operator has returned, or failed; one that was started, in its wait.
  /// On a stream it may run still.
  virtual void end(std::uint64_t Begun) noexcept = 0;
};

/// Installs \p P for the whole process and returns the one before it; null ends
/// that. Not to be called while another thread calls operators. The one before
/// is not told the end of what is under way.
std::shared_ptr<Profiler> set_profiler(std::shared_ptr<Profiler> P);

namespace detail {

/// What the installed profiler keeps of an operator under way.
class ProfiledRange {
public:
  void begin(const Call &C);
  /// Once, and to nobody where another profiler has come.
  void end() {
    if (By)
      tellEnd();
  }

private:
  void tellEnd();

  Profiler *By = nullptr;
  std::uint64_t Begun = 0;
};

} // namespace detail

} // namespace spmd

#endif // SPMD_PROFILE_H
