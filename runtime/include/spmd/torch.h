//===- torch.h - Typed operators on torch::Tensor ---------------*- C++ -*-===//
//
// The operators of spmd/spmd.h on tensors, recorded for autograd: the backward
// of each is the one its row of the transition table names. Diagrams and errors
// are those of spmd/collectives.h and spmd/local.h. The operand stays what it
// is; the result is a new tensor, but on an axis of one rank, of reinterpret
// and where nothing changes it is the operand or a view of it: who writes one
// writes both, and autograd refuses to write what reinterpret returns (clone
// it). Half, bfloat16, float, double and integers of 8, 32 and 64 bits are
// taken, of any strides; other tensors, such as undefined, sparse and meta
// ones, are an Error. S(i) without sizes needs dims that divide evenly. What an
// operator and its backward cost a rank, in bytes, is what they cost on
// buffers.
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

/// Sum over the axis, same shape. Backward: all_reduce(P, R) for dst R,
/// nothing to communicate for dst I.
template <class Src, class Dst>
[[nodiscard]] at::Tensor all_reduce(const at::Tensor &x, const Axis &axis,
                                    Src src, Dst dst, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::AllReduce>(x, axis, src, dst,
                                                            at);
}

/// The mean over the axis, same shape; whole numbers are an Error. Backward:
/// all_reduce_mean(P, R) for dst R, a scaling for dst I.
template <class Src, class Dst>
[[nodiscard]] at::Tensor all_reduce_mean(const at::Tensor &x, const Axis &axis,
                                         Src src, Dst dst,
                                         Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::AllReduce>(
      x, axis, src, dst, at, {/*Mean=*/true});
}

/// All values on every rank: concatenated on dim i from S(i), stacked on a new
/// leading dim from V. Backward: reduce_scatter for dst R, a slice for dst I.
template <class Src, class Dst>
[[nodiscard]] at::Tensor all_gather(const at::Tensor &x, const Axis &axis,
                                    Src src, Dst dst, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::AllGather>(x, axis, src, dst,
                                                            at);
}

/// Sum over the axis of which each rank keeps its part. Backward: all_gather.
template <class Src, class Dst>
[[nodiscard]] at::Tensor reduce_scatter(const at::Tensor &x, const Axis &axis,
                                        Src src, Dst dst,
                                        Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::ReduceScatter>(x, axis, src,
                                                                dst, at);
}

/// The sharded dim changes from i to j. Backward: from j to i.
template <class Src, class Dst>
[[nodiscard]] at::Tensor all_to_all(const at::Tensor &x, const Axis &axis,
                                    Src src, Dst dst, Site at = Site::here()) {
  detail::checkAllToAll<Src, Dst>();
  return detail::runChecked<rules::OperatorKind::AllToAll>(x, axis, src, dst,
                                                           at);
}

/// Rows of the leading dim go to the ranks, and come from them, as the counts
/// say. Backward: the same with the counts swapped.
template <class Src, class Dst>
[[nodiscard]] at::Tensor
all_to_all(const at::Tensor &x, const Axis &axis, Src src, Dst dst,
           const ChunkSizes &send_counts, const ChunkSizes &recv_counts,
           Site at = Site::here()) {
  detail::checkAllToAll<Src, Dst>();
  return detail::runChecked<rules::OperatorKind::AllToAll>(
      x, axis, src, dst, at, detail::countsOf(send_counts, recv_counts));
}

/// Each rank's value goes to the one that \p to names, and zeros are where none
/// comes. Backward: the inverse.
template <class Src, class Dst>
[[nodiscard]] at::Tensor permute(const at::Tensor &x, const Axis &axis, Src src,
                                 Dst dst, const Permutation &to,
                                 Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Permute>(x, axis, src, dst, at,
                                                          to.on(axis, at));
}

/// What \p root has, on all ranks. Backward: the sum of the gradients on the
/// root for dst R, the gradient on the root for dst I, zeros on all others.
template <class Src, class Dst>
[[nodiscard]] at::Tensor broadcast(const at::Tensor &x, const Axis &axis,
                                   Src src, Dst dst, int root,
                                   Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Broadcast>(x, axis, src, dst,
                                                            at, {false, root});
}

/// The sum over the axis on \p root, zeros on all others. Backward: the root's
/// gradient, on all ranks.
template <class Src, class Dst>
[[nodiscard]] at::Tensor reduce(const at::Tensor &x, const Axis &axis, Src src,
                                Dst dst, int root, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Reduce>(x, axis, src, dst, at,
                                                         {false, root});
}

/// x on \p root, zeros on all others. Backward: a broadcast to I.
template <class Src, class Dst>
[[nodiscard]] at::Tensor keep(const at::Tensor &x, const Axis &axis, Src src,
                              Dst dst, int root, Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::Keep>(x, axis, src, dst, at,
                                                       {false, root});
}

/// The mean over the axis of which each rank keeps its part. Backward:
/// all_gather, scaled.
template <class Src, class Dst>
[[nodiscard]] at::Tensor reduce_scatter_mean(const at::Tensor &x,
                                             const Axis &axis, Src src, Dst dst,
                                             Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::ReduceScatter>(
      x, axis, src, dst, at, {/*Mean=*/true});
}

/// The greatest, or the least, of the ranks' elements. No gradient: an operand
/// that requires one is an Error, give it x.detach().
template <class Src, class Dst>
[[nodiscard]] at::Tensor all_reduce_max(const at::Tensor &x, const Axis &axis,
                                        Src src, Dst dst,
                                        Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::AllReduceMax>(x, axis, src,
                                                               dst, at);
}
template <class Src, class Dst>
[[nodiscard]] at::Tensor all_reduce_min(const at::Tensor &x, const Axis &axis,
                                        Src src, Dst dst,
                                        Site at = Site::here()) {
  return detail::runChecked<rules::OperatorKind::AllReduceMin>(x, axis, src,
                                                               dst, at);
}

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
