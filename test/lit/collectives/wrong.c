// Collectives that cannot match, each with the ranks that show it.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rankOf(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
static int sizeOf(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

void missing(MPI_Comm comm) {
  if (rankOf(comm) == 0)
    MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'MPI_Barrier'{{.*}}: with 2 ranks: rank 0 waits in MPI_Barrier, line [[@LINE-1]]; rank 1 is at its end [spmd-divergent-collective]
  // CHECK: [[@LINE-3]]:3: note: the ways of the ranks part here
}

void skipped(MPI_Comm comm) {
  double x = 0;
  if (rankOf(comm) != 1)
    MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'MPI_Barrier'{{.*}} [spmd-divergent-collective]
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
}

void leavesEarly(MPI_Comm comm) {
  if (rankOf(comm) > 2)
    return;
  MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:3: error: not all ranks get to this 'MPI_Barrier'{{.*}}: with 4 ranks: {{.*}} [spmd-divergent-collective]
  // CHECK: [[@LINE-4]]:3: note: the ways of the ranks part here
}

void continues(MPI_Comm comm) {
  const int rank = rankOf(comm);
  for (int i = 0; i < 4; i++) {
    if (i == rank)
      continue;
    MPI_Barrier(comm);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
  }
}

void rounds(MPI_Comm comm) {
  for (int i = 0; i < rankOf(comm); i++)
    MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}

void shards(int rows, MPI_Comm comm) {
  const int rank = rankOf(comm), size = sizeOf(comm);
  const int mine = 7 / size + (rank < 7 % size);
  for (int i = 0; i < mine; i++)
    MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}

void swapped(MPI_Comm comm) {
  double x = 0;
  if (rankOf(comm) % 2) {
    MPI_Barrier(comm);
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
  } else {
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
    // CHECK: [[@LINE-1]]:5: error: some ranks are in this 'MPI_Allreduce' and others in 'MPI_Barrier'{{.*}} [spmd-collective-order]
    MPI_Barrier(comm);
  }
}

static void first(MPI_Comm comm) { MPI_Barrier(comm); }
static void second(MPI_Comm comm) {
  int n = 0;
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  // CHECK: [[@LINE-1]]:3: error: {{.*}} [spmd-collective-order]
}
void throughFunctions(MPI_Comm comm) {
  if (rankOf(comm)) {
    first(comm);
    second(comm);
  } else {
    second(comm);
    first(comm);
  }
}

void twoCommunicators(void) {
  MPI_Comm a, b;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_dup(MPI_COMM_WORLD, &b);
  const int rank = rankOf(a);
  MPI_Barrier(rank ? a : b);
  // CHECK: [[@LINE-1]]:3: error: the communicator of this 'MPI_Barrier' is not the same on all ranks{{.*}} [spmd-varying-metadata]
  MPI_Barrier(rank ? b : a);
}

void blockingOrNot(MPI_Comm comm) {
  MPI_Request r;
  if (rankOf(comm) == 0) {
    MPI_Barrier(comm);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-collective-order]
  } else {
    MPI_Ibarrier(comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
}

void neverStarted(MPI_Comm comm) {
  MPI_Request r;
  if (rankOf(comm) == 0) {
    MPI_Ibarrier(comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    // CHECK: [[@LINE-2]]:5: error: {{.*}} [spmd-divergent-collective]
  }
}

void root(MPI_Comm comm) {
  int n = 0;
  MPI_Bcast(&n, 1, MPI_INT, rankOf(comm) % 2, comm);
  // CHECK: [[@LINE-1]]:3: error: the root of this 'MPI_Bcast'{{.*}} [spmd-varying-metadata]
}

void rebound(MPI_Comm comm) {
  double x = 0, y;
  MPI_Op op = MPI_SUM;
  if (rankOf(comm) > 0)
    op = MPI_MAX;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, op, comm);
  // CHECK: [[@LINE-1]]:3: error: the reduction of this 'MPI_Allreduce'{{.*}} [spmd-varying-metadata]
}

void type(float *x, MPI_Comm comm) {
  if (rankOf(comm) == 0)
    MPI_Bcast(x, 4, MPI_FLOAT, 0, comm);
  // CHECK: [[@LINE-1]]:5: error: the datatype of this 'MPI_Bcast'{{.*}} [spmd-varying-metadata]
  else
    MPI_Bcast(x, 4, MPI_INT, 0, comm);
}

void count(float *x, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, x, 4 + rankOf(comm), MPI_FLOAT, MPI_SUM, comm);
  // CHECK: [[@LINE-1]]:3: error: the count of this 'MPI_Allreduce'{{.*}} [spmd-varying-metadata]
}

void gathersLess(float *all, float *mine, MPI_Comm comm) {
  MPI_Gather(mine, 4, MPI_FLOAT, all, 2, MPI_FLOAT, 0, comm);
  // CHECK: [[@LINE-1]]:3: error: the count of this 'MPI_Gather'{{.*}} [spmd-varying-metadata]
}

void againstMessage(MPI_Comm comm) {
  int n = 0;
  if (rankOf(comm) == 0) {
    MPI_Barrier(comm);
    // CHECK: [[@LINE-1]]:5: error: some ranks are in this 'MPI_Barrier' and others in 'MPI_Recv'{{.*}} [spmd-collective-order]
    MPI_Send(&n, 1, MPI_INT, 1, 0, comm);
  } else {
    if (rankOf(comm) == 1)
      MPI_Recv(&n, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
  }
}

void membersOnly(void) {
  MPI_Comm some;
  const int rank = rankOf(MPI_COMM_WORLD);
  if (rank < 2)
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &some);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'MPI_Comm_split'{{.*}} [spmd-divergent-collective]
}

void nobody(void) {
  MPI_Comm some;
  const int rank = rankOf(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank ? 0 : MPI_UNDEFINED, rank, &some);
  MPI_Barrier(some);
  // CHECK: [[@LINE-1]]:3: error: this 'MPI_Barrier' gets a null communicator{{.*}} [spmd-collective-argument]
}

void noRank(MPI_Comm comm) {
  int n = 0;
  MPI_Bcast(&n, 1, MPI_INT, sizeOf(comm), comm);
  // CHECK: [[@LINE-1]]:3: error: no rank has the number of the root of this 'MPI_Bcast'{{.*}} [spmd-collective-argument]
}

struct State {
  int rank, size;
  MPI_Comm comm;
};
static void fill(struct State *s, MPI_Comm comm) {
  s->comm = comm;
  MPI_Comm_rank(comm, &s->rank);
  MPI_Comm_size(comm, &s->size);
}
void throughFields(MPI_Comm comm) {
  struct State s;
  fill(&s, comm);
  if (s.rank == s.size - 1)
    MPI_Barrier(s.comm);
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}

#define IS_ROOT(c) (rankOf(c) == 0)
#define SYNC(c) MPI_Barrier(c)
void throughMacros(MPI_Comm comm) {
  if (IS_ROOT(comm))
    SYNC(comm);
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}

void shortCircuit(MPI_Comm comm) {
  if (rankOf(comm) == 0 && MPI_Barrier(comm) == MPI_SUCCESS)
    puts("done");
  // CHECK: [[@LINE-2]]:28: error: {{.*}} [spmd-divergent-collective]
}

void jumps(MPI_Comm comm) {
  if (rankOf(comm) == 1)
    goto out;
  MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:3: error: {{.*}} [spmd-divergent-collective]
out:
  puts("out");
}

void fallsThrough(MPI_Comm comm) {
  switch (rankOf(comm) % 3) {
  case 0:
    MPI_Barrier(comm);
  case 1:
    MPI_Barrier(comm);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
  }
}

void oneFlagFewer(int flag, MPI_Comm comm) {
  const int rank = rankOf(comm);
  if (flag) {
    if (rank < 1)
      MPI_Barrier(comm);
    // CHECK: [[@LINE-1]]:7: error: {{.*}} and flag != 0: {{.*}} [spmd-divergent-collective]
  }
}

void prefixes(MPI_Comm comm) {
  int one = 1, before = 0;
  MPI_Scan(&one, &before, 1, MPI_INT, MPI_SUM, comm);
  if (before > 1)
    MPI_Barrier(comm);
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int rank = rankOf(MPI_COMM_WORLD);
  if (argc > 2 && rank == 0)
    return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  // CHECK: [[@LINE-1]]:3: error: {{.*}} [spmd-divergent-collective]
  if (rank == 0)
    MPI_Finalize();
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
  return 0;
}

extern double lossOf(const float *batch);
int stopsOnLocalNaN(float *batch, MPI_Comm comm) {
  for (int i = 0; i < 10; i++) {
    double loss = lossOf(batch), all;
    if (isnan(loss))
      continue;
    MPI_Allreduce(&loss, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
  }
  return 0;
}

void takenForIntegers(float *x, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_INT, MPI_SUM, comm);
  // CHECK: [[@LINE-1]]:3: error: this 'MPI_Allreduce' reduces a buffer of 'float' as MPI_INT{{.*}} [spmd-collective-argument]
}

void nothing(float *x, MPI_Comm comm) {
  MPI_Bcast(x, -1, MPI_FLOAT, 0, comm);
  // CHECK: [[@LINE-1]]:3: error: this 'MPI_Bcast' gets a negative count{{.*}} [spmd-collective-argument]
  MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, comm);
  // CHECK: [[@LINE-1]]:3: error: this 'MPI_Bcast' gets a null datatype{{.*}} [spmd-collective-argument]
}

