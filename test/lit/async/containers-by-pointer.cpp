// `g->data()` is in the container that g points to, and not in g: another
// container in the next iteration is no reason to wait for the first.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <mpi.h>
#include <vector>

using Numbers = std::vector<float>;
struct Layer {
  virtual ~Layer() = default;
  virtual Numbers *gradients() { return nullptr; }
};
struct Linear : Layer {
  Numbers dw = Numbers(100);
  Numbers *gradients() override { return &dw; }
};
struct Net {
  MPI_Comm comm;
  std::vector<std::unique_ptr<Layer>> layers;
  void step() {
    std::vector<MPI_Request> pending;
    for (auto &l : layers)
      if (Numbers *g = l->gradients()) {
        pending.emplace_back();
        MPI_Iallreduce(MPI_IN_PLACE, g->data(), (int)g->size(), MPI_FLOAT, MPI_SUM, comm, &pending.back());
      }
    MPI_Waitall((int)pending.size(), pending.data(), MPI_STATUSES_IGNORE);
  }
};

void touched(MPI_Comm comm, Numbers *g) {
  MPI_Request r;
  MPI_Iallreduce(MPI_IN_PLACE, g->data(), (int)g->size(), MPI_FLOAT, MPI_SUM, comm, &r);
  // CHECK: :[[#@LINE+1]]:11: error: 'g->data()' is written by the host while the 'MPI_Iallreduce' of line [[#@LINE-1]] may still use it: no wait for 'r' [spmd-async-hazard]
  (*g)[0] = 1;
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
