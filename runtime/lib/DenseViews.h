//===- DenseViews.h - Strided operands, packed ------------------*- C++ -*-===//

#ifndef SPMD_LIB_DENSEVIEWS_H
#define SPMD_LIB_DENSEVIEWS_H

#include "spmd/communicator.h"

namespace spmd::detail {

/// Dense views for an operand and a result of any strides; what is dense is
/// itself. Buffers are the memory's, of the calling thread.
class DenseViews {
public:
  DenseViews(Memory &M, const View &In, const View &Out)
      : M(M), Result(Out), In(dense(In, 3)), Out(dense(Out, 4)) {
    if (!In.isDense())
      M.copyStrided(
          this->In.data(), In.data(),
          {In.shape(), this->In.strides(), In.strides(), sizeOf(In.dtype())});
  }
  ~DenseViews() {
    M.release(3);
    M.release(4);
  }
  DenseViews(const DenseViews &) = delete;
  DenseViews &operator=(const DenseViews &) = delete;
  const View &in() const { return In; }
  const View &out() const { return Out; }
  /// Puts the result where it belongs.
  void unpack() const {
    if (!Result.isDense())
      M.copyStrided(
          Result.data(), Out.data(),
          {Out.shape(), Result.strides(), Out.strides(), sizeOf(Out.dtype())});
  }

private:
  View dense(const View &Of, int Slot) const {
    return Of.isDense()
               ? Of
               : View(M.scratch(Slot, Of.bytes()), Of.dtype(), Of.shape());
  }

  Memory &M;
  const View &Result;
  const View In, Out;
};

} // namespace spmd::detail

#endif // SPMD_LIB_DENSEVIEWS_H
