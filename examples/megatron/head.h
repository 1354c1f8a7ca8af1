// Where the residual stream ends: logits, and the loss of the next token.

#pragma once

#include "config.h"
#include "mesh.h"
#include "parameters.h"

#include <memory>

namespace megatron {

class Head {
public:
  virtual ~Head() = default;

  /// Mean over this rank's tokens.
  [[spmd::type("tp: I, dp: V")]] virtual at::Tensor
  loss([[spmd::type("tp: I, dp: V")]] const at::Tensor &x,
       [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const = 0;

  [[spmd::type("tp: I, dp: V")]] virtual at::Tensor loss_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x,
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const = 0;

  /// Squared length of the table's mean row. Adding one vector to all rows
  /// changes no probability, so nothing else holds it back.
  [[spmd::type("tp: I, dp: R")]] virtual at::Tensor
  centering_penalty() const = 0;

  virtual void collect(Parameters &parameters) const = 0;
};

/// Every rank of tp computes the logits of some tokens.
class VocabularyParallelHead : public Head {
public:
  VocabularyParallelHead(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  loss([[spmd::type("tp: I, dp: V")]] const at::Tensor &x,
       [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const override;

  [[spmd::type("tp: I, dp: V")]] at::Tensor loss_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x,
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const override;

  [[spmd::type("tp: I, dp: R")]] at::Tensor centering_penalty() const override;

  void collect(Parameters &parameters) const override;

private:
  const Parallel &parallel_;
  int64_t vocabulary_;
  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: S(0), dp: R")]] at::Tensor table_;
};

/// Every rank of tp computes all logits.
class ReplicatedHead : public Head {
public:
  ReplicatedHead(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  loss([[spmd::type("tp: I, dp: V")]] const at::Tensor &x,
       [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const override;

  [[spmd::type("tp: I, dp: V")]] at::Tensor loss_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x,
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const override;

  [[spmd::type("tp: I, dp: R")]] at::Tensor centering_penalty() const override;

  void collect(Parameters &parameters) const override;

private:
  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor table_;
};

std::unique_ptr<Head> make_head(const Config &config, const Parallel &parallel);

} // namespace megatron
