//===- collectives.h - Typed collectives on raw buffers ---------*- C++ -*-===//
//
// SPMD types for PyTorch, "Comms by API". In the diagrams a line is a rank,
// `=>` runs forward, `<=` shows the gradient, a leading plus is a pending sum,
// and what is written on one line only is the same on all ranks.
//
// Common to all: every rank of the axis makes the call with the same shapes;
// extents, strides and chunk sizes count elements. Operand and result do not
// overlap unless said otherwise; strided views are packed and unpacked. The
// axis may be several, flattened: then one call does what one after the other
// would. Costs are what a rank receives on N ranks for an operand of b bytes,
// however the transport spreads it. Errors (spmd::Error): shapes or dtypes that
// do not fit, buffers that overlap or have no address, a dim out of range, a
// dim that does not divide evenly over the axis, no backend installed on an
// axis of two ranks or more. Raw buffers have no autograd: the backward is the
// operator named, to be called on the gradient's buffer.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_H
#define SPMD_COLLECTIVES_H

#include "spmd/transition.h"

namespace spmd {

/// all_reduce(x, axis, P, R|I): sums over the axis. \p out has the shape of
/// \p in and may be the same buffer. A src of V is reinterpreted as P first.
/// Cost: 2b(N - 1)/N bytes on a ring; backward the same for R, none for I.
///
///     +[A]                          P -> R, backward all_reduce(P, R)
///     +[B]  =>  [A + B + C]                               +[Gx]
///     +[C]                              [Gx + Gy + Gz] <= +[Gy]
///                                                         +[Gz]
///                                   P -> I, backward reinterpret(I, R)
///                                       [G]  <=  [G]
template <class Src, class Dst>
void all_reduce(const View &in, const View &out, const Axis &axis, Src src,
                Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllReduce>(in, out, axis, src, dst,
                                                     at);
}
/// The same in place.
template <class Src, class Dst>
void all_reduce(const View &x, const Axis &axis, Src src, Dst dst,
                Site at = Site::here()) {
  all_reduce(x, x, axis, src, dst, at);
}

/// scale(x, axis, by): \p x times \p by, in place, in the memory that the axis
/// works on; each element is rounded once. Linear: any type stays what it is,
/// and the backward is the same on the gradient. Whole numbers are an Error.
/// Costs no bytes on the axis.
inline void scale(const View &x, const Axis &axis, double by,
                  Site at = Site::here()) {
  detail::scale(x, axis, by, at);
}

/// all_reduce_mean(x, axis, P, R|I): the mean over the axis, the same bits on
/// all ranks. Shapes and errors are those of all_reduce; whole numbers are an
/// Error. Cost: the bytes of all_reduce, and none in memory where the reduction
/// averages: ranks as threads scale each sum before it is written, halves
/// before they are rounded; NCCL scales what it adds. Over MPI and process
/// groups a pass over the result scales it, in place: b bytes read and written.
///
///     +[A]                              P -> R, backward all_reduce_mean(P, R)
///     +[B]  =>  [(A + B + C) / 3]           [(Gx + Gy + Gz) / 3]  <=  +[Gx] …
///     +[C]                              P -> I, backward scale(g, axis, 1 / 3)
///                                           [G / 3]  <=  [G]
template <class Src, class Dst>
void all_reduce_mean(const View &in, const View &out, const Axis &axis, Src src,
                     Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllReduce>(in, out, axis, src, dst,
                                                     at, {/*Mean=*/true});
}
/// The same in place.
template <class Src, class Dst>
void all_reduce_mean(const View &x, const Axis &axis, Src src, Dst dst,
                     Site at = Site::here()) {
  all_reduce_mean(x, x, axis, src, dst, at);
}

/// all_gather(x, axis, V|S(i), R|I): every rank gets all values. From S(i) they
/// are concatenated on dim i, which grows by the size of the axis; from V they
/// are stacked on a new leading dim. \p in may be this rank's piece of \p out,
/// in its place. Cost: b(N - 1) bytes; backward the same for R, none for I.
///
///     [A]                V -> R, backward reduce_scatter(P, V)
///     [B]  =>  [A, B, C]     [Fx + Gx + Hx]      +[Fx, Fy, Fz]
///     [C]                    [Fy + Gy + Hy]  <=  +[Gx, Gy, Gz]
///                            [Fz + Gz + Hz]      +[Hx, Hy, Hz]
///                        V -> I, backward convert(I, V)
///                            [Gx]
///                            [Gy]  <=  [Gx, Gy, Gz]
///                            [Gz]
template <class Src, class Dst>
void all_gather(const View &in, const View &out, const Axis &axis, Src src,
                Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllGather>(in, out, axis, src, dst,
                                                     at);
}

/// reduce_scatter(x, axis, P, V|S(i)): sums over the axis and keeps this rank's
/// part: chunk of dim i for S(i), entry of the leading dim, which is as long as
/// the axis, for V. A src of V is reinterpreted as P first. \p out may be this
/// rank's piece of \p in, in its place; the rest of \p in stays what it is.
/// Cost: b(N - 1)/N bytes, backward the same.
///
///     +[Ax, Ay, Az]      [Ax + Bx + Cx]
///     +[Bx, By, Bz]  =>  [Ay + By + Cy]
///     +[Cx, Cy, Cz]      [Az + Bz + Cz]
///
///     P -> V, backward all_gather(V, R)     [Gx]
///                          [Gx, Gy, Gz]  <= [Gy]
///                                           [Gz]
template <class Src, class Dst>
void reduce_scatter(const View &in, const View &out, const Axis &axis, Src src,
                    Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::ReduceScatter>(in, out, axis, src,
                                                         dst, at);
}

/// all_to_all(x, axis, S(i), S(j)): the sharded dim changes from i to j, that
/// is dim i grows and dim j shrinks by the size of the axis. all_to_all(x,
/// axis, V, V) exchanges entries of the leading dim. From S(i) to S(i) nothing
/// moves; to cut a dim anew is an Error. Cost: b(N - 1)/N bytes,
/// backward the same.
///
///     [A0, A1, A2]      [A0, B0, C0]
///     [B0, B1, B2]  =>  [A1, B1, C1]
///     [C0, C1, C2]      [A2, B2, C2]
///
///     V -> V, backward all_to_all with src and dst swapped
///     [F0, G0, H0]      [F0, F1, F2]
///     [F1, G1, H1]  <=  [G0, G1, G2]
///     [F2, G2, H2]      [H0, H1, H2]
template <class Src, class Dst>
void all_to_all(const View &in, const View &out, const Axis &axis, Src src,
                Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllToAll>(in, out, axis, src, dst,
                                                    at);
}

/// all_to_all(x, axis, V, V, send_counts, recv_counts): rows of the leading dim
/// go to the ranks in order, send_counts[r] of them to rank r, and \p out has
/// recv_counts[r] from each, in rank order: experts get what is routed to them,
/// however much it is. Errors: counts that are not one a rank, that are
/// negative, or do not add up to the rows; where no one compares before, a rank
/// that sends other than is expected is one too, or ends with the deadline.
/// Cost: what others send; backward the same with the counts swapped.
///
///     [A0, A1, A1]      [A0, B0]
///     [B0, B2]      =>  [A1, A1]
///     [C2]              [B2, C2]
template <class Src, class Dst>
void all_to_all(const View &in, const View &out, const Axis &axis, Src src,
                Dst dst, const ChunkSizes &send_counts,
                const ChunkSizes &recv_counts, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllToAll>(
      in, out, axis, src, dst, at, detail::countsOf(send_counts, recv_counts));
}

/// permute(x, axis, V, V, to): each rank's value goes to the rank that \p to
/// names, spmd::shift(1) around a ring say, spmd::shift(1, false) along a
/// pipeline. Who receives nothing has zeros. Cost: b bytes; backward the
/// inverse permutation.
///
///     [A]      [C]      shift(1), V -> V, backward shift(-1)
///     [B]  =>  [A]          [Gy]      [Gx]
///     [C]      [B]          [Gz]  <=  [Gy]
///                           [Gx]      [Gz]
template <class Src, class Dst>
void permute(const View &in, const View &out, const Axis &axis, Src src,
             Dst dst, const Permutation &to, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::Permute>(in, out, axis, src, dst, at,
                                                   to.on(axis, at));
}

/// broadcast(x, axis, V, R|I, root): all ranks get what \p root has; what the
/// others have does not matter, so that they get no gradient. \p out may be the
/// same buffer as \p in. Cost: b bytes; backward a reduce to the root for R,
/// none for I.
///
///     [A]                V -> R, root 1, backward reduce(P, V)
///     [B]  =>  [B]           [0]                +[Gx]
///     [C]                    [Gx + Gy + Gz] <=  +[Gy]
///                            [0]                +[Gz]
///                        V -> I, backward keep(I, V)
///                            [0]
///                            [G]  <=  [G]
///                            [0]
template <class Src, class Dst>
void broadcast(const View &in, const View &out, const Axis &axis, Src src,
               Dst dst, int root, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::Broadcast>(
      in, out, axis, src, dst, at, detail::rootedAt(root));
}
/// The same in place.
template <class Src, class Dst>
void broadcast(const View &x, const Axis &axis, Src src, Dst dst, int root,
               Site at = Site::here()) {
  broadcast(x, x, axis, src, dst, root, at);
}

/// reduce(x, axis, P, V, root): \p root gets the sum over the axis, all others
/// zeros. A src of V is reinterpreted as P first. Cost: b bytes; backward a
/// broadcast from the root.
///
///     +[A]      [0]              P -> V, root 1, backward broadcast(V, R)
///     +[B]  =>  [A + B + C]                  [Gx]
///     +[C]      [0]                [Gy]  <=  [Gy]
///                                            [Gz]
template <class Src, class Dst>
void reduce(const View &in, const View &out, const Axis &axis, Src src, Dst dst,
            int root, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::Reduce>(in, out, axis, src, dst, at,
                                                  detail::rootedAt(root));
}

/// keep(x, axis, I, V, root): \p root keeps its value, all others have zeros.
/// The backward of a broadcast to I. \p out may be the same buffer as \p in.
/// Cost: none; backward a broadcast to I.
template <class Src, class Dst>
void keep(const View &in, const View &out, const Axis &axis, Src src, Dst dst,
          int root, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::Keep>(in, out, axis, src, dst, at,
                                                detail::rootedAt(root));
}

/// reduce_scatter_mean(x, axis, P, V|S(i)): reduce_scatter, of the mean over
/// the axis. Whole numbers are an Error. Backward: all_gather(V, R), scaled.
template <class Src, class Dst>
void reduce_scatter_mean(const View &in, const View &out, const Axis &axis,
                         Src src, Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::ReduceScatter>(in, out, axis, src,
                                                         dst, at, {true});
}

/// all_reduce_max(x, axis, V, R|I), all_reduce_min: the greatest, or the least,
/// of the ranks' elements, place by place. Of pending sums there is none, so
/// that P is not taken. No gradient: these are not linear. Where one of two
/// elements is a NaN, either may be taken. \p out may be the same buffer as
/// \p in. Cost: that of all_reduce.
template <class Src, class Dst>
void all_reduce_max(const View &in, const View &out, const Axis &axis, Src src,
                    Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllReduceMax>(in, out, axis, src, dst,
                                                        at);
}
template <class Src, class Dst>
void all_reduce_max(const View &x, const Axis &axis, Src src, Dst dst,
                    Site at = Site::here()) {
  all_reduce_max(x, x, axis, src, dst, at);
}
template <class Src, class Dst>
void all_reduce_min(const View &in, const View &out, const Axis &axis, Src src,
                    Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::AllReduceMin>(in, out, axis, src, dst,
                                                        at);
}
template <class Src, class Dst>
void all_reduce_min(const View &x, const Axis &axis, Src src, Dst dst,
                    Site at = Site::here()) {
  all_reduce_min(x, x, axis, src, dst, at);
}

/// barrier(axis): returns when all ranks of the axis have called it. On a
/// stream, what it is given afterwards runs when all have come.
inline void barrier(const Axis &axis, Site at = Site::here()) {
  detail::barrier(axis, at);
}

} // namespace spmd

#endif // SPMD_COLLECTIVES_H
