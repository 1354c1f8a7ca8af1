// What a user sees while training runs.

#pragma once

#include "config.h"
#include "history.h"

#include <chrono>

namespace megatron {

/// A bar that stays on its line where stdout is a terminal, else about twenty
/// plain lines in all. Tokens per second are those since the last time shown.
class Progress {
public:
  Progress(const Config &config, int64_t first_step);
  /// After each step.
  void show(const Entry &entry);

private:
  using Clock = std::chrono::steady_clock;
  bool is_due(int64_t step, Clock::time_point now) const;

  int64_t steps_;
  int64_t every_;
  int64_t tokens_per_step_;
  bool terminal_;
  int64_t shown_steps_; ///< done when it was last shown
  Clock::time_point shown_at_ = Clock::now();
};

} // namespace megatron
