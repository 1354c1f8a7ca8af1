// A loop that has no round changes nothing; what it is for is what its body
// does. What one branch does another need not do.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <nccl.h>
#include <torch/torch.h>
#include <vector>

void update([[spmd::type("dp: R -> dp: R")]] float *w,
            [[spmd::type("dp: V")]] const float *g, int n) {
  for (int j = 0; j < n; ++j)
    // CHECK: [[#@LINE+1]]:5: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
    w[j] -= 0.1f * g[j];
}
void steps([[spmd::type("dp: R -> dp: R")]] float *w,
           [[spmd::type("dp: V")]] const float *g, int n, int steps) {
  while (steps--)
    for (int j = 0; j < n; ++j)
      // CHECK: [[#@LINE+1]]:7: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
      w[j] -= 0.1f * g[j];
}
// MPI_Reduce leaves the sum on one rank.
void onRoot([[spmd::type("dp: R -> dp: R")]] float *w,
            [[spmd::type("dp: P")]] float *g, int n,
            [[spmd::axis("dp")]] MPI_Comm dp) {
  MPI_Reduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, 0, dp);
  for (int j = 0; j < n; ++j)
    // CHECK: [[#@LINE+1]]:5: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
    w[j] -= 0.1f * g[j];
}
void onRootThenAll([[spmd::type("dp: R -> dp: R")]] float *w,
                   [[spmd::type("dp: P")]] float *g, int n, int rank,
                   [[spmd::axis("dp")]] MPI_Comm dp) {
  MPI_Reduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, 0, dp);
  if (rank == 0)
    for (int j = 0; j < n; ++j)
      w[j] -= 0.1f * g[j];
  MPI_Bcast(w, n, MPI_FLOAT, 0, dp);
}

// What comes round of a wrong step does not make it right.
void unreduced([[spmd::type("dp: R")]] std::vector<double> &w,
               [[spmd::type("dp: P")]] const std::vector<double> &g,
               double lr) {
  for (size_t i = 0; i < w.size(); ++i)
    // CHECK: [[#@LINE+1]]:5: error: 'w[i]' is R and is added to 'lr * g[i]', which is P on 'dp', in 'sub'
    w[i] -= lr * g[i];
}
void momentum([[spmd::type("dp: R")]] at::Tensor m,
              [[spmd::type("dp: P")]] const at::Tensor &g, int steps) {
  for (int i = 0; i < steps; ++i)
    // CHECK: [[#@LINE+1]]:10: error: 'm' is R and is added to 'g', which is P on 'dp', in 'add'
    m = (m + g) * 0.9;
}

// Found in what is called as well.
static void apply(float *w, const float *g, int n) {
  for (int j = 0; j < n; ++j)
    w[j] -= g[j];
}
// CHECK: [[#@LINE+1]]:25: error: parameter 'weights' on exit must be R on 'dp', but 'weights' is V
void train([[spmd::type("dp: R -> dp: R")]] float *weights,
           [[spmd::type("dp: V")]] const float *g, int n) {
  apply(weights, g, n);
}

// On one rank there is nothing to reduce; the other branch does it.
void perhapsAlone([[spmd::type("dp: R -> dp: R")]] float *w,
                  [[spmd::type("dp: V")]] float *g, int n, int ranks,
                  [[spmd::axis("dp")]] MPI_Comm dp) {
  if (ranks > 1)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
  for (int j = 0; j < n; ++j)
    w[j] -= g[j];
}
void perhapsAloneInBranches([[spmd::type("dp: R -> dp: R")]] float *w,
                            [[spmd::type("dp: V")]] float *g, int n, int ranks,
                            [[spmd::axis("dp")]] MPI_Comm dp) {
  if (ranks == 1) {
    for (int j = 0; j < n; ++j)
      w[j] -= g[j];
    return;
  }
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
  for (int j = 0; j < n; ++j)
    w[j] -= g[j];
}
// What is torn in each round is made whole after it, or in the next one.
void sharded([[spmd::type("dp: R -> dp: R")]] float *w,
             [[spmd::type("dp: V")]] const float *g, int n, int steps,
             [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
  int rank;
  ncclCommUserRank(dp, &rank);
  for (int step = 0; step < steps; ++step) {
    for (int j = 0; j < n; ++j)
      w[rank * n + j] -= g[j];
    ncclAllGather(w + rank * n, w, n, ncclFloat, dp, s);
  }
}
void inChunks([[spmd::type("dp: R -> dp: R")]] float *w,
              [[spmd::type("dp: V")]] const float *g, int n, int chunks,
              [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s) {
  for (int j = 0; j < n; ++j)
    w[j] = g[j];
  for (int c = 0; c < chunks; ++c)
    ncclAllReduce(w + c * n, w + c * n, n, ncclFloat, ncclSum, dp, s);
}
void unlessFrozen([[spmd::type("dp: R -> dp: R")]] float *w,
                  [[spmd::type("dp: V")]] const float *g, const bool *frozen,
                  int n) {
  for (int j = 0; j < n; ++j)
    if (!frozen[j])
      w[j] -= g[j];
}

// An update of a rank's own part, in one expression.
void ownPart([[spmd::type("dp: R")]] at::Tensor &w,
             [[spmd::type("dp: V")]] const at::Tensor &u, int64_t n,
             [[spmd::axis("dp")]] ncclComm_t dp) {
  int rank;
  ncclCommUserRank(dp, &rank);
  // CHECK: [[#@LINE+1]]:3: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  w.narrow(0, rank * n, n).sub_(u);
}

// Nobody says that \p rank is one; but what is written differs anyhow.
struct Shards {
  int rank, n;
  [[spmd::axis("dp")]] ncclComm_t dp;
  [[spmd::type("dp: V")]] float *momentum;
  cudaStream_t stream;
  void update([[spmd::type("dp: R -> dp: R")]] float *w) {
    float *own = w + rank * n;
    for (int j = 0; j < n; ++j)
      own[j] -= momentum[j];
    ncclAllGather(own, w, n, ncclFloat, dp, stream);
  }
  void forgotGather([[spmd::type("dp: R -> dp: R")]] float *w) {
    float *own = w + rank * n;
    for (int j = 0; j < n; ++j)
      // CHECK: [[#@LINE+1]]:7: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
      own[j] -= momentum[j];
  }
  // The same in what is called with the part.
  // CHECK: [[#@LINE+1]]:37: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  void forgotAfterCall([[spmd::type("dp: R -> dp: R")]] float *w) {
    apply(w + rank * n, momentum, n);
  }
  void gatherAfterCall([[spmd::type("dp: R -> dp: R")]] float *w) {
    apply(w + rank * n, momentum, n);
    ncclAllGather(w + rank * n, w, n, ncclFloat, dp, stream);
  }
  void layers([[spmd::type("dp: R -> dp: R")]] float *w,
              [[spmd::type("dp: R")]] const float *g, int layer) {
    float *own = w + layer * n;
    for (int j = 0; j < n; ++j)
      own[j] -= g[j];
  }
};
