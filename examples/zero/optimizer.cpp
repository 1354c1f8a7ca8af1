#include "optimizer.h"

#include "collectives.h"

#include <cmath>

namespace zero {
namespace {

float *zeros(std::size_t count) {
  float *p = nullptr;
  CUDACHECK(cudaMalloc(&p, count * sizeof(float)));
  CUDACHECK(cudaMemset(p, 0, count * sizeof(float)));
  return p;
}

} // namespace

Optimizer::Optimizer(const Config &config, Parameters &parameters,
                     const Parallel &parallel)
    : config_(config), parameters_(parameters), parallel_(parallel) {
  first_ = zeros(parameters.part);
  second_ = zeros(parameters.part);
  if (config.stage == Stage::Gradients)
    own_gradients_ = zeros(parameters.part);
}

Optimizer::~Optimizer() {
  cudaFree(first_);
  cudaFree(second_);
  cudaFree(own_gradients_);
}

double Optimizer::step() {
  const double norm = config_.stage == Stage::Gradients
                          ? step_on_scattered_gradients()
                          : step_on_reduced_gradients();
  CUDACHECK(cudaMemsetAsync(parameters_.gradients, 0,
                            parameters_.padded * sizeof(float),
                            parallel_.stream));
  return norm;
}

double Optimizer::step_on_reduced_gradients() {
  float *gradients = parameters_.gradients;
  all_reduce(gradients, parameters_.padded, parallel_.dp);
  const double norm = std::sqrt(sum_of_squares(
      gradients, parameters_.padded, parallel_.scalar, parallel_.stream));
  update_own_part(gradients + parallel_.rank * parameters_.part, norm);
  return norm;
}

double Optimizer::step_on_scattered_gradients() {
  reduce_scatter(own_gradients_, parameters_.gradients, parameters_.part,
                 parallel_.dp);
  const double own = sum_of_squares(own_gradients_, parameters_.part,
                                    parallel_.scalar, parallel_.stream);
  const double norm = std::sqrt(sum_over(own, parallel_.dp, parallel_));
  update_own_part(own_gradients_, norm);
  return norm;
}

void Optimizer::update_own_part(const float *gradients, double norm) {
  const float scale =
      norm > config_.clip ? static_cast<float>(config_.clip / norm) : 1.0f;
  const AdamW rule = {config_.learning_rate, config_.beta1, config_.beta2,
                      config_.weight_decay, ++steps_};
  float *own = parameters_.values + parallel_.rank * parameters_.part;
  adamw(own, first_, second_, gradients, parameters_.part, scale, rule,
        parallel_.stream);
  all_gather(parameters_.values, own, parameters_.part, parallel_.dp);
}

} // namespace zero
