#include "train.h"

#include <spmd/bootstrap.h>

namespace {

void run(const zero::Config &config, const spmd::Job &job) {
  zero::Parallel parallel = zero::connect(job);
  zero::train(config, parallel);
  zero::disconnect(parallel);
}

/// Processes that a launcher has started, or threads.
int run_ranks(const zero::Config &config) {
  const spmd::Job job = spmd::init();
  const int ranks = job.size() > 1 ? job.size() : config.ranks;
  if (config.batch % ranks != 0) {
    std::fprintf(stderr, "zero: a batch of %d does not divide over %d ranks\n",
                 config.batch, ranks);
    return 2;
  }
  if (job.size() > 1)
    run(config, job);
  else
    spmd::run_local(ranks, [&](int) { run(config, spmd::init()); });
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  const zero::Config config = zero::parse_arguments(argc, argv);
  try {
    return run_ranks(config);
  } catch (const spmd::Error &error) {
    std::fprintf(stderr, "zero: %s\n", error.what());
    return 1;
  }
}
