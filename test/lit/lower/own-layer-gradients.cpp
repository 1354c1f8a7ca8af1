// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// A backward pass written by hand adds each rank's own terms to gradients that
// are pending sums, of layers in a container: by reference, by index, behind
// pointers.
#include <memory>
#include <mpi.h>
#include <vector>

struct Tensor {
  std::vector<float> data, grad;
};
struct Layer {
  [[spmd::type("dp: R")]] std::shared_ptr<Tensor> w;
  [[spmd::type("dp: R")]] Tensor b;
};

struct Model {
  [[spmd::axis("dp")]] MPI_Comm comm;
  std::vector<Layer> layers;

  void backward([[spmd::type("dp: V")]] const float *x, int n) {
    for (auto &l : layers)
      for (int i = 0; i < n; ++i) {
        l.w->grad[i] += x[i] * l.w->data[i];
        l.b.grad[i] -= x[i];
      }
  }
  void reduce() {
    for (auto &l : layers) {
      MPI_Allreduce(MPI_IN_PLACE, l.w->grad.data(), l.w->grad.size(), MPI_FLOAT,
                    MPI_SUM, comm);
      MPI_Allreduce(MPI_IN_PLACE, l.b.grad.data(), l.b.grad.size(), MPI_FLOAT,
                    MPI_SUM, comm);
    }
  }
  void reduceWeights() {
    for (size_t k = 0; k < layers.size(); ++k)
      MPI_Allreduce(MPI_IN_PLACE, layers[k].w->grad.data(),
                    layers[k].w->grad.size(), MPI_FLOAT, MPI_SUM, comm);
  }
};

struct Right : Model {
  void step(float lr) {
    for (auto &l : layers)
      for (size_t i = 0; i < l.w->data.size(); ++i) {
        l.w->data[i] -= lr * l.w->grad[i];
        l.b.data[i] -= lr * l.b.grad[i];
      }
  }
  void train([[spmd::type("dp: V")]] const float *x, int n) {
    backward(x, n);
    reduce();
    step(0.1f);
  }
};

struct Half : Model {
  void step(float lr) {
    for (size_t k = 0; k < layers.size(); ++k)
      for (size_t i = 0; i < layers[k].w->data.size(); ++i) {
        layers[k].w->data[i] -= lr * layers[k].w->grad[i];
        // CHECK: [[#@LINE+1]]:9: error: 'layers[k].b.data[i]' is R and is added to 'lr * layers[k].b.grad[i]', which is P on 'dp', in 'sub'
        layers[k].b.data[i] -= lr * layers[k].b.grad[i];
      }
  }
  void train([[spmd::type("dp: V")]] const float *x, int n) {
    backward(x, n);
    reduceWeights();
    step(0.1f);
  }
};

struct Dropped : Model {
  void step(float lr) {
    for (auto &l : layers)
      for (size_t i = 0; i < l.w->data.size(); ++i)
        // CHECK: [[#@LINE+1]]:9: error: 'l.w->data[i]' is R and is added to 'lr * l.w->grad[i]', which is P on 'dp', in 'sub'
        l.w->data[i] -= lr * l.w->grad[i];
  }
  void train([[spmd::type("dp: V")]] const float *x, int n) {
    backward(x, n);
    step(0.1f);
  }
};

// What is no gradient is not one to add terms to.
void sum([[spmd::type("dp: P")]] std::vector<float> &total,
         [[spmd::type("dp: V")]] const float *x, int n) {
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: 'x[i]' is V and is added to 'total[i]', which is P on 'dp', in 'add'
    total[i] += x[i];
}
