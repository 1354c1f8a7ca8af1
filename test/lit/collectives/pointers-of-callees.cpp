// What a callee writes by a pointer of its own is in what the pointer leads to,
// and leaves the communicator beside it as it is.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

class Trainer {
public:
  void right(long words) {
    for (long i = 0; i < words; ++i) {
      word(i);
      average();
    }
  }
  void by_one_rank(long words) {
    for (long i = 0; i < words; ++i) {
      word(i);
      if (rank == 0)
        average();
    }
  }
  void moved(long words) {
    for (long i = 0; i < words; ++i) {
      row(i);
      if (rank == 0)
        average();
    }
  }
  Trainer(MPI_Comm comm) : comm(comm) { MPI_Comm_rank(comm, &rank); }

private:
  void word(long i) {
    float *v = &weights[i * 10 % 90];
    for (int j = 0; j < 10; ++j)
      v[j] += 1;
  }
  void row(long i) {
    float *v = weights.data() + i;
    float *next = v + 1;
    *next = *v;
  }
  void average() {
    // CHECK: :[[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others
    MPI_Allreduce(MPI_IN_PLACE, weights.data(), (int)weights.size(), MPI_FLOAT, MPI_SUM, comm);
  }
  MPI_Comm comm;
  std::vector<float> weights;
  int rank;
};

// Here it may be another communicator each time, of which nothing is said.
struct State {
  MPI_Comm comm;
  int rank;
};
static void choose(State *all, int i) {
  State *one = &all[i];
  one[0].comm = one[1].comm;
}
void chosen(State *all, int n) {
  for (int i = 0; i < n; ++i) {
    choose(all, i);
    MPI_Barrier(all[0].comm);
  }
}
