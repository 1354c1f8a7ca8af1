// What is not looked at is said under --strict, and counted.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: no findings; {{.*}}; the order of collectives not looked at on all ways of 6 functions, --strict says where
// RUN: rm -rf %t && mkdir %t
// RUN: not %spmd-tidy --strict --stats --cache-dir=%t %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: not %spmd-tidy --strict --stats --cache-dir=%t %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// RUN: %spmd-tidy --stats --format=json %s -- -isystem %stubs-dir 2> /dev/null \
// RUN:   | FileCheck %s --check-prefix=JSON
// JSON: "notFollowed": 6

#include <mpi.h>

void first_come(double *x, MPI_Comm comm) {
  MPI_Recv(x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
  // CHECK: [[#@LINE-1]]:3: warning: not all calls that cannot match are found in 'first_come', as this 'MPI_Recv' takes what comes first, from any rank [spmd-divergent-collective]
  MPI_Barrier(comm);
}

void asked(double *x, MPI_Comm comm) {
  MPI_Status status;
  MPI_Probe(0, 0, comm, &status);
  // CHECK: [[#@LINE-1]]:3: warning: not all calls that cannot match are found in 'asked', as this 'MPI_Probe' asks what has come, which depends on time [spmd-divergent-collective]
}

void many(double *x, MPI_Comm comm, int a, int b, int c, int d, int e, int f,
          int g) {
  // CHECK: [[#@LINE-2]]:6: warning: not all that touches buffers too early is found in 'many', as there are more than 64 ways through it [spmd-async-hazard]
  // CHECK: [[#@LINE-3]]:6: warning: not all calls that cannot match are found in 'many', as there are more than 96 ways through it [spmd-divergent-collective]
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
  if (a) MPI_Barrier(comm);
  if (b) MPI_Barrier(comm);
  if (c) MPI_Barrier(comm);
  if (d) MPI_Barrier(comm);
  if (e) MPI_Barrier(comm);
  if (f) MPI_Barrier(comm);
  if (g) MPI_Barrier(comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int again(MPI_Comm comm, int n) {
  return n ? again(comm, n - 1) : MPI_Barrier(comm);
}
// CHECK: [[#@LINE-2]]:14: warning: not all calls that cannot match are found in 'start_again', as calls are nested more than 12 deep [spmd-divergent-collective]
int start_again(MPI_Comm comm) { return again(comm, 20); }

int some(MPI_Request *all, int n) {
  int which;
  return MPI_Waitany(n, all, &which, MPI_STATUS_IGNORE);
  // CHECK: [[#@LINE-1]]:10: warning: not all calls that cannot match are found in 'some', as this 'MPI_Waitany' is of a number of requests that is not known, or of more than 256 [spmd-divergent-collective]
}

void complete_elsewhere(MPI_Request *);
void handed(double *x, MPI_Comm comm) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
  // CHECK: [[#@LINE-1]]:3: warning: not all that touches buffers too early is found in 'handed', as code that is not seen may wait for this 'MPI_Iallreduce' [spmd-async-hazard]
  complete_elsewhere(&request);
  x[0] = 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// CHECK: functions: {{[0-9]+}} (not analysed: 0, collectives not all looked at: 6)
