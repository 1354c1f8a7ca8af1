// A condition on what a class says that it is leaves out the objects of other
// classes, where these have something.
// RUN: not %spmd-tidy --quiet %s -- -DKIND=Dense %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DKIND=Convolution %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DOTHER -DKIND=Activation %stubs 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DSET -DKIND=Dense %stubs 2>&1 | count 0
#include <mpi.h>

enum Kind { Dense, Convolution, Activation };
struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  [[spmd::type("dp: V")]] float *sum;
  int rows, columns;
  Kind type;
  Kind kind() { return type; }
#ifdef SET
  void set(Kind to) { type = to; }
#endif
  virtual void backward(const float *x) = 0;
  virtual int count() = 0;
};
struct DenseLayer : Layer {
  DenseLayer() { type = Dense; }
  void backward([[spmd::type("dp: V")]] const float *x) {
    for (int i = 0; i < rows; i++)
      g[i] = x[i] * w[i];
  }
  int count() { return rows * columns; }
};
struct ConvolutionLayer : Layer {
  ConvolutionLayer() { type = Convolution; }
  void backward([[spmd::type("dp: V")]] const float *x) {
    for (int i = 0; i < columns; i++)
      g[i] = x[i] * w[i];
  }
  int count() { return columns; }
};
struct Relu : Layer {
  Relu() { type = Activation; }
  void backward([[spmd::type("dp: V")]] const float *) {}
  int count() { return 0; }
};

static void step(int n, [[spmd::type("dp: R")]] float rate, [[spmd::type("dp: R")]] const float *sums,
                 [[spmd::type("dp: R")]] float *w) {
  for (int i = 0; i < n; i++)
    w[i] -= rate * sums[i];
}
#ifdef OTHER
#define IS !=
#else
#define IS ==
#endif
void train(Layer **layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = num - 1; i >= 0; i--) {
    layers[i]->backward(x);
    if (layers[i]->count() > 0 && layers[i]->kind() IS KIND)
      MPI_Allreduce(layers[i]->g, layers[i]->sum, layers[i]->count(), MPI_FLOAT, MPI_SUM, comm);
  }
  for (int i = 0; i < num; i++)
    if (layers[i]->count() > 0)
      // CHECK: [[#@LINE+1]]:7: error: the argument for 'sums' must be R on 'dp', but 'layers[i]->sum' is V
      step(layers[i]->count(), 0.1f, layers[i]->sum, layers[i]->w);
}
