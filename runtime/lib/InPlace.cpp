// Operators that have one buffer, or none, and no row of the table.

#include "Buffers.h"
#include "DenseViews.h"

#include "spmd/stream.h"
#include "spmd/transition.h"

namespace spmd::detail {

void barrier(const Axis &A, Site At) {
  if (A.size() == 1)
    return;
  const Placement None = {LocalType::V};
  const BackendScope Where(streamOfCall(nullptr) != nullptr);
  Memory &M = A.memory();
  // The operator has slots 0 and 1.
  const ScratchScope Ends{M, 2, 2};
  const View One(M.scratch(2, sizeof(std::int32_t)), DType::I32, {1});
  M.zero(One.data(), One.bytes());
  runTransition(OperatorKind::Barrier, One, One, A, None, None, At);
}

void scale(const View &X, const Axis &A, double By, Site At) {
  const BackendScope Where(X, X);
  Memory &M = A.memory();
  const std::string Why = isWhole(X.dtype()) ? NotScaled : missing(M, X, X);
  if (!Why.empty())
    fail((At.Line ? At.File + (":" + std::to_string(At.Line)) + ": " : "") +
             "spmd::scale of " + X.str() + " over " + describe(A) + ": " + Why,
         {"spmd::scale", A.name(), "", "", nameOf(X.dtype()), X.shape().str(),
          At, Why});
  const DenseViews Dense(M, X, X);
  if (X.isDense())
    return M.scale(X.data(), X.dtype(), X.numel(), By);
  M.scale(Dense.in().data(), X.dtype(), X.numel(), By);
  M.copyStrided(
      X.data(), Dense.in().data(),
      {X.shape(), X.strides(), Dense.in().strides(), sizeOf(X.dtype())});
}

} // namespace spmd::detail
