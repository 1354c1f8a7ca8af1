// Groups of ranks are computed: who is in a communicator that is made of one.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

static void sum(float *x, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_FLOAT, MPI_SUM, comm);
}

// A communicator of a group may be made by its members alone.
void members(float *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, two;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[2] = {0, 1};
  MPI_Group_incl(world, 2, ranks, &two);
  if (rank < 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, two, 7, &comm);
    sum(x, comm);
    MPI_Comm_free(&comm);
  }
}

void one_member_stays_away(float *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, two;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[2] = {0, 1};
  MPI_Group_incl(world, 2, ranks, &two);
  if (rank == 0) {
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'MPI_Comm_create_group'{{.*}}[spmd-divergent-collective]
    MPI_Comm_create_group(MPI_COMM_WORLD, two, 7, &comm);
    sum(x, comm);
  }
}

// All of the old one call it; who is not in the group gets none.
void all_create(float *x) {
  MPI_Group world, two;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[2] = {0, 1};
  MPI_Group_incl(world, 2, ranks, &two);
  MPI_Comm_create(MPI_COMM_WORLD, two, &comm);
  if (comm != MPI_COMM_NULL) {
    sum(x, comm);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&two);
  MPI_Group_free(&world);
}

void no_guard(float *x) {
  MPI_Group world, two;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[2] = {0, 1};
  MPI_Group_incl(world, 2, ranks, &two);
  MPI_Comm_create(MPI_COMM_WORLD, two, &comm);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Barrier' gets a null communicator
  MPI_Barrier(comm);
}

// Called by those alone who are in it.
void only_members_create(float *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, others;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int first = 0;
  MPI_Group_excl(world, 1, &first, &others);
  if (rank != 0) {
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'MPI_Comm_create'{{.*}}[spmd-divergent-collective]
    MPI_Comm_create(MPI_COMM_WORLD, others, &comm);
    sum(x, comm);
  }
}

// Halves by ranges: each rank names its own.
void halves(float *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int half = size / 2;
  int range[1][3];
  range[0][0] = rank < half ? 0 : half;
  range[0][1] = rank < half ? half - 1 : size - 1;
  range[0][2] = 1;
  MPI_Group world, mine;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, range, &mine);
  MPI_Comm_create(MPI_COMM_WORLD, mine, &comm);
  sum(x, comm);
  MPI_Comm_free(&comm);
}

// Groups that overlap are of no use to anybody.
void overlapping(float *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks[2] = {0, rank == 0 ? 1 : rank};
  MPI_Group world, mine;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, rank == 0 ? 1 : 2, ranks, &mine);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}}group{{.*}}[spmd-varying-metadata]
  MPI_Comm_create(MPI_COMM_WORLD, mine, &comm);
  sum(x, comm);
}

// A rank asks whether it is in a group.
void asked(float *x) {
  MPI_Group world, odd, rest;
  MPI_Comm comm;
  int me, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int range[1][3] = {{1, size - 1, 2}};
  MPI_Group_range_incl(world, 1, range, &odd);
  MPI_Group_difference(world, odd, &rest);
  MPI_Group_rank(rest, &me);
  if (me != MPI_UNDEFINED) {
    MPI_Comm_create_group(MPI_COMM_WORLD, rest, 1, &comm);
    sum(x, comm);
    if (me == 0)
      // CHECK: [[#@LINE+1]]:7: error: {{.*}}'MPI_Barrier'{{.*}}[spmd-divergent-collective]
      MPI_Barrier(comm);
  }
}
