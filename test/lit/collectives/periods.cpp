// What is done each tenth time, in a loop of which nobody knows how often it goes
// round, is done some time.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

void logged(MPI_Comm comm, double *loss, int steps) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int step = 0; step < steps; step++)
    if ((step + 1) % 10 == 0 && rank == 0)
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'MPI_Allreduce', {{.*}}: with 2 ranks and steps >= 11: rank 0 waits in
      MPI_Allreduce(MPI_IN_PLACE, loss, 1, MPI_DOUBLE, MPI_SUM, comm);
}
void counted(MPI_Comm comm, double *loss, int steps) {
  int rank, done = 0;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < steps; i++) {
    done++;
    if (done % 100 != 0)
      continue;
    if (rank == 0)
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'MPI_Barrier'
      MPI_Barrier(comm);
  }
}

//===--- Right ------------------------------------------------------------===//

void onAll(MPI_Comm comm, double *loss, int steps) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int step = 0; step < steps; step++)
    if ((step + 1) % 10 == 0) {
      MPI_Allreduce(MPI_IN_PLACE, loss, 1, MPI_DOUBLE, MPI_SUM, comm);
      if (rank == 0)
        loss[0] = 0;
    }
}
void inTurns(MPI_Comm comm, double *loss, int steps) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int step = 0; step < steps; step++) {
    if (step % 4 == 1 && rank == 0)
      MPI_Send(loss, 1, MPI_DOUBLE, 1, 0, comm);
    if (step % 4 == 1 && rank == 1)
      MPI_Recv(loss, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    if (step % 4 == 3 && step % 4 == 1) // never
      if (rank == 0)
        MPI_Barrier(comm);
  }
}
void eighteen(MPI_Comm comm, double *loss) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int step = 0; step < 3; step++)
    if ((step + 1) % 18 == 0 && rank == 0) // never
      MPI_Barrier(comm);
}
void byRank(MPI_Comm comm, double *loss, int steps) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int step = 0; step < steps; step++) {
    if (rank % 16 == 0 && rank + 1 < size)
      MPI_Send(loss, 1, MPI_DOUBLE, rank + 1, 0, comm);
    if (rank % 16 == 1)
      MPI_Recv(loss, 1, MPI_DOUBLE, rank - 1, 0, comm, MPI_STATUS_IGNORE);
  }
}
