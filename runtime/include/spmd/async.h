//===- async.h - Typed collectives that are waited for ----------*- C++ -*-===//
//
// The operators of spmd/collectives.h and redistribute, started: each takes
// what the one without `_async` takes, checks it, and returns a handle whose
// wait() ends the operator. Diagrams, shapes, costs and backwards are those of
// the operator; what the ranks or the transport have to say against it is
// thrown by wait().
//
//     spmd::Work Sum = spmd::all_reduce_async(grad, dp, spmd::P, spmd::I);
//     …                                    // grad is left alone
//     Sum.wait();
//
// All ranks of an axis start the same operators in the same order; they may
// wait in any order, and start operators on other axes in between. An operator
// without `_async` on the same axis takes its place in that order, and so does
// what redistribute_async over a mesh leaves to the wait.
//
// Ranks as threads and communicators that say nothing else work on a thread of
// their own, one an axis; over MPI the operator is nonblocking and moves on in
// calls of MPI; NCCL's run on a stream of their own.
// With SPMD_CHECK=1 the whole operator is done at the start.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ASYNC_H
#define SPMD_ASYNC_H

#include "spmd/redistribute.h"
#include "spmd/work.h"

namespace spmd {

namespace detail {

/// Starts \p Op from \p Src to \p Dst, a pair that the table has. What needs no
/// other rank is done at once, but is to be waited for as all others.
[[nodiscard]] Work startTransition(OperatorKind Op, const View &In,
                                   const View &Out, const Axis &A,
                                   const Placement &Src, const Placement &Dst,
                                   Site At, const Details &D = {});

/// The same for tags, checked by the compiler first.
template <OperatorKind Op, class Src, class Dst>
[[nodiscard]] Work startChecked(const View &In, const View &Out, const Axis &A,
                                const Src &From, const Dst &To, Site At,
                                const Details &D = {}) {
  checkTransition<Op, Src, Dst, false>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    return startTransition(Op, In, Out, A, From, To, At, D);
  else
    return Work();
}

} // namespace detail

#define SPMD_OPERATOR(NAME, OP, MEAN)                                          \
  template <class Src, class Dst>                                              \
  [[nodiscard]] Work NAME##_async(const View &in, const View &out,             \
                                  const Axis &axis, Src src, Dst dst,          \
                                  Site at = Site::here()) {                    \
    return detail::startChecked<rules::OperatorKind::OP>(in, out, axis, src,   \
                                                         dst, at, {MEAN});     \
  }
#define SPMD_ELEMENTWISE(NAME, OP, MEAN)                                       \
  SPMD_OPERATOR(NAME, OP, MEAN)                                                \
  template <class Src, class Dst>                                              \
  [[nodiscard]] Work NAME##_async(const View &x, const Axis &axis, Src src,    \
                                  Dst dst, Site at = Site::here()) {           \
    return NAME##_async(x, x, axis, src, dst, at);                             \
  }
#define SPMD_TOLD(NAME, OP, DETAILS, ...)                                      \
  template <class Src, class Dst>                                              \
  [[nodiscard]] Work NAME##_async(const View &in, const View &out,             \
                                  const Axis &axis, Src src, Dst dst,          \
                                  __VA_ARGS__, Site at = Site::here()) {       \
    return detail::startChecked<rules::OperatorKind::OP>(in, out, axis, src,   \
                                                         dst, at, DETAILS);    \
  }
#include "spmd/operators.def"

template <class Src, class Dst>
[[nodiscard]] Work redistribute_async(const View &in, const View &out,
                                      const Axis &axis, Src src, Dst dst,
                                      Site at = Site::here()) {
  detail::checkRedistribute<Src, Dst>();
  const Placement From = detail::placementOf(src),
                  To = detail::placementOf(dst);
  return detail::startTransition(detail::redistributeBy(From, To), in, out,
                                 axis, From, To, at);
}

/// redistribute from any spec to any other, by the same steps: the handle runs
/// them all. The first one that communicates is under way from the start, after
/// the local ones before it; those after it are run by the wait, on the calling
/// thread or the axes' own stream, and take their places among the operators on
/// their axes there: ranks wait at one place of the program. \p out may be
/// \p in where redistribute allows it.
///
///     "[4@a]{b: P}" to "[4@b]{a: R}"
///     start:  reduce_scatter over b, under way
///     wait:   its result, then all_to_all over (a,b)
///
/// Shapes, backward and cost are those of redistribute. What needs no other
/// rank to be seen is thrown here, what a step meets by the wait, in which no
/// step follows it.
[[nodiscard]] inline Work redistribute_async(const View &in, const View &out,
                                             const Mesh &mesh,
                                             std::string_view src_spec,
                                             std::string_view dst_spec,
                                             Site at = Site::here()) {
  return detail::startRedistribution(
      detail::planned(mesh, src_spec, dst_spec, in.shape(), at), in, out, at);
}

} // namespace spmd

#endif // SPMD_ASYNC_H
