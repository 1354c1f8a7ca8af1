// What resize and assign leave in a vector is how many it has: rows that do not
// divide by the ranks make counts that differ.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <vector>

class Rows {
public:
  Rows(int rows, int columns) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = rows / size;
    if (rank < rows % size)
      ++own;
    data.resize(own * columns);
    bias.assign(columns, 0.0);
  }
  void sum() {
    // CHECK: [[@LINE+1]]:5: error: the count of this 'MPI_Allreduce' is not the same on all ranks, which must agree on it: with 3 ranks: ranks 0 to 2 wait in MPI_Allreduce, line [[@LINE+1]] [spmd-varying-metadata]
    MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void sumBias() {
    MPI_Allreduce(MPI_IN_PLACE, bias.data(), static_cast<int>(bias.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

private:
  std::vector<double> data, bias;
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Rows rows(64, 8);
  rows.sumBias();
  rows.sum();
  MPI_Finalize();
}
