// NCCL and MPI stubs, as C++ and as C.
// RUN: clang++-22 -fsyntax-only -Wall -Wextra -Werror %stubs %s
// RUN: clang-22 -x c -fsyntax-only -Wall -Wextra -Werror -isystem %stubs-dir %s

#include <mpi.h>
#include <nccl.h>

#define NCCLCHECK(call)                                                        \
  do {                                                                         \
    ncclResult_t Result = (call);                                              \
    if (Result != ncclSuccess)                                                 \
      return ncclGetErrorString(Result)[0];                                    \
  } while (0)

int reduce(float *Grad, float *Shard, size_t N, ncclComm_t Comm,
           cudaStream_t Stream, MPI_Comm World) {
  int Ranks, Rank;
  NCCLCHECK(ncclCommCount(Comm, &Ranks));
  NCCLCHECK(ncclCommUserRank(Comm, &Rank));
  NCCLCHECK(ncclGroupStart());
  NCCLCHECK(ncclAllReduce(Grad, Grad, N, ncclFloat, ncclAvg, Comm, Stream));
  NCCLCHECK(ncclReduceScatter(Grad, Shard, N / (size_t)Ranks, ncclFloat,
                              ncclSum, Comm, Stream));
  NCCLCHECK(ncclGroupEnd());
  MPI_Request Request;
  MPI_Iallreduce(MPI_IN_PLACE, Grad, (int)N, MPI_FLOAT, MPI_SUM, World,
                 &Request);
  MPI_Wait(&Request, MPI_STATUS_IGNORE);
  cudaMemcpy(Shard, Grad, N * sizeof(float), cudaMemcpyDeviceToHost);
  return MPI_Allgather(Shard, (int)N, MPI_FLOAT, Grad, (int)N, MPI_FLOAT,
                       World);
}
