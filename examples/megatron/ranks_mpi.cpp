#include "ranks.h"

#include <stdexcept>

#ifdef MEGATRON_MPI
#include <spmd/mpi.h>

#include <cstdio>

namespace megatron {

void run_mpi_ranks(const Config &config, const Body &body) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  spmd::set_backend(spmd::mpi_backend());
  try {
    int rank = 0, world = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    body(place(make_mesh(config, rank, world)));
  } catch (const std::exception &error) {
    // The other ranks wait for this one and would do so for ever.
    std::fprintf(stderr, "megatron: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  spmd::set_backend(nullptr);
  MPI_Finalize();
}

} // namespace megatron
#else

namespace megatron {

void run_mpi_ranks(const Config &, const Body &) {
  throw std::runtime_error("this program was built without MPI");
}

} // namespace megatron
#endif
