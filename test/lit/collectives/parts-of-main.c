// Of a main function with more ways than are looked at, the functions that it
// calls are looked at by themselves; ranks that are declared are known there.
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --strict --quiet %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: warning: not all calls that cannot match are found in 'main', as there are more than 96 ways through it
// SAID-NOT: not all calls that cannot match are found in 'train'

#include <mpi.h>

struct job {
  __attribute__((annotate("spmd::type", "dp: V"))) int rank;
  __attribute__((annotate("spmd::size", "dp"))) int size;
  __attribute__((annotate("spmd::axis", "dp"))) MPI_Comm comm;
};

static void reduce(const struct job *job) {
  if (job->size == 1)
    return;
  if (job->rank == 0)
    return;
  MPI_Barrier(job->comm);
  // CHECK: [[#@LINE-1]]:3: error: some ranks are in this 'MPI_Barrier' and others in 'MPI_Recv', which do not match: with 2 ranks: rank 0 waits in MPI_Recv, line {{[0-9]+}}; rank 1 waits in MPI_Barrier, line {{[0-9]+}} [spmd-collective-order]
}
// The first rank tells the others; all get to the barrier.
static void report(const struct job *job, double *x) {
  if (job->rank == 0)
    x[0] = 0;
  MPI_Bcast(x, 1, MPI_DOUBLE, 0, job->comm);
  MPI_Barrier(job->comm);
}
// The other end of the message is in another function.
static void give(const struct job *job, double *x) {
  MPI_Send(x, 1, MPI_DOUBLE, 0, 0, job->comm);
}
static void take(const struct job *job, double *x) {
  for (int i = 1; i < job->size; i++)
    MPI_Recv(x, 1, MPI_DOUBLE, i, 0, job->comm, MPI_STATUS_IGNORE);
}
static void train(const struct job *job, double *x) {
  report(job, x);
  reduce(job);
}

int main(int argc, char **argv) {
  struct job job;
  double x[8];
  int me;
  MPI_Init(&argc, &argv);
  job.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 1; i < argc; i++)
    if (argv[i][0] == 'a' && argv[i][1] == 'b' && argv[i][2] == 'c' &&
        argv[i][3] == 'd' && argv[i][4] == 'e' && argv[i][5] == 'f')
      MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < argc; step++) {
    if (argv[step][6] == 'g' || argv[step][7] == 'h' || argv[step][8] == 'i')
      train(&job, x);
    if (me)
      give(&job, x);
    else
      take(&job, x);
  }
  MPI_Finalize();
}
