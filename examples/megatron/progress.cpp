#include "progress.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace megatron {

namespace {
constexpr int width = 30;
constexpr std::chrono::milliseconds between_frames(100);
} // namespace

Progress::Progress(const Config &config, int64_t first_step)
    : steps_(config.steps), every_(std::max<int64_t>(1, config.steps / 20)),
      tokens_per_step_(config.batch * config.sequence),
      terminal_(isatty(STDOUT_FILENO)), shown_steps_(first_step) {}

bool Progress::is_due(int64_t step, Clock::time_point now) const {
  if (step + 1 == steps_)
    return true;
  return terminal_ ? now - shown_at_ >= between_frames : step % every_ == 0;
}

void Progress::show(const Entry &entry) {
  const Clock::time_point now = Clock::now();
  if (!is_due(entry.step, now))
    return;
  const int64_t done = entry.step + 1;
  const std::chrono::duration<double> seconds = now - shown_at_;
  const double speed =
      double((done - shown_steps_) * tokens_per_step_) / seconds.count();
  shown_steps_ = done;
  shown_at_ = now;

  if (terminal_) {
    const int filled = int(done * width / steps_);
    std::printf("\r[%s%s] ", std::string(filled, '=').c_str(),
                std::string(width - filled, ' ').c_str());
  }
  std::printf("step %4lld/%lld  loss %.6f  gradient %.4f  %.0f tokens/s",
              static_cast<long long>(done), static_cast<long long>(steps_),
              entry.loss, entry.gradient, speed);
  // The erased rest is of a longer line before.
  std::printf(!terminal_ ? "\n" : done == steps_ ? "\x1b[K\n" : "\x1b[K");
  std::fflush(stdout);
}

} // namespace megatron
