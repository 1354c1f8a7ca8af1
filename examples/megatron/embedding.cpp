#include "embedding.h"

namespace megatron {

namespace {
constexpr double deviation = 0.02;
} // namespace

VocabularyParallelEmbedding::VocabularyParallelEmbedding(
    const Config &config, const Parallel &parallel)
    : tp_(parallel.tp) {
  const at::Tensor whole =
      normal({config.vocabulary, config.hidden}, deviation);
  table_ = as_parameter(spmd::convert(whole, tp_, spmd::R, spmd::S(0)));
  positions_ =
      as_parameter(normal({1, config.sequence, config.hidden}, deviation));
}

at::Tensor
VocabularyParallelEmbedding::local_rows(const at::Tensor &tokens) const {
  const int64_t rows = table_.size(0);
  const at::Tensor local = tokens - tp_.rank() * rows;
  const at::Tensor elsewhere = (local < 0).logical_or(local >= rows);
  const at::Tensor found = torch::embedding(table_, local.clamp(0, rows - 1));
  return spmd::out_partial(found.masked_fill(elsewhere.unsqueeze(-1), 0), tp_);
}

at::Tensor
VocabularyParallelEmbedding::forward(const at::Tensor &tokens) const {
  const at::Tensor rows =
      spmd::all_reduce(local_rows(tokens), tp_, spmd::P, spmd::I);
  return rows + positions_;
}

at::Tensor VocabularyParallelEmbedding::forward_sequence_parallel(
    const at::Tensor &tokens) const {
  const at::Tensor rows =
      spmd::reduce_scatter(local_rows(tokens), tp_, spmd::P, spmd::S(1));
  return rows + spmd::convert(positions_, tp_, spmd::I, spmd::S(1));
}

void VocabularyParallelEmbedding::collect(Parameters &parameters) const {
  parameters.sharded.push_back(table_);
  parameters.replicated.push_back(positions_);
}

ReplicatedEmbedding::ReplicatedEmbedding(const Config &config,
                                         const Parallel &parallel)
    : tp_(parallel.tp),
      table_(
          as_parameter(normal({config.vocabulary, config.hidden}, deviation))),
      positions_(as_parameter(
          normal({1, config.sequence, config.hidden}, deviation))) {}

at::Tensor ReplicatedEmbedding::forward(const at::Tensor &tokens) const {
  return torch::embedding(table_, tokens) + positions_;
}

at::Tensor
ReplicatedEmbedding::forward_sequence_parallel(const at::Tensor &tokens) const {
  return spmd::convert(forward(tokens), tp_, spmd::I, spmd::S(1));
}

void ReplicatedEmbedding::collect(Parameters &parameters) const {
  parameters.replicated.push_back(table_);
  parameters.replicated.push_back(positions_);
}

std::unique_ptr<Embedding> make_embedding(const Config &config,
                                          const Parallel &parallel) {
  if (config.vocabulary_parallel)
    return std::make_unique<VocabularyParallelEmbedding>(config, parallel);
  return std::make_unique<ReplicatedEmbedding>(config, parallel);
}

} // namespace megatron
