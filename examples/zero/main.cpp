#include "train.h"

#include <spmd/spmd.h>

namespace {

void run(const zero::Config &config, const zero::World &world,
         const ncclUniqueId &id) {
  zero::Parallel parallel = zero::connect(world, id);
  zero::train(config, parallel);
  zero::disconnect(parallel);
}

} // namespace

int main(int argc, char **argv) {
  const zero::Config config = zero::parse_arguments(argc, argv);
  zero::World world = zero::world_from_environment();
  // Several threads are a world of their own.
  if (config.ranks > 1)
    world.size = config.ranks;
  if (config.batch % world.size != 0) {
    std::fprintf(stderr, "zero: a batch of %d does not divide over %d ranks\n",
                 config.batch, world.size);
    return 2;
  }
  const ncclUniqueId id =
      config.ranks > 1 ? zero::make_id() : zero::meet(world);
  try {
    spmd::run_local(config.ranks, [&](int thread) {
      zero::World mine = world;
      if (config.ranks > 1)
        mine.rank = mine.local_rank = thread;
      run(config, mine, id);
    });
  } catch (const spmd::Error &error) {
    std::fprintf(stderr, "zero: %s\n", error.what());
    return 1;
  }
}
