//===- Stopwatch.h - How long a part took -----------------------*- C++ -*-===//

#ifndef SPMD_LINT_STOPWATCH_H
#define SPMD_LINT_STOPWATCH_H

#include <chrono>

namespace spmd::lint {

/// Runs since it was made.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - Begun).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point Begun = Clock::now();
};

} // namespace spmd::lint

#endif // SPMD_LINT_STOPWATCH_H
