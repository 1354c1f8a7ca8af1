#include "head.h"

#include "loss.h"

namespace megatron {

namespace {
constexpr double deviation = 0.02;
} // namespace

VocabularyParallelHead::VocabularyParallelHead(const Config &config,
                                               const Parallel &parallel)
    : parallel_(parallel), vocabulary_(config.vocabulary), tp_(parallel.tp) {
  const at::Tensor whole =
      normal({config.vocabulary, config.hidden}, deviation);
  table_ = as_parameter(spmd::convert(whole, tp_, spmd::R, spmd::S(0)));
}

at::Tensor VocabularyParallelHead::loss(const at::Tensor &x,
                                        const at::Tensor &targets) const {
  const at::Tensor copy = spmd::invariant_to_replicate(x, tp_);
  const at::Tensor logits = torch::matmul(copy, table_.t());
  return vocabulary_parallel_cross_entropy(logits, targets, parallel_).mean();
}

at::Tensor VocabularyParallelHead::loss_sequence_parallel(
    const at::Tensor &x, const at::Tensor &targets) const {
  const at::Tensor whole = spmd::all_gather(x, tp_, spmd::S(1), spmd::R);
  const at::Tensor logits = torch::matmul(whole, table_.t());
  return vocabulary_parallel_cross_entropy(logits, targets, parallel_).mean();
}

at::Tensor VocabularyParallelHead::centering_penalty() const {
  const at::Tensor rows = spmd::out_partial(table_.sum(0), tp_);
  const at::Tensor sum = spmd::all_reduce(rows, tp_, spmd::P, spmd::I);
  return sum.dot(sum) / (vocabulary_ * vocabulary_);
}

void VocabularyParallelHead::collect(Parameters &parameters) const {
  parameters.sharded.push_back(table_);
}

ReplicatedHead::ReplicatedHead(const Config &config, const Parallel &parallel)
    : tp_(parallel.tp),
      table_(
          as_parameter(normal({config.vocabulary, config.hidden}, deviation))) {
}

at::Tensor ReplicatedHead::loss(const at::Tensor &x,
                                const at::Tensor &targets) const {
  const at::Tensor logits = torch::matmul(x, table_.t());
  return torch::cross_entropy_loss(logits.flatten(0, 1), targets.flatten());
}

at::Tensor
ReplicatedHead::loss_sequence_parallel(const at::Tensor &x,
                                       const at::Tensor &targets) const {
  return loss(spmd::all_gather(x, tp_, spmd::S(1), spmd::I), targets);
}

at::Tensor ReplicatedHead::centering_penalty() const {
  const at::Tensor mean = table_.mean(0);
  return mean.dot(mean);
}

void ReplicatedHead::collect(Parameters &parameters) const {
  parameters.replicated.push_back(table_);
}

std::unique_ptr<Head> make_head(const Config &config,
                                const Parallel &parallel) {
  if (config.vocabulary_parallel)
    return std::make_unique<VocabularyParallelHead>(config, parallel);
  return std::make_unique<ReplicatedHead>(config, parallel);
}

} // namespace megatron
