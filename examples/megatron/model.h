// The language model: embedding, blocks, a last norm and the head.

#pragma once

#include "block.h"
#include "embedding.h"
#include "head.h"

namespace megatron {

class Model {
public:
  Model(const Config &config, const Parallel &parallel);

  /// Mean loss over this rank's tokens; both arguments are [batch, sequence].
  [[spmd::type("tp: I, dp: V")]] at::Tensor
  loss([[spmd::type("tp: R, dp: V")]] const at::Tensor &tokens,
       [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets) const;

  /// The part of the loss that depends on the parameters alone.
  [[spmd::type("tp: I, dp: R")]] at::Tensor penalty() const;

  Parameters parameters() const;

private:
  Config config_;
  std::unique_ptr<Embedding> embedding_;
  std::vector<Block> blocks_;
  LayerNorm norm_;
  std::unique_ptr<Head> head_;
};

} // namespace megatron
