// Operations that are completed before anybody minds: no finding.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64
#define IGNORE MPI_STATUS_IGNORE

void written_after_wait(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  MPI_Wait(&r, IGNORE);
  x[0] = 1;
}

double read_while_sent(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 1, 0, comm, &r);
  const double first = x[0];
  MPI_Wait(&r, IGNORE);
  return first;
}

void sent_twice(const double *x, int n, MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Isend(x, n, MPI_DOUBLE, 1, 0, comm, &r[0]);
  MPI_Isend(x, n, MPI_DOUBLE, 2, 0, comm, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

void halo(double *u, int n, MPI_Comm comm) {
  int rank;
  double sum = 0;
  MPI_Request r[4];
  MPI_Comm_rank(comm, &rank);
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, rank - 1, 0, comm, &r[0]);
  MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, rank + 1, 1, comm, &r[1]);
  MPI_Isend(&u[1], 1, MPI_DOUBLE, rank - 1, 1, comm, &r[2]);
  MPI_Isend(&u[n], 1, MPI_DOUBLE, rank + 1, 0, comm, &r[3]);
  for (int i = 1; i <= n; ++i)
    sum += u[i];
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  u[1] = sum;
}

void other_part(MPI_Comm comm) {
  double x[2 * N];
  MPI_Request r;
  MPI_Irecv(x, N, MPI_DOUBLE, 0, 0, comm, &r);
  for (int i = N; i < 2 * N; ++i)
    x[i] = i;
  MPI_Wait(&r, IGNORE);
}

void other_row(MPI_Comm comm) {
  double x[4][N];
  MPI_Request r;
  MPI_Irecv(x[0], N, MPI_DOUBLE, 0, 0, comm, &r);
  for (int i = 0; i < N; ++i)
    x[1][i] = 0;
  MPI_Wait(&r, IGNORE);
}

struct Edges {
  double left[N], right[N];
};
void other_member(struct Edges *e, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(e->left, N, MPI_DOUBLE, 0, 0, comm, &r);
  e->right[0] = 1;
  MPI_Wait(&r, IGNORE);
}

void unknown_part(double *x, int at, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x + at, n, MPI_DOUBLE, 0, 0, comm, &r);
  x[0] = 1;
  MPI_Wait(&r, IGNORE);
}

void neighbours(double *x, int n, int *who, int count, MPI_Comm comm) {
  MPI_Request *r = malloc(count * sizeof *r);
  for (int i = 0; i < count; ++i)
    MPI_Irecv(x + i * n, n, MPI_DOUBLE, who[i], 0, comm, &r[i]);
  MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
  free(r);
  x[0] = 0;
}

void one_by_one(double *x, int n, int count, MPI_Comm comm) {
  MPI_Request r[N];
  for (int i = 0; i < count; ++i)
    MPI_Isend(x + i * n, n, MPI_DOUBLE, i, 0, comm, &r[i]);
  for (int i = 0; i < count; ++i)
    MPI_Wait(&r[i], IGNORE);
}

void some_neighbours(double *x, int left, int right, MPI_Comm comm) {
  MPI_Request r[2];
  int used = 0;
  if (left >= 0)
    MPI_Irecv(&x[0], 1, MPI_DOUBLE, left, 0, comm, &r[used++]);
  if (right >= 0)
    MPI_Irecv(&x[1], 1, MPI_DOUBLE, right, 0, comm, &r[used++]);
  MPI_Waitall(used, r, MPI_STATUSES_IGNORE);
  x[0] = x[1] = 0;
}

void both_conditions(double *x, int left, MPI_Comm comm) {
  MPI_Request r = MPI_REQUEST_NULL;
  if (left >= 0)
    MPI_Irecv(x, 1, MPI_DOUBLE, left, 0, comm, &r);
  if (left >= 0)
    MPI_Wait(&r, IGNORE);
  x[0] = 0;
}

void known_to_go_together(double *x, int left, int pending, MPI_Comm comm) {
  MPI_Request r;
  if (left >= 0)
    MPI_Irecv(x, 1, MPI_DOUBLE, left, 0, comm, &r);
  if (pending)
    MPI_Wait(&r, IGNORE);
  x[0] = 0;
}

void null_is_waited_for(MPI_Comm comm) {
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Wait(&r, IGNORE);
  MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);
}

