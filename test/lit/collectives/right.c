// What ranks may do differently, and what only looks different: no finding.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                            \
  do {                                                                         \
    int status = (call);                                                       \
    if (status != MPI_SUCCESS) {                                               \
      fprintf(stderr, "failed\n");                                             \
      return status;                                                           \
    }                                                                          \
  } while (0)
#define CHECK_OR_ABORT(call)                                                   \
  if ((call) != MPI_SUCCESS)                                                   \
  MPI_Abort(MPI_COMM_WORLD, 1)

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

void logged(MPI_Comm comm) {
  if (rankOf(comm) == 0)
    printf("begins\n");
  MPI_Barrier(comm);
}

int saved(const char *path, MPI_Comm comm) {
  if (rankOf(comm) == 0) {
    FILE *f = fopen(path, "w");
    if (f) {
      fputs("state", f);
      fclose(f);
    }
  }
  CHECK(MPI_Barrier(comm));
  return 0;
}

int checked(MPI_Comm comm) {
  int n = 0;
  CHECK(MPI_Bcast(&n, 1, MPI_INT, 0, comm));
  CHECK_OR_ABORT(MPI_Barrier(comm));
  return n;
}

void inPlace(float *all, int n, MPI_Comm comm) {
  if (rankOf(comm) == 0)
    MPI_Reduce(MPI_IN_PLACE, all, n, MPI_FLOAT, MPI_SUM, 0, comm);
  else
    MPI_Reduce(all, NULL, n, MPI_FLOAT, MPI_SUM, 0, comm);
}

void gatherInPlace(float *all, float *mine, MPI_Comm comm) {
  if (rankOf(comm) == 0)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_FLOAT, 0, comm);
  else
    MPI_Gather(mine, 4, MPI_FLOAT, NULL, 0, MPI_FLOAT, 0, comm);
}

void alone(MPI_Comm comm) {
  if (sizeOf(comm) == 1)
    return;
  MPI_Barrier(comm);
}

void balanced(MPI_Comm comm) {
  int n = 0;
  switch (rankOf(comm)) {
  case 0:
    n = 3;
    MPI_Bcast(&n, 1, MPI_INT, 0, comm);
    break;
  default:
    MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  }
}

void ranges(MPI_Comm comm) {
  const int rank = rankOf(comm);
  if (rank < 2)
    MPI_Barrier(comm);
  if (rank >= 2)
    MPI_Barrier(comm);
}

void alwaysHolds(MPI_Comm comm) {
  if (rankOf(comm) >= 0)
    MPI_Barrier(comm);
  if (rankOf(comm) < sizeOf(comm))
    MPI_Barrier(comm);
}

void members(void) {
  MPI_Comm some;
  const int rank = rankOf(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &some);
  if (some != MPI_COMM_NULL) {
    MPI_Barrier(some);
    MPI_Comm_free(&some);
  }
}

void byParity(void) {
  MPI_Comm half;
  const int rank = rankOf(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  if (rank % 2)
    MPI_Barrier(half);
  else
    for (int i = 0; i < 3; i++)
      MPI_Barrier(half);
  MPI_Barrier(MPI_COMM_WORLD);
}

void allRoots(float *x, MPI_Comm comm) {
  for (int root = 0; root < sizeOf(comm); root++)
    MPI_Bcast(x, 4, MPI_FLOAT, root, comm);
}

void givenRoot(float *x, int root, MPI_Comm comm) {
  if (rankOf(comm) == root)
    x[0] = 1;
  MPI_Bcast(x, 4, MPI_FLOAT, root, comm);
}

void decidedTogether(int mine, MPI_Comm comm) {
  int any;
  const int bad = mine > rankOf(comm);
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_LOR, comm);
  if (any)
    return;
  MPI_Barrier(comm);
}

void toldByRoot(MPI_Comm comm) {
  int more = 0;
  const int rank = rankOf(comm);
  do {
    if (rank == 0)
      more = getchar() != EOF;
    MPI_Bcast(&more, 1, MPI_INT, 0, comm);
  } while (more);
}

void mastersLoop(int n, MPI_Comm comm) {
  int command = 1;
  if (rankOf(comm) == 0) {
    for (int i = 0; i < n; i++) {
      command = 1;
      MPI_Bcast(&command, 1, MPI_INT, 0, comm);
    }
    command = 0;
    MPI_Bcast(&command, 1, MPI_INT, 0, comm);
  } else {
    while (command)
      MPI_Bcast(&command, 1, MPI_INT, 0, comm);
  }
}

static int ready;
void lazily(void) {
  if (!ready) {
    MPI_Barrier(MPI_COMM_WORLD);
    ready = 1;
  }
}

void profiled(void) {
  const char *on = getenv("PROFILE");
  if (on)
    MPI_Barrier(MPI_COMM_WORLD);
}

