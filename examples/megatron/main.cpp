#include "config.h"
#include "mesh.h"
#include "train.h"

#include <cstdio>
#include <exception>

int main(int argc, char **argv) {
  try {
    const megatron::Config config = megatron::parse_arguments(argc, argv);
    megatron::train(config, megatron::connect(config));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "megatron: %s\n", error.what());
    return 1;
  }
}
