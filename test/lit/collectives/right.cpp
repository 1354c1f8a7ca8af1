// NCCL and c10d, and C++ around MPI: right code is silent.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0

#include <mpi.h>
#include <nccl.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#define NCCL_CHECK(call)                                                       \
  do {                                                                         \
    ncclResult_t result = (call);                                              \
    if (result != ncclSuccess)                                                 \
      throw std::runtime_error(ncclGetErrorString(result));                    \
  } while (0)

class Communicator {
public:
  explicit Communicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  bool isRoot() const { return rank_ == 0; }
  int size() const { return size_; }
  void barrier() const { MPI_Barrier(comm_); }
  template <typename F> void onRoot(F f) const {
    if (isRoot())
      f();
  }

private:
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

void wrapped() {
  Communicator world(MPI_COMM_WORLD);
  world.onRoot([] { puts("root"); });
  if (world.isRoot())
    puts("root");
  world.barrier();
}

ncclComm_t connect(int device) {
  int rank, size;
  ncclUniqueId id;
  ncclComm_t comm;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    NCCL_CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  NCCL_CHECK(ncclCommInitRank(&comm, size, id, rank));
  return comm;
}

void reduced(float *x, int n, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  NCCL_CHECK(ncclCommUserRank(comm, &rank));
  NCCL_CHECK(ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream));
  if (rank == 0)
    puts("reduced");
}

void grouped(float *x, float *y, ncclComm_t a, ncclComm_t b, cudaStream_t stream) {
  int rank;
  ncclCommUserRank(a, &rank);
  ncclGroupStart();
  if (rank % 2) {
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, a, stream);
    ncclAllReduce(y, y, 4, ncclFloat, ncclSum, b, stream);
  } else {
    ncclAllReduce(y, y, 4, ncclFloat, ncclSum, b, stream);
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, a, stream);
  }
  ncclGroupEnd();
}

void exchange(float *x, float *y, ncclComm_t comm, cudaStream_t stream) {
  int rank, size;
  ncclCommUserRank(comm, &rank);
  ncclCommCount(comm, &size);
  ncclGroupStart();
  ncclSend(x, 4, ncclFloat, (rank + 1) % size, comm, stream);
  ncclRecv(y, 4, ncclFloat, (rank + size - 1) % size, comm, stream);
  ncclGroupEnd();
  ncclAllReduce(y, y, 4, ncclFloat, ncclSum, comm, stream);
}

void splitInTwo(float *x, ncclComm_t comm, cudaStream_t stream) {
  int rank;
  ncclComm_t some;
  ncclCommUserRank(comm, &rank);
  ncclCommSplit(comm, rank < 2 ? 0 : NCCL_SPLIT_NOCOLOR, rank, &some, nullptr);
  if (some)
    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, some, stream);
  ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, stream);
}

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

void trained(const Group &pg, std::vector<std::vector<at::Tensor>> &gradients) {
  for (auto &g : gradients)
    pg->allreduce(g)->wait();
  if (pg->getRank() == 0)
    puts("step");
  pg->barrier()->wait();
}

void onlyIfSeveral(const Group &pg, std::vector<at::Tensor> &x) {
  if (pg->getSize() == 1)
    return;
  pg->allreduce(x)->wait();
}

void stages(const Group &pp, std::vector<at::Tensor> &x) {
  const int rank = pp->getRank(), size = pp->getSize();
  if (rank > 0)
    pp->recv(x, rank - 1, 0)->wait();
  if (rank + 1 < size)
    pp->send(x, rank + 1, 0)->wait();
  pp->barrier()->wait();
}

void bothGroups(const Group &tp, const Group &dp, std::vector<at::Tensor> &x) {
  if (tp->getRank() == 0)
    dp->allreduce(x)->wait();
  tp->broadcast(x)->wait();
}

int guarded(MPI_Comm comm) {
  try {
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
      throw std::runtime_error("no file");
  } catch (const std::exception &) {
    puts("goes on");
  }
  return MPI_Barrier(comm);
}

void dies(MPI_Comm comm, int rank) {
  MPI_Comm_rank(comm, &rank);
  if (rank == 1)
    throw std::runtime_error("ends the job");
  MPI_Barrier(comm);
}

struct Zone {
  MPI_Comm comm;
  int rank;
  explicit Zone(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(c, &rank);
    if (rank)
      MPI_Barrier(c);
  }
  ~Zone() {
    if (!rank)
      MPI_Barrier(comm);
  }
};
void rootFirst(MPI_Comm comm) {
  Zone zone(comm);
  puts("one after the other");
}

// All ranks go the same way through their options.
int option(char **begin, char **end, const std::string &name, int value) {
  char **at = std::find(begin, end, name);
  if (at != end && ++at != end) {
    std::istringstream text(*at);
    text >> value;
  }
  return value;
}

int withOptions(int argc, char **argv) {
  const int rounds = option(argv, argv + argc, "-rounds", 1000);
  const int rows = option(argv, argv + argc, "-rows", 16384);
  const int columns = option(argv, argv + argc, "-columns", 16384);
  const int check = option(argv, argv + argc, "-check", 1);
  if (check != 1)
    return 1;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return rounds + rows + columns;
}
