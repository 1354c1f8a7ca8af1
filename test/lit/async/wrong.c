// Storage and requests of operations that may still run.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64
#define IGNORE MPI_STATUS_IGNORE

void written_while_sent(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  x[0] = 1;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host while the 'MPI_Isend' of line [[@LINE-2]] may still use it: no wait for 'r' [spmd-async-hazard]
  // CHECK: [[@LINE-3]]:3: note: the 'MPI_Isend' begins here, and no wait for 'r'
  MPI_Wait(&r, IGNORE);
}

double read_while_received(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  const double first = x[0];
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is read by the host while the 'MPI_Irecv' of line [[@LINE-2]] may still write it: no wait for 'r' [spmd-async-hazard]
  MPI_Wait(&r, IGNORE);
  return first;
}

void printed(int *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Ibcast(x, 1, MPI_INT, 0, comm, &r);
  x[0]++;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host while the 'MPI_Ibcast'
  MPI_Wait(&r, IGNORE);
}

void halo(double *u, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Request r[2];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, comm, &r[0]);
  MPI_Isend(&u[1], 1, MPI_DOUBLE, right, 0, comm, &r[1]);
  for (int i = 1; i <= n; ++i)
    u[i] *= 2;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'u[1]' is written by the host while the 'MPI_Isend' {{.*}} no wait for 'r[1]'
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

void same_part(MPI_Comm comm) {
  double x[2 * N];
  MPI_Request r;
  MPI_Irecv(x, N, MPI_DOUBLE, 0, 0, comm, &r);
  x[N - 1] = 0;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host
  MPI_Wait(&r, IGNORE);
}

void parts_overlap(double *x, MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Irecv(x, N, MPI_DOUBLE, 0, 0, comm, &r[0]);
  MPI_Irecv(x + N / 2, N, MPI_DOUBLE, 1, 0, comm, &r[1]);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by 'MPI_Irecv' while the 'MPI_Irecv' of line [[@LINE-2]] may still use it: no wait for 'r[0]'
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

void sent_before_received(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Send(x, 1, MPI_DOUBLE, 1, 0, comm);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is read by 'MPI_Send' while the 'MPI_Irecv'
  MPI_Wait(&r, IGNORE);
}

void reduced_again(double *in, double *out, MPI_Comm comm) {
  MPI_Request r;
  MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm, &r);
  MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_SUM, comm);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'in' is written by 'MPI_Allreduce' while the 'MPI_Iallreduce'
  MPI_Wait(&r, IGNORE);
}

void cleared(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  memset(x, 0, n * sizeof *x);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by 'memset' while the 'MPI_Isend'
  MPI_Wait(&r, IGNORE);
}

void copied_out(double *x, double *y, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  memcpy(y, x, n * sizeof *x);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is read by 'memcpy' while the 'MPI_Irecv'
  MPI_Wait(&r, IGNORE);
}

void freed(int n, MPI_Comm comm) {
  double *x = malloc(n * sizeof *x);
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  free(x);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is given back by 'free' while the 'MPI_Isend' of line [[@LINE-2]] may still use it: no wait for 'r' [spmd-async-hazard]
  MPI_Wait(&r, IGNORE);
}

void out_of_scope(int n, MPI_Comm comm) {
  MPI_Request r;
  {
    int x = n;
    MPI_Isend(&x, 1, MPI_INT, 1, 0, comm, &r);
  }
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' goes out of scope while the 'MPI_Isend' of line [[@LINE-2]] may still use it: no wait for 'r' [spmd-async-hazard]
  MPI_Wait(&r, IGNORE);
}

static void send_own(int x, MPI_Request *r, MPI_Comm comm) {
  MPI_Isend(&x, 1, MPI_INT, 1, 0, comm, r);
}
void out_of_function(MPI_Comm comm) {
  MPI_Request r;
  send_own(3, &r, comm);
  // CHECK: [[@LINE-1]]:3: error: 'x' goes out of scope while the 'MPI_Isend' of line [[@LINE-5]]
  MPI_Wait(&r, IGNORE);
}

static void begin(double *x, MPI_Request *r, MPI_Comm comm) {
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, r);
}
static void scale(double *x) { x[0] *= 2; }
// CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is read by the host
void by_helpers(double *x, MPI_Comm comm) {
  MPI_Request r;
  begin(x, &r, comm);
  scale(x);
  MPI_Wait(&r, IGNORE);
}

void alias(double *x, MPI_Comm comm) {
  double *second = x + 1;
  MPI_Request r;
  MPI_Isend(x, 2, MPI_DOUBLE, 0, 0, comm, &r);
  *second = 0;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host
  MPI_Wait(&r, IGNORE);
}

struct Particle {
  double x, v;
};
void member(struct Particle *p, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(p, sizeof *p, MPI_BYTE, 0, 0, comm, &r);
  p->v = 0;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'p' is written by the host
  MPI_Wait(&r, IGNORE);
}

