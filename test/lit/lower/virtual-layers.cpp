// Layers behind pointers to their base: a virtual call reaches the methods of
// all classes of the file, each with the members of its own class.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DDROPPED %stubs 2>&1 | FileCheck %s --check-prefix=DROPPED --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DALONE %stubs 2>&1 | FileCheck %s --check-prefix=ALONE --implicit-check-not=error:
#include <memory>
#include <mpi.h>
#include <vector>

struct Layer {
  virtual ~Layer() = default;
  virtual void forward(const float *x, float *y, int n) = 0;
  virtual void backward(const float *dy, float *dx, int n) = 0;
  virtual void reduce(MPI_Comm) {}
  virtual void step(float) {}
};
struct Dense : Layer {
  [[spmd::type("dp: R")]] std::vector<float> w;
  std::vector<float> dw, in;
  explicit Dense(int n) : w(n), dw(n), in(n) {}
  void forward(const float *x, float *y, int n) override {
    for (int i = 0; i < n; i++) {
      in[i] = x[i];
      y[i] = x[i] * w[i];
    }
  }
  void backward(const float *dy, float *dx, int n) override {
    for (int i = 0; i < n; i++) {
      dw[i] = dy[i] * in[i];
      dx[i] = dy[i] * w[i];
    }
  }
  void reduce([[spmd::axis("dp")]] MPI_Comm comm) override {
#ifdef ALONE
    int rank;
    MPI_Comm_rank(comm, &rank);
    // ALONE: :[[#@LINE+2]]:7: error: not all ranks get to this 'MPI_Allreduce'
    if (rank == 0)
      MPI_Allreduce(MPI_IN_PLACE, dw.data(), (int)dw.size(), MPI_FLOAT, MPI_SUM, comm);
#elif !defined(DROPPED)
    MPI_Allreduce(MPI_IN_PLACE, dw.data(), (int)dw.size(), MPI_FLOAT, MPI_SUM, comm);
#endif
  }
  void step(float lr) override {
    for (int i = 0; i < (int)w.size(); i++)
      // DROPPED: :[[#@LINE+2]]:7: error: from here on 'layers.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
      // ALONE: :[[#@LINE+1]]:7: error: from here on 'layers.w' is V
      w[i] -= lr * dw[i];
  }
};
struct Relu : Layer {
  std::vector<float> in;
  void forward(const float *x, float *y, int n) override {
    in.assign(x, x + n);
    for (int i = 0; i < n; i++)
      y[i] = x[i] > 0 ? x[i] : 0;
  }
  void backward(const float *dy, float *dx, int n) override {
    for (int i = 0; i < n; i++)
      dx[i] = in[i] > 0 ? dy[i] : 0;
  }
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  [[spmd::axis("dp")]] MPI_Comm comm = MPI_COMM_WORLD;
  int rank;
  MPI_Comm_rank(comm, &rank);
  const int n = 64;
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Dense>(n));
  layers.push_back(std::make_unique<Relu>());
  layers.push_back(std::make_unique<Dense>(n));
  [[spmd::type("dp: V")]] std::vector<float> x(n);
  std::vector<float> y(n), d(n);
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < n; i++)
      x[i] = rank + i + step;
    for (auto &l : layers) {
      l->forward(x.data(), y.data(), n);
      x = y;
    }
    for (int i = 0; i < n; i++)
      d[i] = x[i] - 1;
    for (int i = (int)layers.size() - 1; i >= 0; i--) {
      layers[i]->backward(d.data(), y.data(), n);
      d = y;
    }
    for (auto &l : layers)
      l->reduce(comm);
    for (auto &l : layers)
      l->step(0.1f);
  }
  MPI_Finalize();
}
