// A collective that some ranks start may be met by another function where that
// gets its request.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>

struct progress {
  MPI_Comm comm;
  MPI_Request told;
  int more;
};

struct progress *start(MPI_Comm comm) {
  struct progress *p = malloc(sizeof *p);
  int rank;
  MPI_Comm_rank(comm, &rank);
  p->comm = comm;
  p->told = MPI_REQUEST_NULL;
  if (rank != 0)
    MPI_Ibcast(&p->more, 1, MPI_INT, 0, p->comm, &p->told);
  return p;
}

void tell(struct progress *p) {
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  if (rank == 0)
    MPI_Ibcast(&p->more, 1, MPI_INT, 0, p->comm, &p->told);
}

// The others are one call ahead, since they began.
void next(struct progress *p) {
  int rank, done = 0;
  MPI_Comm_rank(p->comm, &rank);
  MPI_Request r;
  if (rank == 0) {
    MPI_Ibcast(&p->more, 1, MPI_INT, 0, p->comm, &p->told);
    MPI_Ibarrier(p->comm, &r);
  } else {
    MPI_Test(&p->told, &done, MPI_STATUS_IGNORE);
    if (!done)
      return;
    MPI_Ibarrier(p->comm, &r);
    MPI_Ibcast(&p->more, 1, MPI_INT, 0, p->comm, &p->told);
  }
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void waits(struct progress *p) {
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  if (rank == 0) {
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Ibcast'{{.*}} [spmd-divergent-collective]
    MPI_Ibcast(&p->more, 1, MPI_INT, 0, p->comm, &p->told);
    MPI_Wait(&p->told, MPI_STATUS_IGNORE);
  }
}
