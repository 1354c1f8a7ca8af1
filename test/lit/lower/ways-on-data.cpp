// What data decide, as a loss, they may decide either way: a reduction of
// gradients that hangs on them is left out on one.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cmath>
#include <mpi.h>

struct Job {
  [[spmd::axis("dp")]] MPI_Comm comm;
};
#define WEIGHTS [[spmd::type("dp: R")]] float *w
#define BATCH [[spmd::type("dp: V")]] const float *x

float backward(const float *w, const float *x, float *g, int n) {
  float loss = 0;
  for (int i = 0; i < n; ++i) {
    g[i] = w[i] * x[i];
    loss += g[i];
  }
  return loss;
}
float sum(const Job &job, float loss) {
  MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_FLOAT, MPI_SUM, job.comm);
  return loss;
}
void reduce(const Job &job, float *g, int n) {
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, job.comm);
}

void by_loss(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    // CHECK: [[@LINE+5]]:7: error: the value of 'w' must be R on 'dp', but 'w[i] -= 0.1f * g[i]' is V: the ranks hold different values, which are taken for one [spmd-contract]
    // CHECK: [[@LINE+1]]:9: note: on the way where 'loss > 3.2f' does not hold
    if (loss > 3.2f)
      reduce(job, g, n);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
  }
}
void reduce_if(const Job &job, float *g, float loss, int n) {
  if (!(loss > 3.2f))
    return;
  reduce(job, g, n);
}
void by_loss_in_callee(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    reduce_if(job, g, loss, n);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
    // CHECK: [[@LINE-1]]:7: error: the value of 'w' must be R on 'dp'
    // CHECK: note: on the way where 'loss > 3.2f' does not hold
  }
}

// Right: a step that is left out as a whole, the same condition twice, also
// written otherwise, and what is done besides.
void skipped(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    if (!std::isfinite(loss))
      continue;
    reduce(job, g, n);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
  }
}
void twice(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    if (loss > 3.2f)
      reduce(job, g, n);
    if (loss > 3.2f)
      for (int i = 0; i < n; ++i)
        w[i] -= 0.1f * g[i];
  }
}
void otherwise(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    if (loss > 3.2f)
      reduce(job, g, n);
    if (3.2f < loss)
      for (int i = 0; i < n; ++i)
        w[i] -= 0.1f * g[i];
  }
}
void best(const Job &job, WEIGHTS, BATCH, float *g, float *copy, int n) {
  float least = 1e9f;
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    reduce(job, g, n);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
    if (loss < least) {
      least = loss;
      MPI_Bcast(w, n, MPI_FLOAT, 0, job.comm);
    }
  }
}
void cleared(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  for (int k = 0; k < 10; ++k) {
    const float loss = sum(job, backward(w, x, g, n));
    if (std::isnan(loss))
      for (int i = 0; i < n; ++i)
        g[i] = 0;
    if (loss == loss)
      reduce(job, g, n);
    for (int i = 0; i < n; ++i)
      w[i] -= 0.1f * g[i];
  }
}
void given_up(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  const float loss = sum(job, backward(w, x, g, n));
  if (loss > 100)
    MPI_Abort(job.comm, 1);
  else
    reduce(job, g, n);
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1f * g[i];
}