// The other ranks know nothing that the step could follow from.
void now_and_then(int step) {
  const int rank = rankOf(MPI_COMM_WORLD);
  if (rank == 0 && step % 100 == 0)
    // CHECK: wrong.c:[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Barrier, line [[#@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}

int rank_zero_cannot_open(const char *name) {
  const int rank = rankOf(MPI_COMM_WORLD);
  if (rank == 0) {
    FILE *file = fopen(name, "w");
    if (!file)
      return 1;
    fclose(file);
  }
  // CHECK: wrong.c:[[#@LINE+1]]:3: error: not all ranks get to this 'MPI_Barrier', and those that do wait for the others: with 2 ranks: rank 0 is at its end; rank 1 waits in MPI_Barrier, line [[#@LINE+1]] [spmd-divergent-collective]
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

//===--- Messages that nobody can send --------------------------------------//

void to_the_left(double *x, int n, MPI_Comm comm) {
  const int rank = rankOf(comm);
  // CHECK: wrong.c:[[#@LINE+1]]:3: error: this 'MPI_Send' gets a negative rank, with which nothing can be done: with 2 ranks: {{.*}} [spmd-collective-argument]
  MPI_Send(x, n, MPI_DOUBLE, -5 - rank, 0, comm);
}

void negative_tag(double *x, int n) {
  const int rank = rankOf(MPI_COMM_WORLD);
  if (rank == 0)
    // CHECK: wrong.c:[[#@LINE+1]]:5: error: this 'MPI_Send' gets a negative tag, {{.*}} [spmd-collective-argument]
    MPI_Send(x, n, MPI_DOUBLE, 1, -1, MPI_COMM_WORLD);
  else if (rank == 1)
    MPI_Recv(x, n, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void type_of_nothing(double *x, int n) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (rankOf(MPI_COMM_WORLD) == 0)
    // CHECK: wrong.c:[[#@LINE+1]]:5: error: this 'MPI_Send' gets a null datatype, {{.*}} [spmd-collective-argument]
    MPI_Send(x, n, type, 1, 0, MPI_COMM_WORLD);
}

void freed_communicator(double *x, int n) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
  if (rankOf(MPI_COMM_WORLD) == 0)
    // CHECK: wrong.c:[[#@LINE+1]]:5: error: this 'MPI_Send' gets a null communicator, {{.*}} [spmd-collective-argument]
    MPI_Send(x, n, MPI_DOUBLE, 1, 0, comm);
}
