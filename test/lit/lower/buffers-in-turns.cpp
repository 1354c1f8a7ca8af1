// Two buffers in turns, one of which is computed while the other is sent: what
// is done to one is not done to the other, however they are told apart.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <algorithm>
#include <mpi.h>
#include <vector>

void byDifference([[spmd::type("dp: R")]] std::vector<float> &w, [[spmd::type("dp: V")]] const std::vector<float> &x, int d, MPI_Comm comm) {
  std::vector<std::vector<float>> g(2, std::vector<float>(d));
  MPI_Request req = MPI_REQUEST_NULL;
  int cur = 0;
  for (int it = 0; it < 100; it++) {
    for (int j = 0; j < d; j++) g[cur][j] = w[j] * x[j];
    if (req != MPI_REQUEST_NULL) {
      MPI_Wait(&req, MPI_STATUS_IGNORE);
      for (int j = 0; j < d; j++) w[j] -= 0.1f * g[1 - cur][j];
    }
    MPI_Iallreduce(MPI_IN_PLACE, g[cur].data(), d, MPI_FLOAT, MPI_SUM, comm, &req);
    cur = 1 - cur;
  }
  MPI_Wait(&req, MPI_STATUS_IGNORE);
  for (int j = 0; j < d; j++) w[j] -= 0.1f * g[1 - cur][j];
}

void bySwap([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, float *(&g)[2], int d, MPI_Comm comm) {
  MPI_Request req = MPI_REQUEST_NULL;
  int cur = 0, prev = 1;
  for (int it = 0; it < 100; it++) {
    for (int j = 0; j < d; j++) g[cur][j] = w[j] * x[j];
    if (it > 0) {
      MPI_Wait(&req, MPI_STATUS_IGNORE);
      for (int j = 0; j < d; j++) w[j] -= 0.1f * g[prev][j];
    }
    MPI_Iallreduce(MPI_IN_PLACE, g[cur], d, MPI_FLOAT, MPI_SUM, comm, &req);
    std::swap(cur, prev);
  }
  MPI_Wait(&req, MPI_STATUS_IGNORE);
}

struct Slot { std::vector<float> grad; MPI_Request req = MPI_REQUEST_NULL; bool busy = false; };
void byBit([[spmd::type("dp: R")]] std::vector<float> &w, [[spmd::type("dp: V")]] const std::vector<float> &x, int d, MPI_Comm comm) {
  Slot s[2];
  s[0].grad.resize(d); s[1].grad.resize(d);
  for (int it = 0; it < 100; it++) {
    Slot &cur = s[it & 1], &old = s[(it + 1) & 1];
    for (int j = 0; j < d; j++) cur.grad[j] = w[j] * x[j];
    if (old.busy) {
      MPI_Wait(&old.req, MPI_STATUS_IGNORE);
      for (int j = 0; j < d; j++) w[j] -= 0.1f * old.grad[j];
      old.busy = false;
    }
    MPI_Iallreduce(MPI_IN_PLACE, cur.grad.data(), d, MPI_FLOAT, MPI_SUM, comm, &cur.req);
    cur.busy = true;
  }
  for (auto &o : s)
    if (o.busy) MPI_Wait(&o.req, MPI_STATUS_IGNORE);
}

/// The one that was just computed, and not yet summed.
void tooEarly([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, float *(&g)[2], int d, MPI_Comm comm) {
  for (int it = 0; it < 100; it++) {
    float *now = g[it % 2];
    for (int j = 0; j < d; j++) now[j] = w[j] * x[j];
    if (it > 0) {
      MPI_Allreduce(MPI_IN_PLACE, g[(it + 1) % 2], d, MPI_FLOAT, MPI_SUM, comm);
      // CHECK: [[@LINE+1]]:{{[0-9]+}}: error: the value of 'w' must be R on 'dp', but 'w[j] -= 0.1f * now[j]' is V
      for (int j = 0; j < d; j++) w[j] -= 0.1f * now[j];
    }
  }
}
