#include "train.h"

#include "adamw.h"
#include "data.h"
#include "gradients.h"
#include "loss.h"
#include "model.h"

#include <chrono>
#include <cstdio>

namespace megatron {
namespace {

/// The mean loss over dp as a number, the same on all ranks.
double report([[spmd::type("tp: I, dp: V")]] const at::Tensor &mean,
              const Parallel &parallel) {
  std::vector<at::Tensor> buffers = {mean.detach().clone()};
  parallel.dp_group->allreduce(buffers)->wait();
  return buffers[0].item<double>() / parallel.dp.size();
}

} // namespace

void train(const Config &config, const Parallel &parallel) {
  torch::manual_seed(config.seed);
  const Model model(config, parallel);
  const Corpus corpus(config, parallel);
  Parameters parameters = model.parameters();
  AdamW optimizer(config, parameters);

  const auto start = std::chrono::steady_clock::now();
  for (int64_t step = 0; step < config.steps; ++step) {
    for (at::Tensor &parameter : parameters.sharded)
      parameter.mutable_grad().reset();
    for (at::Tensor &parameter : parameters.replicated)
      parameter.mutable_grad().reset();

    const Batch batch = corpus.batch(step);
    const at::Tensor mean = model.loss(batch.tokens, batch.targets);
    const at::Tensor loss = global_loss(mean, model.penalty(), parallel);
    loss.backward();

    TensorSet gradients;
    gradients.sharded = sync_gradients(parameters.sharded, parallel);
    gradients.replicated = sync_gradients(parameters.replicated, parallel);
    const double length = clip_gradients(gradients, config.clip, parallel);
    optimizer.step(parameters, gradients);

    const double value = report(mean, parallel);
    if (parallel.dp.rank() == 0 && parallel.tp.rank() == 0) {
      const std::chrono::duration<double> seconds =
          std::chrono::steady_clock::now() - start;
      const double tokens =
          double(step + 1) * double(config.batch * config.sequence);
      std::printf("step %4lld  loss %.6f  gradient %.4f  %.0f tokens/s\n",
                  static_cast<long long>(step), value, length,
                  tokens / seconds.count());
    }
  }
}

} // namespace megatron
