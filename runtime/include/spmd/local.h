//===- local.h - Changes of type without communication ----------*- C++ -*-===//
//
// reinterpret and convert of the type system on raw buffers, and what is erased
// at run time. Diagrams as in spmd/collectives.h.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LOCAL_H
#define SPMD_LOCAL_H

#include "spmd/transition.h"

#include <initializer_list>

namespace spmd {

namespace detail {
template <bool Unlocked, class Src, class Dst>
View reinterpretChecked(const View &X, const Axis &A, const Src &From,
                        const Dst &To, Site At) {
  checkTransition<rules::OperatorKind::Reinterpret, Src, Dst, Unlocked>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    if (checksCalls())
      checkOperand(rules::OperatorKind::Reinterpret, X, A, From, To, At);
  return X;
}
} // namespace detail

/// reinterpret(x, axis, src, dst): the same buffer under another type. What it
/// denotes may change: [3] replicated over N ranks and read as partial is [3N].
/// Cost: none, nothing is copied; backward 2b(N - 1)/N bytes where it reduces.
/// The result has the shape of \p x. Errors: with SPMD_CHECK=1, an \p x that is
/// not what src says. Backward, to be called on the gradient:
///
///     I -> R, backward all_reduce(P, I)
///                                           +[Gx]
///     [A]  =>  [A]      [Gx + Gy + Gz]  <=  +[Gy]
///                                           +[Gz]
///
///     I -> V, backward all_reduce(V, I)
///              [A]                          [Gx]
///     [A]  =>  [A]      [Gx + Gy + Gz]  <=  [Gy]
///              [A]                          [Gz]
///
///     V -> P, backward reinterpret(R, V)
///     [A]      +[A]            [G]
///     [B]  =>  +[B]            [G]  <=  [G]
///     [C]      +[C]            [G]
///
/// and with spmd::expert as last argument also
///
///     R -> V, backward reinterpret(V, P)
///              [A]      +[Gx]      [Gx]
///     [A]  =>  [A]      +[Gy]  <=  [Gy]
///              [A]      +[Gz]      [Gz]
///
///     R -> P, backward reinterpret(R, P)
///              +[A]     +[G]
///     [A]  =>  +[A]     +[G]  <=  [G]
///              +[A]     +[G]
///
///     R -> I, backward convert(I, P)
///                      +[G]
///     [A]  =>  [A]     +[0]  <=  [G]
///                      +[0]
template <class Src, class Dst>
View reinterpret(const View &x, const Axis &axis, Src src, Dst dst,
                 Site at = Site::here()) {
  return detail::reinterpretChecked<false>(x, axis, src, dst, at);
}
template <class Src, class Dst>
View reinterpret(const View &x, const Axis &axis, Src src, Dst dst, Expert,
                 Site at = Site::here()) {
  return detail::reinterpretChecked<true>(x, axis, src, dst, at);
}

/// invariant_to_replicate(x, axis): a parameter enters a computation, as
/// Megatron's copy to the tensor-parallel region. The backward is
/// all_reduce(P, I) on the gradient. Shape, errors and cost as of reinterpret.
///
///                                           +[Gx]
///     [A]  =>  [A]      [Gx + Gy + Gz]  <=  +[Gy]
///                                           +[Gz]
inline View invariant_to_replicate(const View &x, const Axis &axis,
                                   Site at = Site::here()) {
  return reinterpret(x, axis, I, R, at);
}

/// convert(x, axis, src, dst): another type for the same denotation, by local
/// means.
///
///     R -> V, I -> V    the rank's part: chunk of dim i for S(i), entry of the
///                       leading dim, as long as the axis, for V
///     R -> P            the value on rank 0, zeros on the others
///     I -> P, V -> P    (spmd::expert) as R -> P; the rank's part between
///                       zeros
///     I -> R            the value, as reinterpret
///
///     R -> V, backward convert(V, P)
///                     [A]            +[Gx, 0, 0]      [Gx]
///     [A, B, C]  =>   [B]            +[0, Gy, 0]  <=  [Gy]
///                     [C]            +[0, 0, Gz]      [Gz]
///
///     I -> V, backward all_gather(V, I)
///                     [A]                              [Gx]
///     [A, B, C]  =>   [B]            [Gx, Gy, Gz]  <=  [Gy]
///                     [C]                              [Gz]
///
///     R -> P, backward convert(R, P)
///              +[A]                  +[G]
///     [A]  =>  +[0]                  +[0]  <=  [G]
///              +[0]                  +[0]
///
///     I -> P, backward reinterpret(R, I)
///              +[A]
///     [A]  =>  +[0]                  [G]  <=  [G]
///              +[0]
///
///     V -> P, backward convert(R, V)
///     [A]      +[A, 0, 0]            [Gx]
///     [B]  =>  +[0, B, 0]            [Gy]  <=  [Gx, Gy, Gz]
///     [C]      +[0, 0, C]            [Gz]
///
/// Cost: no bytes on the axis, one copy of the result in memory; backward b(N -
/// 1) bytes from I to V for a gradient of b, else none.
///
/// \p out has the shape of the result; a dim that does not divide evenly is an
/// Error. Between R, I and P the buffers may be the same, and from R or I to V
/// the result may be the rank's part in its place.
template <class Src, class Dst>
void convert(const View &in, const View &out, const Axis &axis, Src src,
             Dst dst, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::Convert>(in, out, axis, src, dst, at);
}
template <class Src, class Dst>
void convert(const View &in, const View &out, const Axis &axis, Src src,
             Dst dst, Expert, Site at = Site::here()) {
  detail::runChecked<rules::OperatorKind::Convert, true>(in, out, axis, src,
                                                         dst, at);
}
/// The same in place, for the pairs that keep the shape.
template <class Src, class Dst>
void convert(const View &x, const Axis &axis, Src src, Dst dst,
             Site at = Site::here()) {
  convert(x, x, axis, src, dst, at);
}
template <class Src, class Dst>
void convert(const View &x, const Axis &axis, Src src, Dst dst, Expert,
             Site at = Site::here()) {
  convert(x, x, axis, src, dst, expert, at);
}

/// assert_type(x, "tp: R, dp: V") states the type of \p x to spmd-tidy; it is
/// x, of a temporary its value. Costs nothing: the generated code is that
/// without it.
template <class T>
constexpr T assert_type(T &&x, const char *) noexcept(
    std::is_reference<T>::value ||
    std::is_nothrow_constructible<T, T &&>::value) {
  return static_cast<T &&>(x);
}

/// out_partial(torch::linear(h, w), tp): the result of an operation on sharded
/// operands is meant as a pending sum over the axes. It is the value itself;
/// forward V -> P, backward reinterpret(R, V), both without communication.
template <class T, class... Axes>
constexpr T out_partial(T &&value, const Axes &...) {
  static_assert(sizeof...(Axes) > 0,
                "spmd: out_partial takes at least one axis");
  static_assert((std::is_convertible<const Axes &, Axis>::value && ...),
                "spmd: out_partial takes axes after the value");
  return static_cast<T &&>(value);
}

/// local_map(fn, {"tp: S(0)"}, {"tp: P"}): \p fn as a local region of global
/// code. \p In has a type per parameter and \p Out per result; spmd-tidy checks
/// them at the boundary, at run time it is fn.
template <class Fn>
constexpr std::decay_t<Fn> local_map(Fn &&fn,
                                     std::initializer_list<const char *>,
                                     std::initializer_list<const char *>) {
  return static_cast<Fn &&>(fn);
}

} // namespace spmd

#endif // SPMD_LOCAL_H
