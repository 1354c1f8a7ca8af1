// Shards of a whole are other elements on each rank: neither are they added up,
// nor is one of them sent to all.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

struct Job {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::axis("node")]] MPI_Comm node;
  [[spmd::size("dp")]] int size;
};
#define SHARD [[spmd::type("dp: S(0)")]] float *shard

void again(const Job &job, float *g, float *part, int *counts, int n) {
  MPI_Reduce_scatter(g, part, counts, MPI_FLOAT, MPI_SUM, job.comm);
  MPI_Allreduce(MPI_IN_PLACE, part, n, MPI_FLOAT, MPI_SUM, job.comm);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'dp' adds up 'part', of which each rank has another shard: elements that have nothing to do with each other are added [spmd-src-type]
  // CHECK: [[@LINE-3]]:3: note: 'part' is V on 'dp': result of this reduce_scatter
}
void declared(const Job &job, SHARD, float *sum, int n) {
  MPI_Allreduce(shard, sum, n, MPI_FLOAT, MPI_SUM, job.comm);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'dp' adds up 'shard', of which each rank has another shard
}
void sent(const Job &job, SHARD, int n) {
  MPI_Bcast(shard, n, MPI_FLOAT, 0, job.comm);
  // CHECK: [[@LINE-1]]:3: error: broadcast on 'dp' sends round 'shard', of which each rank has another shard: all ranks would have that of one [spmd-src-type]
}

// Right: over other ranks, a norm of shards, and the buffer used anew.
void over_nodes(const Job &job, float *g, float *part, int *counts, int n) {
  MPI_Reduce_scatter(g, part, counts, MPI_FLOAT, MPI_SUM, job.comm);
  MPI_Allreduce(MPI_IN_PLACE, part, n, MPI_FLOAT, MPI_SUM, job.node);
}
float norm(const Job &job, SHARD, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += shard[i] * shard[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_FLOAT, MPI_SUM, job.comm);
  return sum;
}
void used_anew(const Job &job, float *g, float *part, const float *x,
               int *counts, int n) {
  MPI_Reduce_scatter(g, part, counts, MPI_FLOAT, MPI_SUM, job.comm);
  for (int i = 0; i < n; ++i)
    part[i] = x[i];
  MPI_Allreduce(MPI_IN_PLACE, part, n, MPI_FLOAT, MPI_SUM, job.comm);
}
// Each rank sends a copy of its shard round in turn.
void in_turn(const Job &job, SHARD, float *whole, float *turn, int rank,
             int n) {
  for (int k = 0; k < job.size; ++k) {
    for (int i = 0; i < n && k == rank; ++i)
      turn[i] = shard[i];
    MPI_Bcast(turn, n, MPI_FLOAT, k, job.comm);
    for (int i = 0; i < n; ++i)
      whole[k * n + i] = turn[i];
  }
}
