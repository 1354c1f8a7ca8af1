#include "train.h"

int main(int argc, char **argv) {
  const zero::Config config = zero::parse_arguments(argc, argv);
  zero::Parallel parallel = zero::connect();
  if (config.batch % parallel.size != 0) {
    std::fprintf(stderr, "zero: a batch of %d does not divide over %d ranks\n",
                 config.batch, parallel.size);
    return 2;
  }
  zero::train(config, parallel);
  zero::disconnect(parallel);
}
