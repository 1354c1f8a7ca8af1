// What a local of the outermost scope is declared to be holds until the
// function ends, whoever changes the buffer in place: a callee, some of the
// ranks, or the iterations that reduce nothing.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#define REDUCE(g) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)

void update(float *w, const float *g, int n) {
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1f * g[i];
}
void add_grad(const float *w, const float *x, float *g, int n) {
  for (int i = 0; i < n; ++i)
    g[i] += w[i] * x[i];
}
void zero(float *g, int n) {
  for (int i = 0; i < n; ++i)
    g[i] = 0;
}

struct Job {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: V")]] int rank;
};
#define JOB const Job &job, [[spmd::type("dp: V")]] const float *x, int n, int rounds

void reduced(JOB) {
  const MPI_Comm dp = job.comm;
  [[spmd::type("dp: R")]] float *w = new float[n];
  float *g = new float[n];
  if (job.rank == 0)
    for (int i = 0; i < n; ++i)
      w[i] = 1;
  MPI_Bcast(w, n, MPI_FLOAT, 0, dp);
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    REDUCE(g);
    update(w, g, n);
  }
  delete[] w;
}

void never_reduced(JOB) {
  [[spmd::type("dp: R")]] float *w = new float[n];
  float *g = new float[n];
  zero(w, n);
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    update(w, g, n);
    // CHECK: [[@LINE-1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again, as it is declared, before the function ends: the ranks hold different values, which are taken for one [spmd-contract]
  }
}

void never_sent_round(const Job &job, int n) {
  [[spmd::type("dp: R")]] float *w = new float[n];
  if (job.rank == 0)
    // CHECK: [[@LINE-1]]:7: error: from here on 'w' is V on 'dp', and nothing makes it R again, as it is declared, before the function ends
    for (int i = 0; i < n; ++i)
      w[i] = static_cast<float>(i);
}

void updated_by_one(JOB) {
  const MPI_Comm dp = job.comm;
  [[spmd::type("dp: R")]] float *w = new float[n];
  float *g = new float[n];
  zero(w, n);
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    REDUCE(g);
    if (job.rank == 0)
      // CHECK: [[@LINE-1]]:9: error: from here on 'w' is V on 'dp', and nothing makes it R again
      update(w, g, n);
  }
}

// Of a branch that some ranks take, a callee leaves R what was R, and its parts
// and wholes with it: on those ranks alone.
void use([[spmd::type("dp: R")]] const float *w);
void part_updated_by_one(const Job &job, [[spmd::type("dp: R")]] const float *g, int n) {
  float *w = new float[2 * n];
  zero(w, 2 * n);
  const float *half = w + n;
  if (job.rank == 0)
    update(w, g, 2 * n);
  use(half);
  // CHECK: [[@LINE-1]]:3: error: the argument for 'w' must be R on 'dp', but 'half' is V
}
void whole_updated_by_one(const Job &job, [[spmd::type("dp: R")]] const float *g, int n) {
  float *w = new float[2 * n];
  zero(w, 2 * n);
  if (job.rank == 0)
    update(w + n, g, n);
  use(w);
  // CHECK: [[@LINE-1]]:3: error: the argument for 'w' must be R on 'dp', but 'w' is V
}

//===--- Iterations -------------------------------------------------------===//

#define TRAIN JOB, [[spmd::type("dp: R")]] float *w, float *g, int every

void in_the_first(TRAIN) {
  // CHECK: [[@LINE-1]]:19: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  // CHECK: note: in iterations where 'k' is not 0
  const MPI_Comm dp = job.comm;
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    if (k == 0)
      REDUCE(g);
    update(w, g, n);
  }
}

void now_and_then(JOB, float *g) {
  const MPI_Comm dp = job.comm;
  [[spmd::type("dp: R")]] float *w = new float[n];
  zero(w, n);
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    if (k % 10 == 0)
      REDUCE(g);
    update(w, g, n);
    // CHECK: [[@LINE-1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again
    // CHECK: note: in iterations where 'k % 10' is not 0
  }
}

// Right: the update hangs on the same number, on another one that may be the
// same, or comes behind the loop that reduces in its last iteration.
void accumulated(TRAIN) {
  const MPI_Comm dp = job.comm;
  zero(g, n);
  for (int k = 0; k < rounds; ++k) {
    add_grad(w, x, g, n);
    if ((k + 1) % every == 0) {
      REDUCE(g);
      update(w, g, n);
      zero(g, n);
    }
  }
}
void by_a_flag(TRAIN) {
  const MPI_Comm dp = job.comm;
  zero(g, n);
  for (int k = 0; k < rounds; ++k) {
    add_grad(w, x, g, n);
    const bool last = (k + 1) % every == 0;
    if (last)
      REDUCE(g);
    if (k % every == every - 1) {
      update(w, g, n);
      zero(g, n);
    }
  }
}
void in_the_last(TRAIN) {
  const MPI_Comm dp = job.comm;
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    for (int m = 0; m < every; ++m) {
      add_grad(w, x, g, n);
      if (m == every - 1)
        REDUCE(g);
    }
    update(w, g, n);
  }
}
// What each rank updates by itself is made one now and then, and at the end.
void averaged(TRAIN) {
  const MPI_Comm dp = job.comm;
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    update(w, g, n);
    if (k % every == 0)
      REDUCE(w);
  }
  REDUCE(w);
}

//===--- Where functions and loops end ------------------------------------===//

// Who returns before it is declared leaves nothing of it; a loop of two
// conditions has a round, whichever ends it.
int after_an_early_return(JOB) {
  if (n == 0)
    return 1;
  [[spmd::type("dp: R")]] float *w = new float[n];
  float *g = new float[n];
  zero(w, n);
  bool done = false;
  for (int k = 0; k < rounds && !done; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    update(w, g, n);
    // CHECK: [[@LINE-1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again
    done = k > 7;
  }
  return 0;
}

// What the command line says holds for the whole run.
int atoi(const char *);
void as_told(JOB, int argc, char **argv) {
  const MPI_Comm dp = job.comm;
  MPI_Init(&argc, &argv);
  bool reduce = argc > 2 ? atoi(argv[2]) != 0 : true;
  [[spmd::type("dp: R")]] float *w = new float[n];
  float *g = new float[n];
  zero(w, n);
  for (int k = 0; k < rounds; ++k) {
    zero(g, n);
    add_grad(w, x, g, n);
    if (reduce)
      REDUCE(g);
    update(w, g, n);
    // CHECK: [[@LINE-1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again
    // CHECK: note: on the way where 'reduce' is false
  }
}
