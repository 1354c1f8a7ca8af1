// Messages without elements are left out on both ends.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <nccl.h>
#include <vector>

struct Ep {
  [[spmd::axis("ep")]] ncclComm_t comm;
  [[spmd::size("ep")]] int world;
  [[spmd::type("ep: V")]] int rank;
};
void exchange(const char *sb, const long *sc, char *rb, const long *rc, Ep *h, cudaStream_t s) {
  const int world = h->world;
  std::vector<long> a(world, 0), b(world, 0);
  cudaMemcpyAsync(a.data(), sc, 8 * world, cudaMemcpyDeviceToHost, s);
  cudaMemcpyAsync(b.data(), rc, 8 * world, cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  ncclGroupStart();
  for (int p = 0; p < world; ++p) {
    if (a[p] > 0)
      // CHECK: :[[#@LINE+1]]:7: error: ranks wait for each other's messages in a cycle, and none goes on: with 2 ranks: rank 0 waits for rank 0
      ncclSend(sb + p, a[p], ncclUint8, p, h->comm, s);
#ifdef WRONG
    if (b[p] > 0 && p != h->rank)
      ncclRecv(rb + p, b[p], ncclUint8, p, h->comm, s);
#else
    if (b[p] > 0)
      ncclRecv(rb + p, b[p], ncclUint8, p, h->comm, s);
#endif
  }
  ncclGroupEnd();
}
