// Over the typed collectives of the runtime library. NCCL takes operands that
// overlap their results, and maxima; here the operand is copied first, and a
// maximum is taken of what has been gathered.

#include "nccl.h"

#include <spmd/spmd.h>

#include <algorithm>
#include <cstring>
#include <vector>

struct CpuComm {
  spmd::Axis axis;
};

namespace {

/// The numbers of one call, as T.
template <typename T> struct Operand {
  Operand(const void *in, std::size_t count)
      : numbers(static_cast<const T *>(in),
                static_cast<const T *>(in) + count) {}

  spmd::View view() {
    return spmd::View(numbers.data(), {std::int64_t(numbers.size())});
  }
  std::vector<T> numbers;
};

template <typename T> spmd::View view(void *out, std::size_t count) {
  return spmd::View(static_cast<T *>(out), {std::int64_t(count)});
}

template <typename T>
void gather(const void *in, void *out, std::size_t count,
            const spmd::Axis &axis) {
  Operand<T> mine(in, count);
  spmd::all_gather(mine.view(), view<T>(out, count * axis.size()), axis,
                   spmd::S(0), spmd::R);
}

/// The largest of the ranks' numbers, from \p first on.
template <typename T>
void largest(const void *in, void *out, std::size_t whole, std::size_t first,
             std::size_t count, const spmd::Axis &axis) {
  std::vector<T> all(whole * axis.size());
  gather<T>(in, all.data(), whole, axis);
  T *best = static_cast<T *>(out);
  for (std::size_t i = 0; i < count; ++i) {
    best[i] = all[first + i];
    for (int rank = 1; rank < axis.size(); ++rank)
      best[i] = std::max(best[i], all[rank * whole + first + i]);
  }
}

template <typename T>
void reduce(const void *in, void *out, std::size_t count, ncclRedOp_t op,
            const spmd::Axis &axis) {
  if (op == ncclMax)
    return largest<T>(in, out, count, 0, count, axis);
  Operand<T> mine(in, count);
  spmd::all_reduce(mine.view(), view<T>(out, count), axis, spmd::P, spmd::R);
}

template <typename T>
void reduce_part(const void *in, void *out, std::size_t count, ncclRedOp_t op,
                 const spmd::Axis &axis) {
  const std::size_t whole = count * axis.size();
  if (op == ncclMax)
    return largest<T>(in, out, whole, axis.rank() * count, count, axis);
  Operand<T> mine(in, whole);
  spmd::reduce_scatter(mine.view(), view<T>(out, count), axis, spmd::P,
                       spmd::S(0));
}

} // namespace

const char *ncclGetErrorString(ncclResult_t result) {
  return result == ncclSuccess ? "no error" : "invalid argument";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::memset(id, 0, sizeof *id);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId,
                              int rank) {
  if (rank < 0 || rank >= ranks)
    return ncclInvalidArgument;
  *comm = new CpuComm{spmd::Mesh({{"ranks", ranks}}, rank).axis("ranks")};
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void *in, void *out, std::size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t) {
  type == ncclFloat ? reduce<float>(in, out, count, op, comm->axis)
                    : reduce<double>(in, out, count, op, comm->axis);
  return ncclSuccess;
}

ncclResult_t ncclReduceScatter(const void *in, void *out, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t) {
  type == ncclFloat ? reduce_part<float>(in, out, count, op, comm->axis)
                    : reduce_part<double>(in, out, count, op, comm->axis);
  return ncclSuccess;
}

ncclResult_t ncclAllGather(const void *in, void *out, std::size_t count,
                           ncclDataType_t type, ncclComm_t comm, cudaStream_t) {
  type == ncclFloat ? gather<float>(in, out, count, comm->axis)
                    : gather<double>(in, out, count, comm->axis);
  return ncclSuccess;
}
