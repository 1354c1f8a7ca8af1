// Raw pointers, NCCL behind a macro, MPI, offsets by rank.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <spmd/annotations.h>
#include <vector>

#define NCCLCHECK(x)                                                           \
  do {                                                                         \
    ncclResult_t r = (x);                                                      \
    if (r != ncclSuccess)                                                      \
      exit(1);                                                                 \
  } while (0)

struct Trainer {
  SPMD_AXIS("dp") ncclComm_t comm;
  SPMD_TYPE("dp: P") float *grads;
  SPMD_TYPE("dp: R") float *params;
  int rank, nranks;
  size_t n;
  cudaStream_t stream;

  void sync([[spmd::type("dp: P -> dp: I")]] float *g, size_t count) {
    NCCLCHECK(ncclAllReduce(g, g, count, ncclFloat, ncclSum, comm, stream));
  }
  void forgot([[spmd::type("dp: P -> dp: I")]] float *g, size_t count) {
    if (count == 0)
      return;
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: parameter 'g' on exit must be I on
    // 'dp', but 'g' is P{{.*}} [spmd-contract]
    for (size_t i = 0; i < count; ++i)
      g[i] *= 0.5f;
  }
  void update([[spmd::type("dp: R")]] float *w,
              [[spmd::type("dp: P")]] float *g, float lr) {
    for (size_t i = 0; i < n; ++i)
      w[i] -= lr * g[i];
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'w[i]' is R{{.*}}
    // [spmd-partial-add]
  }
  void twice([[spmd::type("dp: P")]] float *g) {
    NCCLCHECK(ncclAllReduce(g, g, n, ncclFloat, ncclSum, comm, stream));
    NCCLCHECK(ncclAllReduce(g, g, n, ncclFloat, ncclSum, comm, stream));
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: all_reduce on 'dp' takes V or P, but
    // 'g' is R or I{{.*}} [spmd-src-type]
  }
  void zero([[spmd::type("dp: R")]] float *w,
            [[spmd::type("dp: P")]] float *g) {
    size_t chunk = n / nranks;
    int r;
    ncclCommUserRank(comm, &r);
    float *mine = g + r * chunk;
    NCCLCHECK(
        ncclReduceScatter(g, mine, chunk, ncclFloat, ncclSum, comm, stream));
    float *wmine = w + r * chunk;
    for (size_t i = 0; i < chunk; i++)
      wmine[i] -= 0.1f * mine[i];
    NCCLCHECK(ncclAllGather(wmine, w, chunk, ncclFloat, comm, stream));
  }
};

float mean_loss([[spmd::type("dp: V")]] float local,
                SPMD_AXIS("dp") MPI_Comm comm) {
  float sum = 0;
  MPI_Allreduce(&local, &sum, 1, MPI_FLOAT, MPI_SUM, comm);
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_FLOAT, MPI_SUM, comm);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: all_reduce on 'dp' takes V or P, but
  // 'sum' is R or I{{.*}} [spmd-src-type]
  return sum / size;
}
