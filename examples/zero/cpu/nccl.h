// What zero uses of NCCL, between threads of one process: the ranks of
// spmd::run_local. A call is done when it returns.

#pragma once

#ifdef __CUDA__ // the real thing, for spmd-tidy on kernels
#include_next <nccl.h>
#else

#include "cuda_runtime.h"

using ncclComm_t = struct CpuComm *;
enum ncclResult_t { ncclSuccess, ncclInvalidArgument };
enum ncclDataType_t { ncclFloat, ncclDouble };
enum ncclRedOp_t { ncclSum, ncclMax };
struct ncclUniqueId {
  char internal[128];
};

const char *ncclGetErrorString(ncclResult_t result);
ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id,
                              int rank);
ncclResult_t ncclCommDestroy(ncclComm_t comm);

ncclResult_t ncclAllReduce(const void *in, void *out, std::size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream);
/// \p count elements for each rank.
ncclResult_t ncclReduceScatter(const void *in, void *out, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream);
/// \p count elements of each rank.
ncclResult_t ncclAllGather(const void *in, void *out, std::size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream);

#endif
