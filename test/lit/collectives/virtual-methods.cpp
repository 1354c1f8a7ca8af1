// An object has the methods of the class that it was made of; where nobody
// knows that, it has those of one of the classes of the file.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <vector>

struct Layer {
  virtual ~Layer() = default;
  virtual int size() = 0;
  virtual void reduce(int rank) = 0;
};
struct Dense : Layer {
  double g[10];
  int size() override { return 10; }
  void reduce(int rank) override {
#ifdef WRONG
    // CHECK: :[[#@LINE+2]]:7: error: not all ranks get to this 'MPI_Allreduce'
    if (rank == 0)
      MPI_Allreduce(MPI_IN_PLACE, g, size(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
    MPI_Allreduce(MPI_IN_PLACE, g, size(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
  }
};
struct Relu : Layer {
  int size() override { return 0; }
  void reduce(int) override {}
};
/// Communicates nothing, whatever it is.
struct Loss {
  virtual ~Loss() = default;
  virtual double of(double x) = 0;
};
struct Square : Loss {
  double of(double x) override { return x * x; }
};
struct Absolute : Loss {
  double of(double x) override {
    if (x != x)
      exit(1);
    return x < 0 ? -x : x;
  }
};

double lossOf(Loss *loss, double x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double l = loss->of(x);
#ifdef WRONG
  // CHECK: :[[#@LINE+2]]:5: error: not all ranks get to this 'MPI_Allreduce'
  if (rank == 0)
    MPI_Allreduce(MPI_IN_PLACE, &l, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
  MPI_Allreduce(MPI_IN_PLACE, &l, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
  return l;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Relu>());
  layers.push_back(std::make_unique<Dense>());
  for (auto &l : layers)
    l->reduce(rank);
  MPI_Finalize();
}
