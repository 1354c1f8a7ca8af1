// AdamW with decoupled weight decay.

#pragma once

#include "config.h"
#include "parameters.h"

namespace megatron {

class AdamW {
public:
  AdamW(const Config &config, const Parameters &parameters);

  /// Gradients must be the sum over dp already: the update is not linear in
  /// them, and every rank of dp must make the same one.
  void step(Parameters &parameters, const TensorSet &gradients);

  /// All running means, to be saved or read into.
  std::vector<at::Tensor> moments() const;
  /// Goes on as after this many steps, whose means have been read.
  void resume(int64_t steps) { step_ = steps; }

private:
  /// Running means of a parameter's gradient and of its square.
  struct Moments {
    [[spmd::type("dp: R")]] at::Tensor first;
    [[spmd::type("dp: R")]] at::Tensor second;
  };

  void update([[spmd::type("dp: R")]] at::Tensor parameter,
              [[spmd::type("dp: R")]] const at::Tensor &gradient,
              Moments &moments) const;

  double learning_rate_;
  double weight_decay_;
  int64_t step_ = 0;
  std::vector<Moments> sharded_;
  std::vector<Moments> replicated_;
};

} // namespace megatron
