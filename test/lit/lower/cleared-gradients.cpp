// What updates the weights by nothing but zeros: the gradient never got there.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cmath>
#include <cstring>
#include <iostream>
#include <mpi.h>
#include <vector>

struct Job {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: V")]] int rank;
  [[spmd::size("dp")]] int size;
};
struct Layer {
  [[spmd::type("dp: S(0)")]] float *shard;
  float *d_shard, *m, *v;
  float *d_whole; // one rank's terms
};
#define BATCH [[spmd::type("dp: V")]] const float *x

Layer make(int n) {
  Layer l;
  l.shard = new float[n];
  l.d_shard = new float[n];
  l.d_whole = new float[n];
  l.m = new float[n];
  l.v = new float[n];
  memset(l.m, 0, n * sizeof(float));
  memset(l.v, 0, n * sizeof(float));
  return l;
}
void zero_grad(Layer &l, int n) { memset(l.d_shard, 0, n * sizeof(float)); }
void backward(Layer &l, const float *x, int n) {
  for (int i = 0; i < n; ++i)
    l.d_whole[i] += x[i];
}
void scatter(const Job &job, Layer &l, int *counts) {
  MPI_Reduce_scatter(l.d_whole, l.d_shard, counts, MPI_FLOAT, MPI_SUM,
                     job.comm);
}
void step(Layer &l, int n, float rate) {
  for (int i = 0; i < n; ++i)
    l.shard[i] -= rate * l.d_shard[i];
  // CHECK: [[@LINE-1]]:5: error: 'rate * l.d_shard[i]' updates 'l.shard[i]' and holds nothing but zeros here, or nothing at all, on every rank: the gradient was never put there, or was cleared before its use [spmd-backward-type]
  // CHECK: note: with the types of this call in 'never_scattered'
}

void scattered(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    backward(l, x, n);
    scatter(job, l, counts);
    step(l, n, 0.1f);
  }
}
void never_scattered(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    backward(l, x, n);
    std::cout << k << '\n';
    step(l, n, 0.1f);
  }
}
void cleared_behind(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    backward(l, x, n);
    scatter(job, l, counts);
    zero_grad(l, n);
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
    // CHECK: [[@LINE-1]]:7: error: '0.1f * l.d_shard[i]' updates 'l.shard[i]' and holds nothing but zeros
  }
}
// Nor do zeros become something else by a collective.
void scattered_before(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    memset(l.d_whole, 0, n * sizeof(float));
    scatter(job, l, counts);
    backward(l, x, n);
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
    // CHECK: [[@LINE-1]]:7: error: '0.1f * l.d_shard[i]' updates 'l.shard[i]' and holds nothing but zeros
  }
}
void with_adam(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    memset(l.d_shard, 0, n * sizeof(float));
    backward(l, x, n);
    for (int i = 0; i < n; ++i) {
      const float g = l.d_shard[i] / job.size;
      l.m[i] = 0.9f * l.m[i] + 0.1f * g;
      l.v[i] = 0.99f * l.v[i] + 0.01f * g * g;
      l.shard[i] -= 0.1f * (l.m[i] / (sqrtf(l.v[i]) + 1e-8f));
      // CHECK: [[@LINE-1]]:7: error: this value updates 'l.shard[i]' and holds nothing but zeros
    }
  }
}
// A container begins with zeros.
class Regression {
public:
  Regression(const Job &job, int n)
      : job_(job), weights_(n), terms_(n), sum_(n) {}
  void fit(BATCH, int n) {
    for (int i = 0; i < n; ++i)
      terms_[i] += x[i];
    if (job_.rank == 0)
      for (int i = 0; i < n; ++i)
        weights_[i] -= 0.1f * sum_[i];
    // CHECK: [[@LINE-1]]:9: error: '0.1f * sum_[i]' updates 'weights_[i]' and holds nothing but zeros
    MPI_Bcast(weights_.data(), n, MPI_FLOAT, 0, job_.comm);
  }

private:
  Job job_;
  [[spmd::type("dp: R")]] std::vector<float> weights_;
  std::vector<float> terms_, sum_;
};
void regress(const Job &job, BATCH, int n) {
  Regression model(job, n);
  model.fit(x, n);
}

// Right: cleared in the first of several steps, a number that is zero, and what
// is frozen on one way.
void in_steps(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    for (int m = 0; m < 4; ++m) {
      if (m == 0)
        memset(l.d_whole, 0, n * sizeof(float));
      backward(l, x, n);
    }
    scatter(job, l, counts);
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
  }
}
void decayed(const Job &job, BATCH, int *counts, int n) {
  Layer l = make(n);
  float decay = 0.0f;
  decay = 0.0f;
  for (int k = 0; k < 10; ++k) {
    backward(l, x, n);
    scatter(job, l, counts);
    for (int i = 0; i < n; ++i) {
      l.shard[i] -= 0.1f * decay * l.shard[i];
      l.shard[i] -= 0.1f * l.d_shard[i];
    }
  }
}
void frozen(const Job &job, BATCH, int *counts, int n, bool train) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    if (train) {
      backward(l, x, n);
      scatter(job, l, counts);
    }
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
  }
}

// Or others may have put something there: code that is not seen and has a
// pointer, or had one, and pointers to who knows what.
void fill(float *gradient, int n);
void keep(float *gradient);
void run_kept(Layer &other);
void filled(const Job &job, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    fill(l.d_shard, n);
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
  }
}
void kept(const Job &job, Layer &other, int n) {
  Layer l = make(n);
  keep(l.d_shard);
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    run_kept(other);
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
  }
}
void pointed_to(const Job &job, BATCH, float **parts, int n) {
  Layer l = make(n);
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    for (int i = 0; i < n; ++i)
      parts[k][i] += x[i];
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
  }
}
void given(const Job &job, Layer &l, int n) {
  for (int k = 0; k < 10; ++k) {
    zero_grad(l, n);
    for (int i = 0; i < n; ++i)
      l.shard[i] -= 0.1f * l.d_shard[i];
  }
}
