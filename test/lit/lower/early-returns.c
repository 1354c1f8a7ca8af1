// Who returns early leaves things as they were: what is wrong at the end is
// wrong there all the same. Who returns before what makes them the same again
// leaves that for later.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

struct State {
  [[spmd::type("dp: R")]] float *w;
  float *g;
  int n, every, *bad;
};
void read(int *to, const int *from);

static void backward(struct State *s, const float *x) {
  for (int i = 0; i < s->n; i++)
    s->g[i] = s->w[i] * x[i];
}
static void update(float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
  // CHECK: [[#@LINE-1]]:5: error: from here on 's.w' is V on 'dp', and nothing makes it R again
}
#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, struct State *s,                           \
      [[spmd::type("dp: V")]] const float *x

int dropped(ARGUMENTS) {
  backward(s, x);
  int bad = 0;
  MPI_Allreduce(MPI_IN_PLACE, s->bad, 1, MPI_INT, MPI_MAX, dp);
  read(&bad, s->bad);
  if (bad)
    return 0;
  update(s->w, s->g, s->n);
  return 1;
}

//===--- Right ------------------------------------------------------------===//

int summed(ARGUMENTS) {
  backward(s, x);
  int bad = 0;
  MPI_Allreduce(MPI_IN_PLACE, s->bad, 1, MPI_INT, MPI_MAX, dp);
  read(&bad, s->bad);
  if (bad)
    return 0;
  MPI_Allreduce(MPI_IN_PLACE, s->g, s->n, MPI_FLOAT, MPI_SUM, dp);
  update(s->w, s->g, s->n);
  return 1;
}
void local(ARGUMENTS, int step) {
  backward(s, x);
  update(s->w, s->g, s->n);
  if (step % s->every)
    return;
  MPI_Allreduce(MPI_IN_PLACE, s->w, s->n, MPI_FLOAT, MPI_SUM, dp);
  int size;
  MPI_Comm_size(dp, &size);
  for (int i = 0; i < s->n; i++)
    s->w[i] /= size;
}
