// A GPT-2-style transformer on one rank's rows.

#pragma once

#include "layers.h"
#include "parameters.h"

namespace zero {

class Model {
public:
  Model(const Shape &shape, Parameters &parameters, Launch on);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  /// Forward and backward of one micro-step: adds to the parameters'
  /// gradients, and returns the sum of the losses of this rank's rows.
  /// \p share is one row's part in the mean that is trained on.
  [[spmd::type("dp: V")]] double
  accumulate([[spmd::type("dp: V")]] const int *tokens,
             [[spmd::type("dp: V")]] const int *targets, float share);

private:
  void forward([[spmd::type("dp: V")]] const int *tokens);
  void forward_layer(int l);
  void backward([[spmd::type("dp: V")]] const int *tokens);
  void backward_layer(int l);
  float *allocate(std::size_t count);

  /// What backward needs of one layer.
  struct Saved {
    [[spmd::type("dp: V")]] float *in;
    [[spmd::type("dp: V")]] float *norm1;
    [[spmd::type("dp: V")]] float *qkv;
    [[spmd::type("dp: V")]] float *weights;
    [[spmd::type("dp: V")]] float *attention;
    [[spmd::type("dp: V")]] float *middle;
    [[spmd::type("dp: V")]] float *norm2;
    [[spmd::type("dp: V")]] float *up;
    [[spmd::type("dp: V")]] float *gelu;
  };

  Shape shape_;
  Parameters &parameters_;
  Launch on_;
  std::vector<Saved> saved_;
  [[spmd::type("dp: V")]] float *out_ = nullptr;
  [[spmd::type("dp: V")]] float *normal_ = nullptr;
  [[spmd::type("dp: V")]] float *logits_ = nullptr;
  [[spmd::type("dp: V")]] float *losses_ = nullptr;
  [[spmd::type("dp: V")]] float *branch_ = nullptr;
  [[spmd::type("dp: V")]] float *stream_gradient_ = nullptr;
  [[spmd::type("dp: V")]] float *wide_gradient_ = nullptr;
  std::vector<void *> allocations_;
};

} // namespace zero