void double_buffered(double *a, double *b, int steps, MPI_Comm comm) {
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < steps; ++i) {
    double *now = i % 2 ? a : b;
    MPI_Wait(&r[i % 2], IGNORE);
    now[0] = i;
    MPI_Isend(now, 1, MPI_DOUBLE, 0, 0, comm, &r[i % 2]);
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

void polled(double *x, MPI_Comm comm) {
  MPI_Request r;
  int done = 0;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  while (!done)
    MPI_Test(&r, &done, IGNORE);
  x[0] = 1;
}

void tested_then_waited_for(double *x, MPI_Comm comm) {
  MPI_Request r;
  int done;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Test(&r, &done, IGNORE);
  if (done)
    x[0] = 1;
  else
    MPI_Wait(&r, IGNORE);
}

void any(double *x, MPI_Comm comm) {
  MPI_Request r[2];
  int which;
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, 0, 0, comm, &r[0]);
  MPI_Irecv(&x[1], 1, MPI_DOUBLE, 1, 0, comm, &r[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Waitany(2, r, &which, IGNORE);
    x[which] *= 2;
  }
}

void some(double *x, int n, MPI_Comm comm) {
  MPI_Request r[N];
  int number, which[N], left = n;
  for (int i = 0; i < n; ++i)
    MPI_Irecv(&x[i], 1, MPI_DOUBLE, i, 0, comm, &r[i]);
  while (left > 0) {
    MPI_Waitsome(n, r, &number, which, MPI_STATUSES_IGNORE);
    for (int i = 0; i < number; ++i)
      x[which[i]] = 0;
    left -= number;
  }
}

void all_tested(double *x, MPI_Comm comm) {
  MPI_Request r[2];
  int done = 0;
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, 0, 0, comm, &r[0]);
  MPI_Irecv(&x[1], 1, MPI_DOUBLE, 1, 0, comm, &r[1]);
  do
    MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE);
  while (!done);
  x[0] = x[1];
}

void persistent(double *x, int steps, MPI_Comm comm) {
  MPI_Request r;
  MPI_Send_init(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  x[0] = 0;
  for (int i = 0; i < steps; ++i) {
    x[0] = i;
    MPI_Start(&r);
    MPI_Wait(&r, IGNORE);
  }
  MPI_Request_free(&r);
}

void never_started(double *x, MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Send_init(x, 1, MPI_DOUBLE, 0, 0, comm, &r[0]);
  MPI_Recv_init(x + 1, 1, MPI_DOUBLE, 0, 0, comm, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

void started_together(double *x, double *y, int steps, MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Send_init(x, N, MPI_DOUBLE, 0, 0, comm, &r[0]);
  MPI_Recv_init(y, N, MPI_DOUBLE, 0, 0, comm, &r[1]);
  for (int i = 0; i < steps; ++i) {
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    memcpy(x, y, N * sizeof *x);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

void begin(double *x, int n, MPI_Request *r, MPI_Comm comm) {
  MPI_Irecv(x, n, MPI_DOUBLE, 0, 0, comm, r);
}
void end(MPI_Request *r) { MPI_Wait(r, IGNORE); }
void by_helpers(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  begin(x, n, &r, comm);
  end(&r);
  memset(x, 0, n * sizeof *x);
}

void finish_elsewhere(MPI_Request *r);
void by_code_that_is_not_seen(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  finish_elsewhere(&r);
  x[0] = 1;
}

struct Exchange {
  MPI_Request request;
  double *buffer;
};
void of_the_caller(struct Exchange *e, MPI_Comm comm) {
  MPI_Irecv(e->buffer, 1, MPI_DOUBLE, 0, 0, comm, &e->request);
}
MPI_Request handed_back(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  return r;
}

static MPI_Request pending;
void compute(void);
void of_the_file(double *x, MPI_Comm comm) {
  MPI_Wait(&pending, IGNORE);
  x[0] = 0;
  MPI_Isend(x, 1, MPI_DOUBLE, 0, 0, comm, &pending);
  compute();
}

void copied(double *x, MPI_Comm comm) {
  MPI_Request all[2], r;
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(&x[i], 1, MPI_DOUBLE, i, 0, comm, &r);
    all[i] = r;
  }
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  x[0] = 1;
}

void reduced(double *in, double *out, MPI_Comm comm) {
  MPI_Request r;
  MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm, &r);
  const double was = in[0];
  MPI_Wait(&r, IGNORE);
  in[0] = was + out[0];
}

void nobody_there(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &r);
  x[0] = 1;
  MPI_Wait(&r, IGNORE);
}

void nothing_sent(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(x, 0, MPI_DOUBLE, 0, 0, comm, &r);
  x[0] = 1;
  MPI_Wait(&r, IGNORE);
}

int stops(double *x, int n, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, n, MPI_DOUBLE, 0, 0, comm, &r);
  if (n < 0)
    MPI_Abort(comm, 1);
  MPI_Wait(&r, IGNORE);
  return 0;
}

void freed_after(int n, MPI_Comm comm) {
  double *x = malloc(n * sizeof *x);
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Wait(&r, IGNORE);
  free(x);
}

void root_only(MPI_Comm comm) {
  int size, rank;
  double own = 0, *all = NULL;
  MPI_Request r;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank == 0)
    all = malloc(size * sizeof *all);
  MPI_Igather(&own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm, &r);
  MPI_Wait(&r, IGNORE);
  if (rank == 0) {
    printf("%f\n", all[0]);
    free(all);
  }
}

