//===- nccl_buffer.h - Memory that NCCL knows -------------------*- C++ -*-===//

#ifndef SPMD_NCCL_BUFFER_H
#define SPMD_NCCL_BUFFER_H

#include "spmd/axis.h"

namespace spmd {

/// Device memory of NCCL's own making, ncclMemAlloc, that is registered with
/// the communicator of an axis: operators on it need not go through NCCL's
/// buffers. Where it can, NCCL makes of it a window that all ranks have alike,
/// symmetric memory (from 2.27 on), else each rank registers its own (from 2.19
/// on). NCCL asks that an operator is given such memory on all ranks or on
/// none, and at the same offset.
///
///     spmd::NcclBuffer Grads(Bytes, dp);
///     all_reduce(Grads.view<float>({N}), dp, spmd::P, spmd::R);
class NcclBuffer {
public:
  enum class Known { No, OnThisRank, AsWindow };

  /// All ranks of \p On make it at the same place of the program and with as
  /// many bytes, 1 or more. An axis that is not over NCCL is an Error; of one
  /// rank, it is memory alone.
  NcclBuffer(std::size_t Bytes, const Axis &On, Site At = Site::here());
  /// When nothing uses it any more; waits for the operators of the axis.
  ~NcclBuffer();
  NcclBuffer(const NcclBuffer &) = delete;
  NcclBuffer &operator=(const NcclBuffer &) = delete;

  void *data() const { return Data; }
  std::size_t bytes() const { return Bytes; }
  template <class T> View view(const Shape &As) const {
    return View(static_cast<T *>(Data), As);
  }
  /// As what NCCL knows it.
  Known known() const { return Is; }

private:
  const Axis On;
  std::shared_ptr<Communicator> With;
  void *Data = nullptr, *Handle = nullptr;
  const std::size_t Bytes;
  Known Is = Known::No;
};

} // namespace spmd

#endif // SPMD_NCCL_BUFFER_H
