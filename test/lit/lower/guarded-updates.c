// A helper that updates a buffer on one way only leaves it either: each way is
// looked at by itself.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <spmd/annotations.h>

int sgd(const float *grad, int gn, float *param, int pn) {
  if (gn != pn)
    return 3;
  for (int i = 0; i < pn; ++i)
    param[i] -= 0.1f * grad[i];
  return 0;
}

// CHECK: [[#@LINE+4]]:25: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
// CHECK: :12:5: note: 'w' is V on 'dp': result of this 'sub'
// CHECK: [[#@LINE+2]]:25: note: declared to be R on 'dp' here
// CHECK: :9:7: note: on the way where 'gn == pn' is true
int forgotten(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") float *g, int gn, int n) {
  return sgd(g, gn, w, n);
}

int reduced(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") float *g, int gn, int n,
            SPMD_AXIS("dp") MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, g, gn, MPI_FLOAT, MPI_SUM, comm);
  return sgd(g, gn, w, n);
}

// What else is asked of a number may have to do with it.
int neverEqual(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") float *g, int gn, int n) {
  if (n == gn)
    return 0;
  return sgd(g, gn, w, n);
}
int neverSo(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") float *g, int gn, int n) {
  n = gn + 1;
  return sgd(g, gn, w, n);
}

// Both ways lead to the same.
void mended(float *param, const float *grad, int n, int local) {
  if (local)
    for (int i = 0; i < n; ++i)
      param[i] -= grad[i];
}
void afterwards(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") float *g, int n, int local,
                SPMD_AXIS("dp") MPI_Comm comm) {
  mended(w, g, n, local);
  if (local)
    MPI_Bcast(w, n, MPI_FLOAT, 0, comm);
}
