// Token and position embeddings: where the residual stream begins.

#pragma once

#include "config.h"
#include "mesh.h"
#include "parameters.h"

#include <memory>

namespace megatron {

class Embedding {
public:
  virtual ~Embedding() = default;

  [[spmd::type("tp: I, dp: V")]] virtual at::Tensor
  forward([[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const = 0;

  [[spmd::type("tp: S(1), dp: V")]] virtual at::Tensor
  forward_sequence_parallel(
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const = 0;

  virtual void collect(Parameters &parameters) const = 0;
};

/// Every rank of tp has the rows of some tokens.
class VocabularyParallelEmbedding : public Embedding {
public:
  VocabularyParallelEmbedding(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor forward(
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const override;

  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const override;

  void collect(Parameters &parameters) const override;

private:
  /// This rank's rows, and zeros where another rank has the token.
  [[spmd::type("tp: P, dp: V")]] at::Tensor
  local_rows([[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const;

  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: S(0), dp: R")]] at::Tensor table_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor positions_;
};

/// Every rank of tp has the whole table.
class ReplicatedEmbedding : public Embedding {
public:
  ReplicatedEmbedding(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor forward(
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const override;

  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens) const override;

  void collect(Parameters &parameters) const override;

private:
  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor table_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor positions_;
};

std::unique_ptr<Embedding> make_embedding(const Config &config,
                                          const Parallel &parallel);

} // namespace megatron
