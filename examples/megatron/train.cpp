#include "train.h"

#include "checkpoint.h"
#include "data.h"
#include "files.h"
#include "gradients.h"
#include "loss.h"
#include "model.h"
#include "plot.h"
#include "progress.h"

namespace megatron {
namespace {

/// The mean loss over dp as a number, the same on all ranks.
double report([[spmd::type("tp: I, dp: V")]] const at::Tensor &mean,
              const Parallel &parallel) {
  const at::Tensor sum =
      spmd::all_reduce(mean.detach(), parallel.dp, spmd::V, spmd::I);
  return sum.item<double>() / parallel.dp.size();
}

void write_results(const Config &config, const History &history) {
  if (!config.losses.empty())
    write_history(config.losses, history);
  if (!config.plot.empty())
    write_file(config.plot,
               plot_losses(history, "loss on " + config.data +
                                        ", dp=" + std::to_string(config.dp) +
                                        ", tp=" + std::to_string(config.tp)));
}

} // namespace

void train(const Config &config, const Parallel &parallel) {
  if (parallel.is_first())
    for (const std::string &path : {config.losses, config.plot})
      if (!path.empty())
        require_writable(path);
  seed(config.seed);
  const Model model(config, parallel);
  const Corpus corpus(config, parallel);
  Parameters parameters = model.parameters();
  AdamW optimizer(config, parameters);
  History history;
  State state = {parameters, optimizer, history};
  const int64_t first =
      config.resume ? load_checkpoint(config, parallel, state) : 0;

  Progress progress(config, first);
  for (int64_t step = first; step < config.steps; ++step) {
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

    history.push_back({step, report(mean, parallel), length});
    if (parallel.is_first())
      progress.show(history.back());
    const int64_t done = step + 1;
    if (!config.checkpoint.empty() &&
        (done == config.steps || done % config.checkpoint_every == 0))
      save_checkpoint(config, parallel, done, state);
  }
  if (parallel.is_first())
    write_results(config, history);
}

} // namespace megatron
