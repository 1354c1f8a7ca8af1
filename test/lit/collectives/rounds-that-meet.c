// Loops of which nobody knows how many rounds they have, on other ranks other
// ones: as many, or ended by a message.
// RUN: %spmd-tidy %s -- -isystem %stubs-dir -DTWO_LOOPS
// RUN: %spmd-tidy %s -- -isystem %stubs-dir -DSTOP
// RUN: %spmd-tidy %s -- -isystem %stubs-dir -DSTAGES
// RUN: %spmd-tidy %s -- -isystem %stubs-dir -DLAST_ROUND
// RUN: %spmd-tidy %s -- -isystem %stubs-dir -DEVERY_RANK_LEAVES
// RUN: %spmd-tidy %s -- -isystem %stubs-dir -DTWO_RANKS
#include <mpi.h>
#include <stdio.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

struct stage {
  int first, sends, receives;
};

int main(int argc, char **argv) {
  float x[64];
  int rank, size, n = 0, more = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  FILE *data = fopen(argv[1], "rb");
#ifdef TWO_LOOPS
  // The writer of the file says it twice.
  int sent, taken;
  fread(&sent, sizeof(int), 1, data);
  fread(&taken, sizeof(int), 1, data);
  if (rank == 1)
    for (int i = 0; i < sent; ++i)
      MPI_Send(x, 64, MPI_FLOAT, 0, 0, WORLD);
  if (rank == 0)
    for (int i = 0; i < taken; ++i)
      MPI_Recv(x, 64, MPI_FLOAT, 1, 0, WORLD, IGNORE);
#endif
#ifdef STOP
  if (rank == 0) {
    while (fread(x, sizeof(float), 64, data)) {
      for (int r = 1; r < size; ++r) {
        MPI_Send(&more, 1, MPI_INT, r, 0, WORLD);
        MPI_Send(x, 64, MPI_FLOAT, r, 0, WORLD);
      }
    }
    more = 0;
    for (int r = 1; r < size; ++r)
      MPI_Send(&more, 1, MPI_INT, r, 0, WORLD);
  } else {
    for (;;) {
      MPI_Recv(&more, 1, MPI_INT, 0, 0, WORLD, IGNORE);
      if (!more)
        break;
      MPI_Recv(x, 64, MPI_FLOAT, 0, 0, WORLD, IGNORE);
    }
  }
#endif
#ifdef STAGES
  // Each rank has its own part of the file.
  struct stage own;
  fseek(data, rank * sizeof(own), SEEK_SET);
  fread(&own, sizeof(own), 1, data);
  for (int i = 0; i < own.receives; ++i)
    MPI_Recv(x, 64, MPI_FLOAT, (rank + size - 1) % size, 0, WORLD, IGNORE);
  for (int i = 0; i < own.sends; ++i)
    MPI_Send(x, 64, MPI_FLOAT, (rank + 1) % size, 0, WORLD);
#endif
#ifdef LAST_ROUND
  // What is begun in a round is taken in the next one, and behind the last.
  MPI_Request r = MPI_REQUEST_NULL;
  int round = 0;
  float y[64], z[64];
  while (fread(x, sizeof(float), 64, data)) {
    if (round++)
      MPI_Recv(y, 64, MPI_FLOAT, (rank + size - 1) % size, 0, WORLD, IGNORE);
    MPI_Wait(&r, IGNORE);
    for (int i = 0; i < 64; ++i)
      z[i] = x[i];
    MPI_Isend(z, 64, MPI_FLOAT, (rank + 1) % size, 0, WORLD, &r);
  }
  if (round)
    MPI_Recv(y, 64, MPI_FLOAT, (rank + size - 1) % size, 0, WORLD, IGNORE);
  MPI_Wait(&r, IGNORE);
#endif
#ifdef EVERY_RANK_LEAVES
  while (fread(x, sizeof(float), 64, data)) {
    float loss = x[0], all = 0;
    MPI_Allreduce(&loss, &all, 1, MPI_FLOAT, MPI_SUM, WORLD);
    if (all < 0.1f)
      break;
    MPI_Sendrecv_replace(x, 64, MPI_FLOAT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, WORLD, IGNORE);
  }
#endif
#ifdef TWO_RANKS
  while (fread(x, sizeof(float), 64, data)) {
    if (rank == 0)
      MPI_Send(x, 64, MPI_FLOAT, 1, 0, WORLD);
    else
      MPI_Recv(x, 64, MPI_FLOAT, 0, 0, WORLD, IGNORE);
  }
#endif
  MPI_Finalize();
  return 0;
}
