// In a group, all ranks exchange messages at one place: one of which the other
// rank knows nothing waits for ever, whoever calls the function.
// RUN: not %spmd-tidy --quiet %s -- -DLESS=-1 %stubs %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DLESS= %stubs %runtime-include 2>&1 | count 0
#include <nccl.h>
#include <cstdint>
struct Comm { [[spmd::axis("ep")]] ncclComm_t comm; [[spmd::size("ep")]] int world; [[spmd::type("ep: V")]] int rank; };
void exchange(const char *s, char *r, const int64_t *sc, const int64_t *rc, Comm *h, cudaStream_t stream) {
  const int world = h->world;
  ncclGroupStart();
  for (int p = 0; p < world LESS; ++p) {
    // CHECK: [[#@LINE+1]]:5: error: nobody is at the other end of this 'ncclSend', which waits for ever: with 3 ranks: ranks 0, 1 are at their end; rank 2 waits in ncclSend
    ncclSend(s + p * 100, 100, ncclUint8, p, h->comm, stream);
    ncclRecv(r + p * 100, 100, ncclUint8, p, h->comm, stream);
  }
  ncclGroupEnd();
}
// A stage of a pipeline: the next one calls another function.
void forward(const char *y, char *dy, Comm *h, cudaStream_t stream) {
  ncclGroupStart();
  if (h->rank < h->world - 1) {
    ncclSend(y, 100, ncclUint8, h->rank + 1, h->comm, stream);
    ncclRecv(dy, 100, ncclUint8, h->rank + 1, h->comm, stream);
  }
  ncclGroupEnd();
}
// To the next rank, from the one before.
void shift(const char *y, char *x, Comm *h, cudaStream_t stream) {
  ncclGroupStart();
  if (h->rank < h->world - 1)
    ncclSend(y, 100, ncclUint8, h->rank + 1, h->comm, stream);
  if (h->rank > 0)
    ncclRecv(x, 100, ncclUint8, h->rank - 1, h->comm, stream);
  ncclGroupEnd();
}
