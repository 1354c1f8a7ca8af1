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
                                                     at, /*Mean=*/true);
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
  detail::checkAllToAll<Src, Dst>();
  detail::runChecked<rules::OperatorKind::AllToAll>(in, out, axis, src, dst,
                                                    at);
}

} // namespace spmd

#endif // SPMD_COLLECTIVES_H
