// A loop of many rounds that are alike is not run to its end, but its last ones
// are: one of them may do what no other does. Where ranks have left out
// different numbers of rounds, those may make up for what is missing.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

static float x;
static int rankOf(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
// The server sends its weights in all rounds but the last, and a worker gets
// them in each.
void server(void) {
  const int steps = 200;
  if (rankOf() == 0)
    for (int s = 0; s < steps; ++s) {
      MPI_Recv(&x, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (s + 1 < steps)
        MPI_Send(&x, 1, MPI_FLOAT, 1, 1, MPI_COMM_WORLD);
    }
  else if (rankOf() == 1)
    for (int s = 0; s < steps; ++s) {
      MPI_Send(&x, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&x, 1, MPI_FLOAT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  // CHECK: [[#@LINE+1]]:3: error: some ranks are in this 'MPI_Barrier' and others in 'MPI_Recv', which do not match: with 2 ranks: rank 0 waits in MPI_Barrier, line [[#@LINE+1]]; rank 1 waits in MPI_Recv, line [[#@LINE-2]] [spmd-collective-order]
  MPI_Barrier(MPI_COMM_WORLD);
}
void lastOfAll(void) {
  for (int s = 0; s < 1000; ++s) {
    MPI_Bcast(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    if (s == 999 && rankOf() == 0)
      // CHECK: [[#@LINE+1]]:7: error: {{.*}}'MPI_Barrier'
      MPI_Barrier(MPI_COMM_WORLD);
  }
}
// What a rank asks in rounds that it leaves out makes up for nothing.
void onOneRank(void) {
  for (int s = 0; s < 100; ++s)
    if (rankOf() == 0)
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'MPI_Barrier'
      MPI_Barrier(MPI_COMM_WORLD);
}
void polled(void) {
  MPI_Request r;
  int done = 0;
  if (rankOf() == 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Ibarrier'
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
  while (!done)
    MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}
// As many messages, in another loop.
void inTwoLoops(void) {
  if (rankOf() == 0)
    for (int i = 0; i < 200; ++i)
      MPI_Recv(&x, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rankOf() == 1)
    for (int e = 0; e < 10; ++e)
      for (int b = 0; b < 20; ++b)
        MPI_Send(&x, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}
void twoPerRound(void) {
  if (rankOf() == 0)
    for (int i = 0; i < 100; ++i)
      MPI_Bcast(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
  else
    for (int e = 0; e < 50; ++e) {
      MPI_Bcast(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
      MPI_Bcast(&x, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    }
}
// Buffers in turns stay so.
void inTurns(float *a, float *b) {
  float *of[2] = {a, b};
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int s = 0; s < 301; ++s) {
    MPI_Wait(&r[s % 2], MPI_STATUS_IGNORE);
    MPI_Iallreduce(MPI_IN_PLACE, of[s % 2], 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r[s % 2]);
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
