// MPI's ranks as those of a mesh; runs with any number of them.

#include <spmd/mpi.h>
#include <spmd/spmd.h>

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  int Rank = 0, Size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  spmd::set_backend(spmd::mpi_backend());
  float X = 1;
  spmd::all_reduce(spmd::View(&X, {}),
                   spmd::Mesh({{"dp", Size}}, Rank).axis("dp"), spmd::P,
                   spmd::R);
  spmd::set_backend(nullptr);
  MPI_Finalize();
  return X == static_cast<float>(Size) ? 0 : 1;
}
