// What a helper uploads to where its caller's pointer is: its own part for each rank, where that is declared.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWHOLE %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error: --check-prefix=WHOLE
// RUN: not %spmd-tidy --quiet %s -- -DFIRST %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error: --check-prefix=FIRST
// RUN: not %spmd-tidy --quiet %s -- -DPARTS %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error: --check-prefix=PARTS
#include <cuda_fp16.h>
#include <nccl.h>

#include <cstring>
#include <vector>

struct Host {
  float *head, **q, *offsets;
};
struct Weights {
  [[spmd::type("tp: R")]] __half *head;
  [[spmd::type("tp: S(0)")]] __half **q;
  [[spmd::type("tp: S(1)")]] __half *out;
  [[spmd::type("tp: S(0)")]] __half *ones;
  [[spmd::type("tp: V")]] __half *own;
};

static void upload(Weights &w, [[spmd::type("tp: R")]] const Host &host, int n, int layers,
                   [[spmd::type("tp: V")]] int rank, [[spmd::size("tp")]] int ranks) {
  auto part = [&](__half **dst, const float *src) {
    int size = n / ranks;
#ifdef FIRST
    int begin = 0;
#else
    int begin = rank * size;
#endif
    cudaMalloc(dst, size * sizeof(__half));
    // PARTS: :[[#@LINE+1]]:{{.*}}error: from here on 'w.head' is V on 'tp', and nothing makes it R again
    cudaMemcpy(*dst, (const __half *)src + begin, size * sizeof(__half), cudaMemcpyHostToDevice);
  };
  auto rows = [&](__half **dst, const float *src) {
    int size = n / ranks;
    std::vector<__half> mine(n * size);
    for (int i = 0; i < n; i++)
      memcpy(mine.data() + i * size, (const __half *)src + i * n + rank * size, size * sizeof(__half));
    cudaMalloc(dst, n * size * sizeof(__half));
    cudaMemcpy(*dst, mine.data(), n * size * sizeof(__half), cudaMemcpyHostToDevice);
  };
  auto whole = [](__half **dst, const float *src, int n) {
    cudaMalloc(dst, n * sizeof(__half));
    cudaMemcpy(*dst, src, n * sizeof(__half), cudaMemcpyHostToDevice);
  };
  // The same numbers in each part are a whole, too.
  auto constant = [](__half **dst, int n) {
    std::vector<__half> ones(n, __float2half(1.0f));
    cudaMalloc(dst, n * sizeof(__half));
    cudaMemcpy(*dst, ones.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
  };
#ifdef PARTS
  part(&w.head, host.head);
#else
  whole(&w.head, host.head, n);
#endif
  w.q = new __half *[layers];
  for (int l = 0; l < layers; l++) {
#ifdef WHOLE
    // WHOLE: :[[#@LINE+1]]:5: error: the value stored in 'w.q' must be S(0) on 'tp', but 'w.q[l]' is R: all ranks hold the same, which is taken for each one's own [spmd-contract]
    whole(&w.q[l], host.q[l], n);
#else
    // FIRST: :[[#@LINE+1]]:5: error: the value stored in 'w.q' must be S(0) on 'tp', but 'w.q[l]' is R
    part(&w.q[l], host.q[l]);
#endif
  }
  rows(&w.out, host.head);
  constant(&w.ones, n / ranks);
  // What differs later may begin the same.
  whole(&w.own, host.head, n);
}

/// Where each rank's part begins, nobody knows here.
static void somewhere(__half **dst, const __half *src, long begin, int n) {
  cudaMalloc(dst, n * sizeof(__half));
  cudaMemcpy(*dst, src + begin, n * sizeof(__half), cudaMemcpyHostToDevice);
}
void begins(Weights &w, [[spmd::type("tp: R")]] const __half *all, long begin, int n) {
  somewhere(&w.ones, all, begin, n);
}

int load(Host &host);
int main() {
  int rank, ranks;
  Host host;
  load(host);
  Weights w;
  upload(w, host, 64, 2, rank, ranks);
}
