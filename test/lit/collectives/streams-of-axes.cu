// The runtime's operators run on the stream that their axis was connected
// with, or behind the kernels of another: no call shows which.
// RUN: not %spmd-tidy %s -- %runtime-include -include %stubs-dir/mpi.h 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <spmd/spmd.h>

__global__ void update(float *x);

struct Parallel {
  spmd::Axis dp;
  cudaStream_t stream;
};

void right(float *own, float *all, int64_t n, const Parallel &parallel) {
  update<<<1, 32, 0, parallel.stream>>>(own);
  spmd::all_gather(spmd::View(own, {n}), spmd::View(all, {parallel.dp.size(), n}), parallel.dp,
                   spmd::S(0), spmd::R);
}

void hostReads(float *own, float *all, int n, const Parallel &parallel) {
  update<<<1, 32, 0, parallel.stream>>>(own);
  MPI_Allgather(own, n, MPI_FLOAT, all, n, MPI_FLOAT, MPI_COMM_WORLD);
  // CHECK: [[@LINE-1]]:3: error: 'own' is read by 'MPI_Allgather' while the 'update' {{.*}} [spmd-async-hazard]
}

// A request is a matter of waiting, on whatever stream.
void notWaited(float *x, int n, const Parallel &parallel) {
  MPI_Request r;
  MPI_Iallreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &r);
  spmd::all_reduce(spmd::View(x, {n}), parallel.dp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'x' is {{.*}} by 'spmd::all_reduce' while the 'MPI_Iallreduce' {{.*}} [spmd-async-hazard]
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
