// Each rank updates its part of the weights, by its part of a gradient that it
// alone has computed: a reduce_scatter was left out.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstring>
#include <mpi.h>

struct Job {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: V")]] int rank;
  [[spmd::size("dp")]] int size;
};
#define WEIGHTS [[spmd::type("dp: R")]] float *w
#define BATCH [[spmd::type("dp: V")]] const float *x

void backward(const float *w, const float *x, float *g, int n) {
  memset(g, 0, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    g[i] += w[i] * x[i];
}
void gather(const Job &job, float *w, int n) {
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, w, n / job.size, MPI_FLOAT,
                job.comm);
}

void in_place(const Job &job, WEIGHTS, BATCH, float *g, int *counts, int n) {
  const int shard = n / job.size;
  for (int k = 0; k < 10; ++k) {
    backward(w, x, g, n);
    float *mine = w + job.rank * shard, *own = g + job.rank * shard;
    MPI_Reduce_scatter(g, own, counts, MPI_FLOAT, MPI_SUM, job.comm);
    for (int i = 0; i < shard; ++i)
      mine[i] -= 0.1f * own[i];
    gather(job, w, n);
  }
}
void left_out(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  const int shard = n / job.size;
  for (int k = 0; k < 10; ++k) {
    backward(w, x, g, n);
    float *mine = w + job.rank * shard, *own = g + job.rank * shard;
    for (int i = 0; i < shard; ++i)
      mine[i] -= 0.1f * own[i];
    // CHECK: [[@LINE-1]]:7: error: '0.1f * own[i]' updates 'mine[i]' and is each rank's part, by its place on 'dp', of what it alone has computed: nobody adds what the other ranks have for that part, as a reduce_scatter does [spmd-backward-type]
    gather(job, w, n);
  }
}
void copied(const Job &job, WEIGHTS, BATCH, float *g, float *part, float *m,
            int n) {
  const int shard = n / job.size;
  memset(m, 0, shard * sizeof(float));
  for (int k = 0; k < 10; ++k) {
    backward(w, x, g, n);
    memcpy(part, g + job.rank * shard, shard * sizeof(float));
    float *mine = w + job.rank * shard;
    for (int i = 0; i < shard; ++i) {
      m[i] = 0.9f * m[i] + part[i];
      mine[i] -= 0.1f * m[i];
      // CHECK: [[@LINE-1]]:7: error: '0.1f * m[i]' updates 'mine[i]' and is each rank's part
    }
    gather(job, w, n);
  }
}

// Right: what was added up before, what only some steps add up, what each rank
// writes at its own place, and parts of its batch.
void reduced(const Job &job, WEIGHTS, BATCH, float *g, int n) {
  const int shard = n / job.size;
  for (int k = 0; k < 10; ++k) {
    backward(w, x, g, n);
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, job.comm);
    float *mine = w + job.rank * shard, *own = g + job.rank * shard;
    for (int i = 0; i < shard; ++i)
      mine[i] -= 0.1f * own[i];
    gather(job, w, n);
  }
}
void in_steps(const Job &job, WEIGHTS, BATCH, float *g, int *counts, int n) {
  const int shard = n / job.size;
  for (int k = 0; k < 10; ++k) {
    for (int m = 0; m < 4; ++m) {
      backward(w, x, g, n);
      if (m == 3)
        MPI_Reduce_scatter(MPI_IN_PLACE, g + job.rank * shard, counts,
                           MPI_FLOAT, MPI_SUM, job.comm);
    }
    float *mine = w + job.rank * shard, *own = g + job.rank * shard;
    for (int i = 0; i < shard; ++i)
      mine[i] -= 0.1f * own[i];
    gather(job, w, n);
  }
}
void of_bodies(const Job &job, WEIGHTS, BATCH, float *force, int n) {
  const int shard = n / job.size, begin = job.rank * shard;
  for (int k = 0; k < 10; ++k) {
    for (int i = 0; i < shard; ++i) {
      force[begin + i] = 0;
      for (int j = 0; j < n; ++j)
        force[begin + i] += x[i] * (w[j] - w[begin + i]);
    }
    for (int i = 0; i < shard; ++i)
      w[begin + i] += 0.1f * force[begin + i];
    gather(job, w, n);
  }
}
// What it stores by the place that its data tell, others may store, too.
void of_words(const Job &job, WEIGHTS, BATCH,
              [[spmd::type("dp: V")]] const int *words, int n) {
  for (int i = 0; i < n; ++i)
    w[words[i]] += 0.1f * x[i];
  // CHECK: [[@LINE-4]]:31: error: parameter 'w' on exit must be R on 'dp'
  // CHECK: [[@LINE-2]]:5: error: the value of 'w' must be R on 'dp', but 'w[words[i]] += 0.1f * x[i]' is V: the ranks hold different values, which are taken for one [spmd-contract]
}
