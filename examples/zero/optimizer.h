// AdamW whose moments, and at stage 2 whose gradients, are split over dp.

#pragma once

#include "adamw.h"
#include "parameters.h"

namespace zero {

class Optimizer {
public:
  Optimizer(const Config &config, Parameters &parameters,
            const Parallel &parallel);
  ~Optimizer();
  Optimizer(const Optimizer &) = delete;
  Optimizer &operator=(const Optimizer &) = delete;

  /// Takes the pending gradients, updates the parameters on all ranks alike,
  /// and clears the gradients. Returns their norm before clipping.
  [[spmd::type("dp: R")]] double step();

private:
  [[spmd::type("dp: R")]] double step_on_reduced_gradients();
  [[spmd::type("dp: R")]] double step_on_scattered_gradients();
  void update_own_part([[spmd::type("dp: V")]] const float *gradients,
                       [[spmd::type("dp: R")]] double norm);

  const Config &config_;
  Parameters &parameters_;
  const Parallel &parallel_;
  int steps_ = 0;
  [[spmd::type("dp: V")]] float *first_ = nullptr;
  [[spmd::type("dp: V")]] float *second_ = nullptr;
  [[spmd::type("dp: V")]] float *own_gradients_ = nullptr; ///< stage 2
};

} // namespace zero
