// Handles that nobody frees.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning:

#include <mpi.h>

struct grid {
  MPI_Comm rows;
};
void library_takes(MPI_Comm comm);
void library_keeps(struct grid *g);

static void make(struct grid *g, int rank) {
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &g->rows);
}

static void step(float *x) {
  MPI_Comm copy;
  // CHECK: [[#@LINE+1]]:3: warning: nothing frees what this 'MPI_Comm_dup' makes before 'MPI_Finalize': the library keeps it to the end [spmd-handle-leak]
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_FLOAT, MPI_SUM, copy);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  float x = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  struct grid freed, kept;
  make(&freed, rank);
  MPI_Comm_free(&freed.rows);
  make(&kept, rank);
  library_keeps(&kept);

  MPI_Comm handed, some, none;
  MPI_Comm_dup(MPI_COMM_WORLD, &handed);
  library_takes(handed);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, rank, &some);
  if (some != MPI_COMM_NULL)
    MPI_Comm_free(&some);
  MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, rank, &none);

  MPI_Comm each[4];
  for (int i = 0; i < 4; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &each[i]);
  for (int i = 0; i < 4; i++)
    MPI_Comm_free(&each[i]);

  MPI_Group world, odd;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int first = 0;
  // CHECK: [[#@LINE+1]]:3: warning: nothing frees what this 'MPI_Group_excl' makes
  MPI_Group_excl(world, 1, &first, &odd);
  MPI_Group_free(&world);

  MPI_Datatype pair;
  // CHECK: [[#@LINE+1]]:3: warning: nothing frees what this 'MPI_Type_contiguous' makes
  MPI_Type_contiguous(2, MPI_FLOAT, &pair);
  MPI_Type_commit(&pair);

  MPI_Request always, again;
  // CHECK: [[#@LINE+1]]:3: warning: nothing frees what this 'MPI_Bcast_init' makes
  MPI_Bcast_init(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &always);
  MPI_Start(&always);
  MPI_Wait(&always, MPI_STATUS_IGNORE);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &again);
  MPI_Start(&again);
  MPI_Wait(&again, MPI_STATUS_IGNORE);
  MPI_Request_free(&again);

  step(&x);
  MPI_Finalize();
}
