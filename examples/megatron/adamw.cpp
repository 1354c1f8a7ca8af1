#include "adamw.h"

#include <cmath>

namespace megatron {

namespace {
constexpr double first_decay = 0.9;
constexpr double second_decay = 0.95;
} // namespace

AdamW::AdamW(const Config &config, const Parameters &parameters)
    : learning_rate_(config.learning_rate), weight_decay_(config.weight_decay) {
  for (const at::Tensor &parameter : parameters.sharded)
    sharded_.push_back(
        {torch::zeros_like(parameter), torch::zeros_like(parameter)});
  for (const at::Tensor &parameter : parameters.replicated)
    replicated_.push_back(
        {torch::zeros_like(parameter), torch::zeros_like(parameter)});
}

void AdamW::step(Parameters &parameters, const TensorSet &gradients) {
  torch::NoGradGuard no_grad;
  ++step_;
  for (size_t i = 0; i < parameters.sharded.size(); ++i)
    update(parameters.sharded[i], gradients.sharded[i], sharded_[i]);
  for (size_t i = 0; i < parameters.replicated.size(); ++i)
    update(parameters.replicated[i], gradients.replicated[i], replicated_[i]);
}

std::vector<at::Tensor> AdamW::moments() const {
  std::vector<at::Tensor> all;
  for (const std::vector<Moments> *set : {&sharded_, &replicated_})
    for (const Moments &moments : *set) {
      all.push_back(moments.first);
      all.push_back(moments.second);
    }
  return all;
}

void AdamW::update(at::Tensor parameter, const at::Tensor &gradient,
                   Moments &moments) const {
  moments.first.mul_(first_decay).add_(gradient, 1 - first_decay);
  moments.second.mul_(second_decay)
      .addcmul_(gradient, gradient, 1 - second_decay);

  // The means start at zero; early on that is corrected for.
  const double first_bias = 1 - std::pow(first_decay, step_);
  const double second_bias = 1 - std::pow(second_decay, step_);
  const at::Tensor spread = (moments.second / second_bias).sqrt().add_(1e-8);

  parameter.mul_(1 - learning_rate_ * weight_decay_);
  parameter.addcdiv_(moments.first, spread, -learning_rate_ / first_bias);
}

} // namespace megatron