void ring(float *x, float *y, MPI_Comm comm) {
  const int rank = rankOf(comm), size = sizeOf(comm);
  MPI_Sendrecv(x, 4, MPI_FLOAT, (rank + 1) % size, 0, y, 4, MPI_FLOAT,
               (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
}

void pipeline(float *x, MPI_Comm comm) {
  const int rank = rankOf(comm), size = sizeOf(comm);
  if (rank > 0)
    MPI_Recv(x, 4, MPI_FLOAT, rank - 1, 0, comm, MPI_STATUS_IGNORE);
  if (rank < size - 1)
    MPI_Send(x, 4, MPI_FLOAT, rank + 1, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_FLOAT, MPI_SUM, comm);
}

void halo(float *x, MPI_Comm comm) {
  MPI_Request r[2];
  const int rank = rankOf(comm), size = sizeOf(comm);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(x, 1, MPI_FLOAT, left, 0, comm, &r[0]);
  MPI_Isend(x + 1, 1, MPI_FLOAT, right, 0, comm, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Barrier(comm);
}

void overlapped(float *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Iallreduce(MPI_IN_PLACE, x, 4, MPI_FLOAT, MPI_SUM, comm, &r);
  if (rankOf(comm) == 0)
    puts("meanwhile");
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void polled(MPI_Comm comm) {
  MPI_Request r;
  int done = 0;
  MPI_Ibarrier(comm, &r);
  while (!done)
    MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

void twoCommunicators(MPI_Comm row, MPI_Comm column) {
  if (rankOf(row) == 0)
    MPI_Barrier(column);
  MPI_Barrier(row);
}

void equalSignatures(long *x, MPI_Comm comm) {
  if (rankOf(comm) == 0)
    MPI_Bcast(x, 4, MPI_LONG, 0, comm);
  else
    MPI_Bcast(x, 4, MPI_INT64_T, 0, comm);
}

void ownCounts(float *all, float *mine, int *counts, int *at, MPI_Comm comm) {
  MPI_Allgatherv(mine, rankOf(comm) + 1, MPI_FLOAT, all, counts, at, MPI_FLOAT, comm);
}

int cleansUp(MPI_Comm comm) {
  char *b = malloc(100);
  int rc = 1;
  if (!b)
    goto out;
  MPI_Barrier(comm);
  rc = 0;
out:
  MPI_Barrier(comm);
  free(b);
  return rc;
}

void manySteps(int rank, MPI_Comm comm) {
  for (int i = 0; i < 100000; i++) {
    if (i % 100 == 0 && rank == 0)
      printf("%d\n", i);
    if (i % 1000 == 0)
      MPI_Barrier(comm);
  }
}

extern void elsewhere(void);
void otherCode(MPI_Comm comm) {
  if (rankOf(comm) == 0)
    elsewhere();
  else
    MPI_Barrier(comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int rank = rankOf(MPI_COMM_WORLD);
  if (argc < 2) {
    if (rank == 0)
      fprintf(stderr, "usage\n");
    MPI_Finalize();
    return 1;
  }
  if (sizeOf(MPI_COMM_WORLD) != 4)
    MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank < 4)
    MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(argv[1], "-v"))
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

void grid(MPI_Comm comm) {
  int coords[2];
  const int rank = rankOf(comm);
  MPI_Cart_coords(comm, rank, 2, coords);
  if (rank == 0)
    MPI_Barrier(comm);
  if (coords[0] || coords[1])
    MPI_Barrier(comm);
}

extern int readCount(void);
void sameEverywhere(MPI_Comm comm) {
  int n = readCount(), least, most;
  MPI_Allreduce(&n, &least, 1, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, comm);
  if (least != most)
    MPI_Abort(comm, 1);
  for (int i = 0; i < n; i++)
    MPI_Barrier(comm);
}

void manyRoots(MPI_Comm comm) {
  const int rank = rankOf(comm);
  for (int i = 0; i < 100000; i++)
    if (rank == i)
      MPI_Barrier(comm);
}

void squareGrid(float *x) {
  MPI_Comm row, column;
  const int rank = rankOf(MPI_COMM_WORLD), size = sizeOf(MPI_COMM_WORLD);
  int side = 1;
  while ((side + 1) * (side + 1) <= size)
    side++;
  if (side * side != size)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_split(MPI_COMM_WORLD, rank / side, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % side, rank, &column);
  for (int k = 0; k < side; k++) {
    MPI_Bcast(x, 4, MPI_FLOAT, k, row);
    MPI_Bcast(x, 4, MPI_FLOAT, k, column);
  }
  if (rank / side == 0)
    MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_FLOAT, MPI_SUM, row);
  MPI_Barrier(MPI_COMM_WORLD);
}

void farmed(MPI_Comm comm) {
  int task = 0;
  const int rank = rankOf(comm), size = sizeOf(comm);
  if (rank == 0) {
    for (int i = 1; i < size; i++) {
      task = i;
      MPI_Send(&task, 1, MPI_INT, i, 0, comm);
    }
    task = 1;
  } else {
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  }
  if (task > 0)
    MPI_Barrier(comm);
}

void anySource(MPI_Comm comm) {
  int x;
  if (rankOf(comm) == 0)
    for (int i = 1; i < sizeOf(comm); i++)
      MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
  else
    MPI_Send(&x, 1, MPI_INT, 0, 0, comm);
  MPI_Barrier(comm);
}

void pairs(MPI_Comm comm) {
  int x = 0;
  const int rank = rankOf(comm), size = sizeOf(comm), other = rank ^ 1;
  if (other < size) {
    if (rank % 2) {
      MPI_Send(&x, 1, MPI_INT, other, 0, comm);
      MPI_Recv(&x, 1, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&x, 1, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
      MPI_Send(&x, 1, MPI_INT, other, 0, comm);
    }
  }
  MPI_Barrier(comm);
}

// What one rank knows may follow from what the others do.
void leader_and_others(int isLeader, int isMember) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    if (isLeader)
      MPI_Barrier(MPI_COMM_WORLD);
  } else if (isMember) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// There is nobody to the left of the first.
void to_the_left(double *x, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int left = rank == 0 ? MPI_PROC_NULL : rank - 1;
  const int right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  MPI_Sendrecv(x, n, MPI_DOUBLE, left, 0, x + n, n, MPI_DOUBLE, right, 0, comm,
               MPI_STATUS_IGNORE);
  if (rank > 0)
    MPI_Send(x, n, MPI_DOUBLE, rank - 1, 1, comm);
  if (rank < size - 1)
    MPI_Recv(x, n, MPI_DOUBLE, rank + 1, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}
