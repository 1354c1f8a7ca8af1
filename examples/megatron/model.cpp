#include "model.h"

namespace megatron {

Model::Model(const Config &config, const Parallel &parallel)
    : config_(config), embedding_(make_embedding(config, parallel)),
      norm_(config.hidden, parallel), head_(make_head(config, parallel)) {
  for (int64_t i = 0; i < config.layers; ++i)
    blocks_.emplace_back(config, parallel);
}

at::Tensor Model::loss(const at::Tensor &tokens,
                       const at::Tensor &targets) const {
  if (config_.sequence_parallel) {
    at::Tensor x = embedding_->forward_sequence_parallel(tokens);
    for (const Block &block : blocks_)
      x = block.forward_sequence_parallel(x);
    return head_->loss_sequence_parallel(norm_.forward_sequence_parallel(x),
                                         targets);
  }
  at::Tensor x = embedding_->forward(tokens);
  for (const Block &block : blocks_)
    x = block.forward(x);
  return head_->loss(norm_.forward(x), targets);
}

at::Tensor Model::penalty() const {
  return config_.centering * head_->centering_penalty();
}

Parameters Model::parameters() const {
  Parameters parameters;
  embedding_->collect(parameters);
  for (const Block &block : blocks_)
    block.collect(parameters);
  norm_.collect(parameters);
  head_->collect(parameters);
  return parameters;
}

} // namespace megatron
