// Micro steps that tell the function which reduces which one is the last.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DNEXT 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DREST 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DNAMED 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DLEAVES 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DTWO 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DHANDED 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DNUMBERS 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DNEVER 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DALWAYS 2>&1 | FileCheck %s --check-prefix=ALWAYS

#include <mpi.h>
#include <string.h>

#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]

#ifdef NUMBERS
static void backward(const float *w, const float *x, float *g, int n,
                     MPI_Comm comm, int micro, int accum) {
  const int last = micro == accum - 1;
#else
static void backward(const float *w, const float *x, float *g, int n,
                     MPI_Comm comm, int last) {
#endif
  for (int i = 0; i < n; i++)
    // ALWAYS: [[#@LINE+1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]'
    g[i] += w[i] * x[i];
#ifdef LEAVES
  if (!last)
    return;
#else
  if (last)
#endif
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}
#ifdef HANDED
static void pass(const float *w, const float *x, float *g, int n, MPI_Comm comm,
                 int last) {
  backward(w, x, g, n, comm, last);
}
#endif

void train([[spmd::axis("dp")]] MPI_Comm comm, R float *w, V const float *x,
           float *g, int n, int accum) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++) {
    const float *here = x + micro * n;
#if defined(NEXT)
    backward(w, here, g, n, comm, micro + 1 == accum);
#elif defined(REST)
    backward(w, here, g, n, comm, (micro + 1) % accum == 0);
#elif defined(NAMED)
    const int last = micro == accum - 1;
    backward(w, here, g, n, comm, last);
#elif defined(TWO)
    if (micro == accum - 1)
      backward(w, here, g, n, comm, 1);
    else
      backward(w, here, g, n, comm, 0);
#elif defined(HANDED)
    pass(w, here, g, n, comm, micro == accum - 1);
#elif defined(NUMBERS)
    backward(w, here, g, n, comm, micro, accum);
#elif defined(NEVER)
    backward(w, here, g, n, comm, 0);
#elif defined(ALWAYS)
    backward(w, here, g, n, comm, 1);
#else
    backward(w, here, g, n, comm, micro == accum - 1);
#endif
  }
  for (int i = 0; i < n; i++)
    // NEVER: [[#@LINE+1]]:5: error: {{.*}}'w'
    w[i] -= 0.01f * g[i];
}
