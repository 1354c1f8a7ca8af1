// Code that is not seen cannot make up for the difference where it has not got
// the communicator: it is made here, and given to nobody who may keep it.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <nccl.h>
#include <string>
#include <vector>

// All of these are elsewhere.
struct Buffer {
  void reset();
  std::vector<float> samples;
};
void collect(Buffer &into);
void log(const std::string &what, double value);
struct Trainer {
  ncclComm_t comm;
  void prepare();
};
void keep(const Trainer &trainer);

static void average(float *x, ncclComm_t comm, cudaStream_t s) {
  // CHECK: [[#@LINE+1]]:3: error: not all ranks get to this 'ncclAllReduce', and those that do wait for the others: with 2 ranks: rank 0 waits in ncclAllReduce
  ncclAllReduce(x, x, 8, ncclFloat, ncclAvg, comm, s);
  cudaStreamSynchronize(s);
}

int ofOne(int rank, int size, ncclUniqueId id, float *x, cudaStream_t s) {
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  Buffer buffer;
  for (int step = 0; step < 100; ++step) {
    collect(buffer);
    if (rank == 0)
      average(x, comm, s);
    log("step", step);
    buffer.reset();
  }
  return 0;
}

// What keeps the trainer may call anything on its communicator.
int handed(int rank, int size, ncclUniqueId id, float *x, cudaStream_t s) {
  Trainer trainer;
  ncclCommInitRank(&trainer.comm, size, id, rank);
  keep(trainer);
  for (int step = 0; step < 100; ++step) {
    if (rank == 0)
      ncclAllReduce(x, x, 8, ncclFloat, ncclAvg, trainer.comm, s);
    log("step", step);
  }
  return 0;
}

// So may others, where it is a global.
ncclComm_t ofAll;
int global(int rank, int size, ncclUniqueId id, float *x, cudaStream_t s) {
  ncclCommInitRank(&ofAll, size, id, rank);
  for (int step = 0; step < 100; ++step) {
    if (rank == 0)
      ncclAllReduce(x, x, 8, ncclFloat, ncclAvg, ofAll, s);
    log("step", step);
  }
  return 0;
}

// Or the caller gave it to whom we do not know.
int given(int rank, ncclComm_t comm, float *x, cudaStream_t s) {
  int own;
  ncclCommUserRank(comm, &own);
  if (own == 0)
    ncclAllReduce(x, x, 8, ncclFloat, ncclAvg, comm, s);
  else
    log("step", 0);
  return 0;
}