void on_one_rank(MPI_Comm comm) {
  int rank, x = 0;
  MPI_Request r;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    MPI_Isend(&x, 1, MPI_INT, 1, 0, comm, &r);
    x = 4;
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host
    MPI_Wait(&r, IGNORE);
  }
}

void wrong_request(double *x, double *y, MPI_Comm comm) {
  MPI_Request r, s;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Irecv(y, 1, MPI_DOUBLE, 0, 1, comm, &s);
  MPI_Wait(&s, IGNORE);
  x[0] = 1;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host {{.*}} no wait for 'r'
  MPI_Wait(&r, IGNORE);
}

void flag_ignored(double *x, MPI_Comm comm) {
  MPI_Request r;
  int done;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Test(&r, &done, IGNORE);
  x[0] = 1;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host
  MPI_Wait(&r, IGNORE);
}

void one_too_few(double *x, MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, 0, 0, comm, &r[0]);
  MPI_Irecv(&x[1], 1, MPI_DOUBLE, 1, 0, comm, &r[1]);
  // CHECK: [[@LINE-1]]:3: error: nothing completes this 'MPI_Irecv' before its request is lost: no wait for 'r[1]' [spmd-async-hazard]
  MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
}

int left_early(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  // CHECK: [[@LINE-1]]:3: error: nothing completes this 'MPI_Irecv' before its request is lost: no wait for 'r' [spmd-async-hazard]
  // CHECK: [[@LINE+1]]:3: note: on one of the ways from here
  if (n == 0)
    return 1;
  MPI_Wait(&r, IGNORE);
  return 0;
}

void overwritten(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Irecv(&x[1], 1, MPI_DOUBLE, 1, 0, comm, &r);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'r' of the 'MPI_Irecv' of line [[@LINE-2]] is overwritten by 'MPI_Irecv', so that nobody can complete the first [spmd-async-hazard]
  MPI_Wait(&r, IGNORE);
}

void overwritten_in_the_next_round(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  for (int i = 0; i < n; ++i)
    MPI_Isend(&x[i], 1, MPI_DOUBLE, i, 0, comm, &r);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'r' of the 'MPI_Isend' of line [[@LINE-1]] is overwritten
  MPI_Wait(&r, IGNORE);
}

void one_buffer_for_two(double *x, int n, MPI_Comm comm) {
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < n; ++i) {
    MPI_Wait(&r[i % 2], IGNORE);
    x[0] = i;
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host while the 'MPI_Isend'
    MPI_Isend(x, 1, MPI_DOUBLE, 0, 0, comm, &r[i % 2]);
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

void before_it_is_polled(double *x, int n, MPI_Comm comm) {
  MPI_Request r = MPI_REQUEST_NULL;
  for (int i = 0; i < n; ++i) {
    x[0] = i;
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host
    MPI_Wait(&r, IGNORE);
    MPI_Isend(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  }
  MPI_Wait(&r, IGNORE);
}

void persistent(double *x, int steps, MPI_Comm comm) {
  MPI_Request r;
  MPI_Send_init(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  for (int i = 0; i < steps; ++i) {
    MPI_Start(&r);
    x[0] = i;
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is written by the host while the 'MPI_Start' of line [[@LINE-2]]
    MPI_Wait(&r, IGNORE);
  }
  MPI_Request_free(&r);
}

void started_twice(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Recv_init(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Start(&r);
  MPI_Start(&r);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'r' is started again while the 'MPI_Start' of line [[@LINE-2]] is active: no wait for 'r' [spmd-async-hazard]
  MPI_Wait(&r, IGNORE);
  MPI_Request_free(&r);
}

void persistent_collective(double *x, double *sum, int steps, MPI_Comm comm) {
  MPI_Request r;
  MPI_Allreduce_init(x, sum, 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &r);
  for (int i = 0; i < steps; ++i) {
    MPI_Start(&r);
    x[0] = sum[0];
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'sum' is read by the host
    MPI_Wait(&r, IGNORE);
  }
  MPI_Request_free(&r);
}

void freed_while_active(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Iallreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_SUM, comm, &r);
  MPI_Request_free(&r);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'r' is given back by 'MPI_Request_free' while the 'MPI_Iallreduce'
}

void never_waited_for(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Ibarrier(comm, &r);
  // CHECK: [[@LINE-1]]:3: error: nothing completes this 'MPI_Ibarrier' before its request is lost
}

int main(int argc, char **argv) {
  MPI_Request r;
  int rank, size, token = 0, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Ireduce(&token, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &r);
  // CHECK: [[@LINE-1]]:3: error: nothing completes this 'MPI_Ireduce' before 'MPI_Finalize': no wait for 'r' [spmd-async-hazard]
  MPI_Finalize();
  return 0;
}
