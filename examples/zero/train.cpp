#include "train.h"

#include "collectives.h"
#include "data.h"
#include "log.h"
#include "model.h"
#include "optimizer.h"

namespace zero {

void train(const Config &config, const Parallel &parallel) {
  const Shape shape = shape_of(config, parallel.size);
  const Launch on = {parallel.stream, parallel.blas};
  Parameters parameters(shape, parallel, config.seed);
  Model model(shape, parameters, on);
  Optimizer optimizer(config, parameters, parallel);
  Data data(config.data, shape, parallel);

  Log log(parallel.rank == 0 ? config.losses : "");

  // One row's part in the mean over all ranks: the sum over the ranks is
  // already the gradient of the mean.
  const float rows = static_cast<float>(config.batch) * shape.sequence *
                     static_cast<float>(config.micro_steps);
  for (int step = 1; step <= config.steps; ++step) {
    double sum = 0;
    for (int micro_step = 0; micro_step < config.micro_steps; ++micro_step) {
      const Batch &batch = data.next();
      sum += model.accumulate(batch.tokens, batch.targets, 1 / rows);
    }
    [[spmd::type("dp: R")]] const double loss =
        sum_over(sum, parallel.dp, parallel) / rows;
    const double norm = optimizer.step();
    if (parallel.rank == 0)
      log.add(step, loss, norm);
  }
}

} // namespace zero
