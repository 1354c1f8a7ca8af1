// Where all ranks hold weights alike, the largest of the ranks' gradients is no
// step for them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <math.h>
#include <mpi.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;

void momentum([[spmd::type("dp: R")]] float *w,
              [[spmd::type("dp: V")]] const float *x, float *g,
              [[spmd::type("dp: R")]] float *v, int n, float lr) {
  for (int i = 0; i < n; i++)
    g[i] = x[i] * w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++) {
    // CHECK: [[#@LINE+1]]:12: error: 'lr * g[i]' is made of the largest or smallest of the ranks' values on 'dp', and updates what all ranks hold alike: an update is made of the sum of the ranks' gradients [spmd-partial-nonlinear]
    v[i] = 0.9f * v[i] - lr * g[i];
    w[i] += v[i];
  }
}
void adagrad([[spmd::type("dp: R")]] float *w,
             [[spmd::type("dp: V")]] const float *x, float *g,
             [[spmd::type("dp: R")]] float *mem, int n, float lr) {
  for (int i = 0; i < n; i++)
    g[i] = x[i] * w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++) {
    mem[i] += g[i] * g[i];
    // CHECK: [[#@LINE+1]]:5: error: 'lr * g[i] / sqrtf(mem[i] + 1e-8f)' is made of the largest or smallest
    w[i] -= lr * g[i] / sqrtf(mem[i] + 1e-8f);
  }
}
void adam([[spmd::type("dp: R")]] float *w,
          [[spmd::type("dp: V")]] const float *x, float *g, float *m, float *v,
          int n, float lr) {
  for (int i = 0; i < n; i++)
    g[i] = x[i] * w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++) {
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.9f * v[i] + 0.1f * g[i] * g[i];
    float p = w[i];
    // CHECK: [[#@LINE+1]]:5: error: this value is made of the largest or smallest
    p -= lr * (m[i] / (sqrtf(v[i]) + 1e-8f) + 0.01f * p);
    w[i] = p;
  }
}

void inParts([[spmd::type("dp: R")]] float *w,
             [[spmd::type("dp: V")]] const float *g, float *mine, int n, float lr) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Reduce_scatter_block(g, mine, n, MPI_FLOAT, MPI_MAX, comm);
  float *own = w + rank * n;
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: 'lr * mine[i]' is made of the largest or smallest
    own[i] -= lr * mine[i];
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, w, n, MPI_FLOAT, comm);
}

// What is right: shifts, scales, limits and averages of extremes.
void softmax([[spmd::type("dp: V")]] float *x, int n, float *out) {
  float m = -1e9f;
  for (int i = 0; i < n; i++)
    m = fmaxf(m, x[i]);
  MPI_Allreduce(MPI_IN_PLACE, &m, 1, MPI_FLOAT, MPI_MAX, comm);
  float s = 0;
  for (int i = 0; i < n; i++) {
    x[i] = expf(x[i] - m);
    s += x[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; i++)
    x[i] /= s;
}
void center([[spmd::type("dp: R")]] float *pos,
            [[spmd::type("dp: V")]] const float *mine, int n) {
  float lo[3] = {0}, hi[3] = {0};
  for (int i = 0; i < n; i++) {
    lo[i % 3] = fminf(lo[i % 3], mine[i]);
    hi[i % 3] = fmaxf(hi[i % 3], mine[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, lo, 3, MPI_FLOAT, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, hi, 3, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++)
    pos[i] -= 0.5f * (lo[i % 3] + hi[i % 3]);
  for (int i = 0; i < n; i++)
    pos[i] /= (hi[i % 3] - lo[i % 3]);
}
void quantised([[spmd::type("dp: R")]] float *w,
               [[spmd::type("dp: V")]] const float *g, float *q, float *amax,
               int rows, int cols, float lr) {
  for (int r = 0; r < rows; r++) {
    amax[r] = 0;
    for (int c = 0; c < cols; c++)
      amax[r] = fmaxf(amax[r], fabsf(g[r * cols + c]));
  }
  MPI_Allreduce(MPI_IN_PLACE, amax, rows, MPI_FLOAT, MPI_MAX, comm);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++)
      q[r * cols + c] = roundf(g[r * cols + c] / amax[r] * 127);
  MPI_Allreduce(MPI_IN_PLACE, q, rows * cols, MPI_FLOAT, MPI_SUM, comm);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++)
      w[r * cols + c] -= lr * (q[r * cols + c] * (amax[r] / 127));
}
void observer([[spmd::type("dp: R")]] float *amax,
              [[spmd::type("dp: V")]] const float *x, float *cur, int n,
              float k) {
  for (int i = 0; i < n; i++)
    cur[i] = fmaxf(cur[i], fabsf(x[i]));
  MPI_Allreduce(MPI_IN_PLACE, cur, n, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++)
    amax[i] += k * (cur[i] - amax[i]);
}
void observer2([[spmd::type("dp: R")]] float *amax,
               [[spmd::type("dp: V")]] const float *x, float *cur, int n,
               float k) {
  for (int i = 0; i < n; i++)
    cur[i] = fmaxf(cur[i], fabsf(x[i]));
  MPI_Allreduce(MPI_IN_PLACE, cur, n, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++)
    amax[i] = 0.9f * amax[i] + 0.1f * cur[i];
}
void dual([[spmd::type("dp: R")]] float *lambda,
          [[spmd::type("dp: V")]] const float *viol, int n, float rho) {
  float worst = 0;
  for (int i = 0; i < n; i++)
    worst = fmaxf(worst, viol[i]);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_FLOAT, MPI_MAX, comm);
  *lambda -= rho * worst;
}
void clip([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] float *g,
          int n, float lr) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  float m = 0;
  for (int i = 0; i < n; i++)
    m = fmaxf(m, fabsf(g[i]));
  MPI_Allreduce(MPI_IN_PLACE, &m, 1, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; i++)
    w[i] -= lr * g[i] / m;
  for (int i = 0; i < n; i++)
    w[i] -= lr * g[i] * m;
}
