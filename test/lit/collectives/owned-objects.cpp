// Objects that make_unique, make_shared and emplace_back make: their
// constructors are run as those of others.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#include <memory>
#include <vector>

class Unit {
public:
  explicit Unit(MPI_Comm comm, int n = 4) : comm_(comm), n_(n) {
    MPI_Comm_rank(comm_, &rank_);
  }
  void gather(float *x) {
    // CHECK: owned-objects.cpp:[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'{{.*}} [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, x, n_, MPI_FLOAT, MPI_SUM, comm_);
  }
  bool isFirst() const { return rank_ == 0; }

private:
  MPI_Comm comm_;
  int n_, rank_;
};

// Right: how many there are, and with which sizes, is known.
void inContainers(float *x) {
  std::vector<Unit> units;
  units.emplace_back(MPI_COMM_WORLD, 8);
  units.emplace_back(MPI_COMM_WORLD);
  std::vector<std::unique_ptr<Unit>> owned;
  owned.push_back(std::make_unique<Unit>(MPI_COMM_WORLD));
  for (auto &u : units)
    u.gather(x);
  for (auto &u : owned)
    u->gather(x);
}

void behindPointers(float *x) {
  auto one = std::make_unique<Unit>(MPI_COMM_WORLD);
  std::shared_ptr<Unit> two = std::make_shared<Unit>(MPI_COMM_WORLD, 8);
  one->gather(x);
  if (one->isFirst())
    two->gather(x);
}
