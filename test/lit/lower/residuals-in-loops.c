// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// A residual that all ranks have, added to each one's part of a product before
// these are summed, is in the sum once per rank: also in a loop over layers,
// where the sum goes into the next one. What a number scales, before or after,
// here or in a callee, may be an average.
#include <math.h>
#include <mpi.h>
#include <spmd/annotations.h>

typedef struct {
  SPMD_TYPE("tp: R") float *x;
  float *xb, *xb2, *hb;
  SPMD_TYPE("tp: V") const float *w;
} State;

void matmul(float *out, const float *x, const float *w, int n, int d) {
  for (int i = 0; i < d; i++) {
    float val = 0.0f;
    for (int j = 0; j < n; j++)
      val += w[i * n + j] * x[j];
    out[i] = val;
  }
}

void rmsnorm(float *out, const float *x, int n) {
  float ss = 0.0f;
  for (int j = 0; j < n; j++)
    ss += x[j] * x[j];
  ss = 1.0f / sqrtf(ss / n + 1e-5f);
  for (int j = 0; j < n; j++)
    out[j] = ss * x[j];
}

void forward(State *s, int layers, int n, int dim, SPMD_AXIS("tp") MPI_Comm comm) {
  float *x = s->x;
  for (int l = 0; l < layers; l++) {
    rmsnorm(s->xb, x, dim);
    matmul(s->hb, s->xb, s->w + l * n * dim, dim, n);
    matmul(s->xb2, s->hb, s->w + l * n * dim, n, dim);
    for (int i = 0; i < dim; i++)
      // CHECK: [[#@LINE+1]]:7: error: 'x[i]' is R and is added to 's->xb2[i]', which is each rank's term of a sum over 'tp', in 'add'
      s->xb2[i] += x[i];
    MPI_Allreduce(MPI_IN_PLACE, s->xb2, dim, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < dim; i++)
      x[i] = s->xb2[i];
  }
}

void behind(State *s, int layers, int n, int dim, SPMD_AXIS("tp") MPI_Comm comm) {
  float *x = s->x;
  for (int l = 0; l < layers; l++) {
    rmsnorm(s->xb, x, dim);
    matmul(s->hb, s->xb, s->w + l * n * dim, dim, n);
    matmul(s->xb2, s->hb, s->w + l * n * dim, n, dim);
    MPI_Allreduce(MPI_IN_PLACE, s->xb2, dim, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < dim; i++)
      x[i] += s->xb2[i];
  }
}

void step(float *w, const float *g, float rate, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= rate * g[i];
}
void scale(float *g, const float *by, int n) {
  for (int i = 0; i < n; i++)
    g[i] *= *by;
}

// An average of gradients, each of which has its decay.
void decayed(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") const float *x, float *g,
             int steps, int n, SPMD_AXIS("dp") MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      g[i] = x[i] * x[i] + w[i];
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
    step(w, g, 0.1f / size, n);
  }
}
void decayedBehindPointer(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") const float *x,
                          float *g, int n, SPMD_AXIS("dp") MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  const float by = 1.0f / size;
  for (int i = 0; i < n; i++)
    g[i] = x[i] * x[i] + w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  scale(g, &by, n);
}
// Without it the decay is there once per rank.
void summed(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") const float *x, float *g,
            int n, SPMD_AXIS("dp") MPI_Comm comm) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:12: error: 'w[i]' is R and is added to 'x[i] * x[i]', which is each rank's term of a sum over 'dp', in 'add'
    g[i] = x[i] * x[i] + w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// Each rank counts what it has seen.
int counted(SPMD_TYPE("dp: V") const float *x, int n, SPMD_AXIS("dp") MPI_Comm comm) {
  int seen = 0, all;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0)
      seen++;
    seen += 1;
  }
  MPI_Allreduce(&seen, &all, 1, MPI_INT, MPI_SUM, comm);
  return all;
}
