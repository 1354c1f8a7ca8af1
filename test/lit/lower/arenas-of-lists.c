// Lists of pointers, members of a struct, that a callee makes point into one
// allocation: by its members, by a variable, by another function, or all but
// one of them.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM -DWALK 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM -DBY_VARIABLE 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM -DBY_FUNCTION 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM -DONE_ELSEWHERE 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DEACH 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DWALK 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DBY_VARIABLE 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DBY_FUNCTION 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DONE_ELSEWHERE 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DEACH -DBUT_FIRST 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DEACH -DBUT_LAST 2>&1 | FileCheck %s

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { W, B, N };
struct model {
  [[spmd::type("dp: R")]] float *mem;
  float *gmem, *p[N], *g[N];
};

#ifdef BY_FUNCTION
static void fill(float **list, float *at, int n) {
  for (int i = 0; i < N; i++)
    list[i] = at + i * n;
}
#endif
static void point(struct model *m, int n) {
  m->mem = malloc(2 * n * sizeof(float));
  m->gmem = malloc(2 * n * sizeof(float));
#if defined(WALK)
  float *p = m->mem, *g = m->gmem;
  for (int i = 0; i < N; i++) {
    m->p[i] = p;
    m->g[i] = g;
    p += n;
    g += n;
  }
#elif defined(BY_VARIABLE)
  float *p = malloc(2 * n * sizeof(float)), *g = malloc(2 * n * sizeof(float));
  m->mem = p;
  m->gmem = g;
  for (int i = 0; i < N; i++, p += n, g += n) {
    m->p[i] = p;
    m->g[i] = g;
  }
#elif defined(BY_FUNCTION)
  fill(m->p, m->mem, n);
  fill(m->g, m->gmem, n);
#elif defined(ONE_ELSEWHERE)
  m->p[W] = m->mem;
  m->p[B] = m->p[W] + n;
  m->g[W] = m->gmem;
  m->g[B] = malloc(n * sizeof(float));
#else
  m->p[W] = m->mem;
  m->p[B] = m->mem + n;
  m->g[W] = m->gmem;
  m->g[B] = m->gmem + n;
#endif
}

static void backward(struct model *m, const float *x, int n) {
  for (int i = 0; i < n; i++) {
    m->g[W][i] += m->p[W][i] * x[i];
    m->g[B][i] += m->p[B][i] * x[i];
  }
}

void train([[spmd::type("dp: V")]] const float *x, int n,
           [[spmd::axis("dp")]] MPI_Comm dp) {
  struct model m;
  point(&m, n);
  for (int i = 0; i < 2 * n; i++)
    m.mem[i] = .1f * i;
  for (int s = 0; s < 10; s++) {
    memset(m.gmem, 0, 2 * n * sizeof(float));
    for (int i = 0; i < n; i++) {
      m.g[W][i] += m.p[W][i] * x[i];
      m.g[B][i] += m.p[B][i] * x[i];
    }
#ifdef SUM
    MPI_Allreduce(MPI_IN_PLACE, m.gmem, 2 * n, MPI_FLOAT, MPI_SUM, dp);
#endif
#if defined(EACH) && !defined(BUT_FIRST)
    MPI_Allreduce(MPI_IN_PLACE, m.g[W], n, MPI_FLOAT, MPI_SUM, dp);
#endif
#if defined(EACH) && !defined(BUT_LAST)
    MPI_Allreduce(MPI_IN_PLACE, m.g[B], n, MPI_FLOAT, MPI_SUM, dp);
#endif
    for (int i = 0; i < 2 * n; i++)
      // CHECK: [[#@LINE+1]]:7: error: {{.*}}'m.mem'
      m.mem[i] -= .1f * m.gmem[i];
  }
}

// Of a struct that the function is given.
void given(struct model *m, [[spmd::type("dp: V")]] const float *x, int n,
           [[spmd::axis("dp")]] MPI_Comm dp) {
  point(m, n);
  for (int i = 0; i < 2 * n; i++)
    m->mem[i] = .1f * i;
  memset(m->gmem, 0, 2 * n * sizeof(float));
  backward(m, x, n);
#if defined(SUM) || defined(EACH)
  MPI_Allreduce(MPI_IN_PLACE, m->gmem, 2 * n, MPI_FLOAT, MPI_SUM, dp);
#endif
  for (int i = 0; i < 2 * n; i++)
    // ALL: [[#@LINE+1]]:5: error: {{.*}}'m.mem'
    m->mem[i] -= .1f * m->gmem[i];
}
