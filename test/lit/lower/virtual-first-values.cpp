// What the method of one class makes differ between ranks does so in the
// objects of that class, whatever the methods of others do to theirs.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DALIKE %stubs 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DSENT %stubs 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DSENT_BY_METHOD %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DSTEP_OF_ONE %stubs 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STEP --implicit-check-not=error:
#include <mpi.h>

#include <cstdlib>
#include <random>

struct Layer {
  [[spmd::type("dp: R")]] float *w = nullptr;
  [[spmd::type("dp: V")]] float *g = nullptr;
  int n = 0;
  virtual ~Layer() = default;
  virtual void init() = 0;
  virtual int size() = 0;
  virtual void send(MPI_Comm) {}
  virtual void step(float) {}
};

struct Dense : Layer {
  void init() override {
#if defined(ALIKE) || defined(STEP_OF_ONE)
    std::default_random_engine gen;
#else
    std::default_random_engine gen(std::random_device{}());
#endif
    std::normal_distribution<float> normal;
    w = new float[n];
    g = new float[n];
    for (int i = 0; i < n; i++)
      // CHECK: [[#@LINE+1]]:14: error: from here on 'layers.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      w[i] = normal(gen);
  }
  int size() override { return n; }
  void send([[spmd::axis("dp")]] MPI_Comm comm) override { MPI_Bcast(w, n, MPI_FLOAT, 0, comm); }
  void step(float rate) override {
#ifdef STEP_OF_ONE
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // STEP: [[#@LINE+1]]:9: error: from here on 'layers.w' is V on 'dp'
    if (rank == 0)
#endif
    for (int i = 0; i < n; i++)
      // CHECK: [[#@LINE+1]]:7: error: the value stored in 'w' must be R on 'dp'
      w[i] -= rate;
  }
};
// One value for all of it.
struct Scale : Layer {
  void init() override {
    w = new float[1];
    w[0] = 1;
  }
  int size() override { return 1; }
  void send([[spmd::axis("dp")]] MPI_Comm comm) override { MPI_Bcast(w, 1, MPI_FLOAT, 0, comm); }
  // CHECK: [[#@LINE+1]]:36: error: the value stored in 'w' must be R on 'dp'
  void step(float rate) override { w[0] -= rate; }
};
struct Relu : Layer {
  void init() override {}
  int size() override { return 0; }
};

static void update([[spmd::type("dp: R")]] float rate, [[spmd::type("dp: R")]] float *w, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= rate;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  [[spmd::axis("dp")]] MPI_Comm comm = MPI_COMM_WORLD;
  const int num = 3;
  Layer **layers = (Layer **)malloc(num * sizeof(Layer *));
  layers[0] = new Dense;
  layers[1] = new Relu;
  layers[2] = new Scale;
  for (int i = 0; i < num; i++)
    layers[i]->init();
#ifdef SENT
  for (int i = 0; i < num; i++)
    if (layers[i]->size() > 0)
      MPI_Bcast(layers[i]->w, layers[i]->n, MPI_FLOAT, 0, comm);
#elif defined(SENT_BY_METHOD)
  for (int i = 0; i < num; i++)
    layers[i]->send(comm);
#endif
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < num; i++)
      layers[i]->step(0.1f);
    for (int i = 0; i < num; i++)
      if (layers[i]->size() > 0)
        // CHECK: [[#@LINE+2]]:9: error: the argument for 'w' must be R on 'dp', but 'layers[i]->w' is V
        // STEP: [[#@LINE+1]]:9: error: the argument for 'w' must be R on 'dp', but 'layers[i]->w' is V
        update(0.1f, layers[i]->w, layers[i]->n);
  }
  MPI_Finalize();
}
