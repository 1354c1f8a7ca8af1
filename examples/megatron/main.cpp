#include "config.h"
#include "ranks.h"
#include "train.h"

#include <cstdio>
#include <exception>

int main(int argc, char **argv) {
  try {
    const megatron::Config config = megatron::parse_arguments(argc, argv);
    megatron::run_ranks(config, [&](const megatron::Parallel &parallel) {
      megatron::train(config, parallel);
    });
  } catch (const std::exception &error) {
    std::fprintf(stderr, "megatron: %s\n", error.what());
    return 1;
  }
}