void sent_and_forgotten(double *x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Request_free(&r);
}

int main(int argc, char **argv) {
  MPI_Request r[2];
  int rank, size, token = 0, out;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    MPI_Isend(&token, 1, MPI_INT, 1 % size, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], IGNORE);
  } else if (rank == 1) {
    MPI_Irecv(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Wait(&r[1], IGNORE);
    printf("%d\n", out);
  }
  token = 1;
  MPI_Finalize();
  return token - 1;
}

void requests_of_the_caller(double *x, double *y, MPI_Request *r, int n,
                            MPI_Comm comm) {
  for (int i = 0; i < n; ++i) {
    MPI_Irecv(x + i, 1, MPI_DOUBLE, i, 0, comm, r + i);
    MPI_Isend(y + i, 1, MPI_DOUBLE, i, 0, comm, r + n + i);
  }
  MPI_Waitall(2 * n, r, MPI_STATUSES_IGNORE);
  x[0] = y[0] = 0;
}

void advanced(double *x, MPI_Request *all, int n, MPI_Comm comm) {
  MPI_Request *r = all;
  for (int i = 0; i < n; ++i) {
    MPI_Irecv(x, 8, MPI_DOUBLE, i, 0, comm, r++);
    x += 8;
  }
  for (r = all; r != all + n; ++r)
    MPI_Wait(r, IGNORE);
}

void other_offset(double *x, int n, MPI_Comm comm) {
  double *up = x, *down = x + 2 * n;
  MPI_Request r;
  MPI_Irecv(up + n, 1, MPI_DOUBLE, 0, 0, comm, &r);
  down[n] = 1;
  up[0] = 1;
  MPI_Wait(&r, IGNORE);
}

void swapped(double *a, double *b, int steps, MPI_Comm comm) {
  MPI_Request r = MPI_REQUEST_NULL;
  for (int i = 0; i < steps; ++i) {
    b[0] = i;
    MPI_Wait(&r, IGNORE);
    double *t = a;
    a = b;
    b = t;
    MPI_Isend(a, 1, MPI_DOUBLE, 0, 0, comm, &r);
  }
  MPI_Wait(&r, IGNORE);
}

// Requests in a structure of the caller's, which several functions go on with.
struct progress {
  MPI_Comm comm;
  MPI_Request told, counted;
  int more, n;
  double *mine, *all;
};

void count_mine(struct progress *p) {
  int rank;
  MPI_Comm_rank(p->comm, &rank);
  p->more = rank == 0;
  MPI_Ireduce(p->mine, p->all, p->n, MPI_DOUBLE, MPI_SUM, 0, p->comm,
              &p->counted);
}

void ask_all(struct progress *p) {
  int done = 0;
  if (p->more && p->told == MPI_REQUEST_NULL)
    MPI_Ibcast(&p->more, 1, MPI_INT, 0, p->comm, &p->told);
  else
    MPI_Test(&p->told, &done, IGNORE);
}
