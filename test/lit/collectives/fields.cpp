// Ranks and communicators in fields and globals, which one function sets and
// another reads.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <memory>
#include <vector>

class Grid {
public:
  explicit Grid(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  void sum(float *x, int n) {
    if (rank_ == 0)
      // CHECK: fields.cpp:[[#@LINE+1]]:7: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[#@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
      MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, comm_);
  }
  void sumAlone(float *x, int n) {
    if (size_ == 1 || rank_ >= 0)
      MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, comm_);
  }
  void send(float *x, int n);

private:
  MPI_Comm comm_;
  int rank_, size_;
};

void Grid::send(float *x, int n) {
  // CHECK: fields.cpp:[[#@LINE+1]]:3: error: {{.*}}root{{.*}} [spmd-varying-metadata]
  MPI_Bcast(x, n, MPI_FLOAT, rank_, comm_);
}

struct Context {
  int rank, size;
  MPI_Comm comm, row;
};

void connect(Context *c, MPI_Comm comm) {
  c->comm = comm;
  MPI_Comm_rank(comm, &c->rank);
  MPI_Comm_size(comm, &c->size);
  MPI_Comm_split(comm, c->rank / 2, c->rank, &c->row);
}

bool isFirst(const Context &c) { return c.rank == 0; }

void inContext(Context *c, float *x, int n) {
  if (isFirst(*c))
    // CHECK: fields.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, c->comm);
}

// Right: the ranks of the first row are in it together.
void inRow(Context *c, float *x, int n) {
  if (c->rank / 2 == 0)
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, c->row);
}

int worldRank, lastRank;

void start(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &worldRank);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  lastRank = size - 1;
}

void byTheLast(float *x, int n) {
  if (worldRank == lastRank)
    // CHECK: fields.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

using Group = std::shared_ptr<c10d::ProcessGroupGloo>;

class Trainer {
public:
  explicit Trainer(Group group) : group_(group), rank_(group->getRank()) {}
  void step(std::vector<at::Tensor> &gradients);

private:
  Group group_;
  int rank_;
};

void Trainer::step(std::vector<at::Tensor> &gradients) {
  if (rank_ == 0)
    // CHECK: fields.cpp:[[#@LINE+1]]:5: error: {{.*}} [spmd-divergent-collective]
    group_->allreduce(gradients)->wait();
}

// Right, as far as anybody can say: others set it, too, or nobody knows which
// of two objects was set.
class Team {
public:
  explicit Team(MPI_Comm comm) : comm_(comm) { MPI_Comm_rank(comm, &leader_); }
  void elect(int leader) { leader_ = leader; }
  void meet() {
    if (leader_ == 0)
      MPI_Barrier(comm_);
  }

private:
  MPI_Comm comm_;
  int leader_;
};

void ofTwo(Context *a, Context *b) {
  if (a->rank == 0)
    MPI_Barrier(b->comm);
}
