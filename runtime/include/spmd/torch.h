//===- torch.h - Typed operators on torch::Tensor ---------------*- C++ -*-===//
//
// The operators of spmd/spmd.h on tensors, recorded for autograd: the backward
// of each is the one its row of the transition table names. Diagrams and errors
// are those of spmd/collectives.h and spmd/local.h. The operand stays what it
// is; the result is a new tensor, but on an axis of one rank, of reinterpret
// and where nothing changes it is the operand or a view of it: who writes one
// writes both, and autograd refuses to write what reinterpret returns (clone
// it). Half, bfloat16, float, double, bool and integers of 8, 32 and 64 bits
// are taken, where libtorch has them also unsigned ones and floats of 8 bits,
// of any strides; other tensors, such as undefined, sparse and meta ones, are
// an Error. S(i) without sizes needs dims that divide evenly. What an operator
// and its backward cost a rank, in bytes, is what they cost on buffers.
//
// Where libtorch has its distributed headers, a process group is an axis.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TORCH_H
#define SPMD_TORCH_H

#include "spmd/spmd.h"
#include "spmd/torch_async.h"
#include "spmd/torch_bucket.h"
#include "spmd/torch_redistribute.h"
#include "spmd/torch_transition.h"

#if __has_include(<torch/csrc/distributed/c10d/ProcessGroup.hpp>)
#include "spmd/c10d.h"
#endif

namespace spmd {

// On tensors the operators take what they take on buffers, but for the result,
// which they return, or write to a tensor that is given after the operand, of
// any strides and without autograd; permute where nothing comes, reduce and
// keep on others than the root return zeros. all_reduce_max and all_reduce_min
// have no gradient: an operand that requires one is an Error, give it
// x.detach().
#define SPMD_OPERATOR(NAME, OP, MEAN)                                          \
  template <class Src, class Dst>                                              \
  [[nodiscard]] at::Tensor NAME(const at::Tensor &x, const Axis &axis,         \
                                Src src, Dst dst, Site at = Site::here()) {    \
    return detail::runChecked<rules::OperatorKind::OP>(x, axis, src, dst, at,  \
                                                       {MEAN});                \
  }                                                                            \
  template <class Src, class Dst>                                              \
  void NAME(const at::Tensor &x, const at::Tensor &out, const Axis &axis,      \
            Src src, Dst dst, Site at = Site::here()) {                        \
    detail::runCheckedInto<rules::OperatorKind::OP>(x, out, axis, src, dst,    \
                                                    at, {MEAN});               \
  }
#define SPMD_ELEMENTWISE(NAME, OP, MEAN) SPMD_OPERATOR(NAME, OP, MEAN)
#define SPMD_TOLD(NAME, OP, DETAILS, ...)                                      \
  template <class Src, class Dst>                                              \
  [[nodiscard]] at::Tensor NAME(const at::Tensor &x, const Axis &axis,         \
                                Src src, Dst dst, __VA_ARGS__,                 \
                                Site at = Site::here()) {                      \
    return detail::runChecked<rules::OperatorKind::OP>(x, axis, src, dst, at,  \
                                                       DETAILS);               \
  }                                                                            \
  template <class Src, class Dst>                                              \
  void NAME(const at::Tensor &x, const at::Tensor &out, const Axis &axis,      \
            Src src, Dst dst, __VA_ARGS__, Site at = Site::here()) {           \
    detail::runCheckedInto<rules::OperatorKind::OP>(x, out, axis, src, dst,    \
                                                    at, DETAILS);              \
  }
#include "spmd/operators.def"

/// The same tensor under another type. Backward of I -> R and I -> V:
/// all_reduce of the gradient; of V -> P: nothing to do.
template <class Src, class Dst>
[[nodiscard]] at::Tensor reinterpret(const at::Tensor &x, const Axis &axis,
                                     Src src, Dst dst, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Reinterpret>(x, axis, src, dst,
                                                              at);
}
template <class Src, class Dst>
[[nodiscard]] at::Tensor reinterpret(const at::Tensor &x, const Axis &axis,
                                     Src src, Dst dst, Expert,
                                     Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Reinterpret, true>(
      x, axis, src, dst, at);
}

/// A parameter enters a computation: x forward, all_reduce of the gradient
/// backward.
[[nodiscard]] inline at::Tensor invariant_to_replicate(const at::Tensor &x,
                                                       const Axis &axis,
                                                       Site at = Site::here()) {
  return reinterpret(x, axis, I, R, at);
}

/// Another type for the same denotation, by local means. Backward: convert, for
/// I -> V all_gather.
template <class Src, class Dst>
[[nodiscard]] at::Tensor convert(const at::Tensor &x, const Axis &axis, Src src,
                                 Dst dst, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Convert>(x, axis, src, dst,
                                                          at);
}
template <class Src, class Dst>
[[nodiscard]] at::Tensor convert(const at::Tensor &x, const Axis &axis, Src src,
                                 Dst dst, Expert, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Convert, true>(x, axis, src,
                                                                dst, at);
}

/// The one operator of the table that takes src to dst and keeps the
/// denotation; x itself between equal types.
template <class Src, class Dst>
[[nodiscard]] at::Tensor redistribute(const at::Tensor &x, const Axis &axis,
                                      Src src, Dst dst,
                                      Site at = Site::here()) {
  detail::checkRedistribute<Src, Dst>();
  const Placement From = detail::placementOf(src),
                  To = detail::placementOf(dst);
  if (From == To)
    return x;
  return detail::runTransition(detail::redistributeBy(From, To), x, axis, From,
                               To, at);
}

} // namespace spmd

#endif // SPMD_TORCH_H
