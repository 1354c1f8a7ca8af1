// How the ranks of a job find each other before NCCL can talk.

#pragma once

#include <cstddef>
#include <string>

namespace zero {

struct World {
  int rank = 0;
  int size = 1;
  int local_rank = 0; ///< among the processes of this machine
  std::string host = "127.0.0.1";
  std::string port = "29500";
};

/// From torchrun's environment variables.
World world_from_environment();

/// Sends rank 0's bytes to all ranks over TCP. Waits at most a minute.
void broadcast_bytes(void *bytes, std::size_t size, const World &world);

} // namespace zero
