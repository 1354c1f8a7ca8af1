// What waits for each request of an array by a range waits for all of them.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

struct Slot {
  float grad[8];
  MPI_Request req = MPI_REQUEST_NULL;
  bool busy = false;
};

void all(MPI_Comm comm) {
  Slot slots[2];
  for (int it = 0; it < 100; it++) {
    Slot &now = slots[it & 1];
    if (now.busy)
      MPI_Wait(&now.req, MPI_STATUS_IGNORE);
    MPI_Iallreduce(MPI_IN_PLACE, now.grad, 8, MPI_FLOAT, MPI_SUM, comm, &now.req);
    now.busy = true;
  }
  for (Slot &each : slots)
    if (each.busy)
      MPI_Wait(&each.req, MPI_STATUS_IGNORE);
}

/// Nobody says of a slot that it is busy.
void forgotten(MPI_Comm comm) {
  Slot slots[2];
  for (int it = 0; it < 2; it++) {
    Slot &now = slots[it];
    // CHECK: [[@LINE+1]]:5: error: nothing completes this 'MPI_Iallreduce' before its request is lost
    MPI_Iallreduce(MPI_IN_PLACE, now.grad, 8, MPI_FLOAT, MPI_SUM, comm, &now.req);
  }
  for (Slot &each : slots)
    if (each.busy)
      MPI_Wait(&each.req, MPI_STATUS_IGNORE);
}
