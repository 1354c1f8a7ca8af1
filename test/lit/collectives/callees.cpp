// Calls of which the callee is not named: methods that are virtual, functions
// in objects and behind pointers.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

#include <functional>

static int rankIn(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

struct Transport {
  virtual ~Transport() = default;
  virtual void sum(float *x, int n) = 0;
  virtual void flush() = 0;
  virtual void log() {}
};

struct MpiTransport : Transport {
  void sum(float *x, int n) override {
    // CHECK: callees.cpp:[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[#@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  void flush() override { MPI_Barrier(MPI_COMM_WORLD); }
};

struct Silent : MpiTransport {
  void flush() override {}
};

void onlyOverride(Transport &transport, float *x, int n) {
  if (rankIn(MPI_COMM_WORLD) == 0)
    transport.sum(x, n);
}

// Right, as far as anybody can say: there are two, or others may override it.
void oneOfTwo(Transport &transport) {
  if (rankIn(MPI_COMM_WORLD) == 0)
    transport.flush();
}

void othersMay(Transport &transport) {
  if (rankIn(MPI_COMM_WORLD) == 0)
    transport.log();
  MPI_Barrier(MPI_COMM_WORLD);
}

void inAnObject(float *x, int n) {
  std::function<void(int)> sum = [&](int count) {
    // CHECK: callees.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, x, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  if (rankIn(MPI_COMM_WORLD) == 0)
    sum(n);
}

// CHECK: callees.cpp:[[#@LINE+1]]:29: error: {{.*}} [spmd-divergent-collective]
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

void behindAPointer() {
  void (*meet)() = barrier;
  if (rankIn(MPI_COMM_WORLD) == 0)
    meet();
}

// Right: what is not seen may be what the others do.
void notSeen(const std::function<void()> &meet, void (*other)(MPI_Comm)) {
  if (rankIn(MPI_COMM_WORLD) == 0)
    meet();
  else
    MPI_Barrier(MPI_COMM_WORLD);
  if (rankIn(MPI_COMM_WORLD) == 0)
    other(MPI_COMM_WORLD);
  else
    MPI_Barrier(MPI_COMM_WORLD);
}

void hookOnAll(const std::function<void(int &)> &hook, int n) {
  hook(n);
  if (n > 0)
    MPI_Barrier(MPI_COMM_WORLD);
}

void hookBeforeMistake(const std::function<void()> &hook) {
  hook();
  if (rankIn(MPI_COMM_WORLD) == 0)
    // CHECK: callees.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    MPI_Barrier(MPI_COMM_WORLD);
}
