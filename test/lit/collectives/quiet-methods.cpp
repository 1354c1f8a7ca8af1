// A loop that only computes changes what its calls write, and nothing else of
// the objects that they are called on.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

class Metric {
public:
  explicit Metric(MPI_Comm comm) : comm_(comm) {}
  void add(double v) { sum_ += v; }
  void addTo(double v, Metric *other) { other->sum_ += v; }
  void become(MPI_Comm comm) { comm_ = comm; }
  void moveOn() {
    at_ = next_;
    *at_ = 0;
  }
  double value() const {
    double s = sum_;
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'{{.*}}: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[#@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return s;
  }
  int *at_ = nullptr, *next_ = nullptr;

private:
  MPI_Comm comm_;
  double sum_ = 0;
};

double ofOneRank(const std::vector<double> &losses, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  Metric loss(comm);
  for (double l : losses)
    loss.add(l);
  return rank == 0 ? loss.value() : 0;
}

// Right: what was zero may be something else on all ranks.
void another(const std::vector<int> &sizes, MPI_Comm comm) {
  int rank, n = 0;
  MPI_Comm_rank(comm, &rank);
  Metric loss(comm);
  loss.next_ = &n;
  for (int s : sizes)
    loss.moveOn();
  if (n == 1 || rank >= 0)
    MPI_Barrier(comm);
}

// Of what it becomes in the loop nothing is known.
void changed(const std::vector<MPI_Comm> &all, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  struct Part {
    int rank;
    void take(int of) { rank = of; }
  } part{rank};
  for (MPI_Comm c : all)
    part.take(c != comm);
  if (part.rank == 0)
    MPI_Barrier(comm);
}
