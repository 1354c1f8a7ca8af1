// As many elements as there are, of another size: what is moved is not what is
// there.
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir -std=c++20 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

#include <mpi.h>
#include <vector>

struct Tensor {
  template <typename T> T *data_ptr() const;
  void *data_ptr() const;
  long numel() const;
};

void wrong(std::vector<Tensor> &all, Tensor one, std::vector<double> list, int i, MPI_Comm comm) {
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Bcast' takes the elements of 'all[i]', which are of 'float', all of them for MPI_DOUBLE: it goes on behind their end, or leaves some out [spmd-collective-argument]
  MPI_Bcast(all[i].data_ptr<float>(), static_cast<int>(all[i].numel()), MPI_DOUBLE, 0, comm);
  const int count = one.numel();
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Bcast' takes the elements of 'one', which are of 'float', all of them for MPI_DOUBLE
  MPI_Bcast(one.data_ptr<float>(), count, MPI_DOUBLE, 0, comm);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Bcast' takes the elements of 'list', which are of 'double', all of them for MPI_FLOAT
  MPI_Bcast(list.data(), list.size(), MPI_FLOAT, 0, comm);
}

void right(std::vector<Tensor> &all, Tensor one, std::vector<double> list, int i, MPI_Comm comm) {
  MPI_Bcast(all[i].data_ptr<float>(), all[i].numel(), MPI_FLOAT, 0, comm);
  // Of whatever there is, nobody knows the size.
  MPI_Bcast(one.data_ptr(), one.numel(), MPI_DOUBLE, 0, comm);
  // The bytes may be counted otherwise.
  MPI_Bcast(list.data(), list.size() * sizeof(double), MPI_BYTE, 0, comm);
  MPI_Bcast(one.data_ptr<float>(), one.numel() / 2, MPI_DOUBLE, 0, comm);
  MPI_Bcast(one.data_ptr<float>(), list.size(), MPI_DOUBLE, 0, comm);
}
