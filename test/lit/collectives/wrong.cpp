// NCCL and c10d, and C++ around MPI: what cannot match.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <nccl.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <stdexcept>
#include <vector>

class Communicator {
public:
  explicit Communicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  bool isRoot() const { return rank_ == 0; }
  void barrier() const { MPI_Barrier(comm_); }
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: not all ranks get to this 'MPI_Barrier'{{.*}} [spmd-divergent-collective]
  // CHECK: [[@LINE+8]]:3: note: the ways of the ranks part here

private:
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};
void throughMethods() {
  Communicator world(MPI_COMM_WORLD);
  if (world.isRoot())
    world.barrier();
}

void inClosures(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  auto sync = [&] { MPI_Barrier(comm); };
  // CHECK: [[@LINE-1]]:21: error: {{.*}} [spmd-divergent-collective]
  if (rank == 0)
    sync();
}

template <typename T> void sum(T *x, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank < 3)
    MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_SUM, comm);
  // CHECK: [[@LINE-1]]:5: error: {{.*}}: with 4 ranks: {{.*}} [spmd-divergent-collective]
}
void inTemplates(double *x, MPI_Comm comm) { sum(x, comm); }

bool caught(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  try {
    if (rank == 0)
      throw std::runtime_error("no file");
    MPI_Barrier(comm);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
  } catch (const std::exception &) {
    return false;
  }
  return true;
}

void rootOnly(float *x, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  ncclCommUserRank(comm, &rank);
  if (rank == 0)
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'ncclAllReduce'{{.*}} [spmd-divergent-collective]
}

void roots(float *x, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  ncclCommUserRank(comm, &rank);
  ncclBcast(x, 4, ncclFloat, rank, comm, stream);
  // CHECK: [[@LINE-1]]:3: error: the root of this 'ncclBcast'{{.*}} [spmd-varying-metadata]
}

void types(float *x, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  ncclCommUserRank(comm, &rank);
  ncclAllReduce(x, x, 4, rank ? ncclFloat : ncclHalf, ncclSum, comm, stream);
  // CHECK: [[@LINE-1]]:3: error: the datatype of this 'ncclAllReduce'{{.*}} [spmd-varying-metadata]
}

void swapped(float *x, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  ncclCommUserRank(comm, &rank);
  if (rank % 2) {
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
    ncclBcast(x, 4, ncclFloat, 0, comm, stream);
  } else {
    ncclBcast(x, 4, ncclFloat, 0, comm, stream);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-collective-order]
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
  }
}

void swappedInGroup(float *x, float *y, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  ncclCommUserRank(comm, &rank);
  ncclGroupStart();
  if (rank % 2)
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
  ncclBcast(y, 4, ncclFloat, 0, comm, stream);
  // CHECK: [[@LINE-2]]:5: error: {{.*}} [spmd-divergent-collective]
  ncclGroupEnd();
}

void initOfSome(ncclComm_t *comm, ncclUniqueId id) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != 0)
    ncclCommInitRank(comm, size, id, rank);
  // CHECK: [[@LINE-1]]:5: error: not all ranks get to this 'ncclCommInitRank'{{.*}} [spmd-divergent-collective]
}

void libraryAgainstLibrary(float *x, ncclUniqueId id, cudaStream_t stream) {
  int rank, size;
  ncclComm_t comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ncclCommInitRank(&comm, size, id, rank);
  if (rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    // CHECK: [[@LINE-1]]:5: error: some ranks are in this 'MPI_Barrier' and others in 'ncclAllReduce'{{.*}} [spmd-collective-order]
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
  } else {
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

void rankZeroAlone(const Group &pg) {
  if (pg->getRank() == 0)
    pg->barrier()->wait();
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}

void returnsEarly(const Group &pg, std::vector<at::Tensor> &x) {
  if (pg->getRank() == pg->getSize() - 1)
    return;
  pg->allreduce(x)->wait();
  // CHECK: [[@LINE-1]]:3: error: {{.*}} [spmd-divergent-collective]
}

void otherOrder(const Group &pg, std::vector<at::Tensor> &x) {
  if (pg->getRank() == 0) {
    pg->broadcast(x)->wait();
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-collective-order]
    pg->allreduce(x)->wait();
  } else {
    pg->allreduce(x)->wait();
    pg->broadcast(x)->wait();
  }
}

void notWaitedFor(const Group &pg, std::vector<at::Tensor> &x) {
  if (pg->getRank() == 0)
    pg->allreduce(x);
  // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-divergent-collective]
}
