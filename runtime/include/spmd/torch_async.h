//===- torch_async.h - Operators on tensors, waited for ---------*- C++ -*-===//
//
// spmd/async.h on tensors. The wait returns the result and records the operator
// for autograd; the backward is that of the operator without `_async`.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TORCH_ASYNC_H
#define SPMD_TORCH_ASYNC_H

#include "spmd/async.h"
#include "spmd/torch_transition.h"

namespace spmd {

/// An operator on a tensor under way: spmd::Work, with the result. It keeps the
/// tensors; the operand is not written until the wait.
class [[nodiscard]] TensorWork {
public:
  /// Started by the operators below.
  TensorWork(rules::OperatorKind Op, const at::Tensor &X, const Axis &A,
             const Placement &Src, const Placement &Dst, Site At)
      : Op(Op), X(X), A(A), Src(Src), Dst(Dst), At(At), In(X.contiguous()) {
    using rules::OperatorKind;
    const bool Moves = rules::communicates(Op) && A.size() > 1;
    Out = Moves ? at::empty(detail::sizesOf(result()), In.options())
                : In.detach();
    Running = detail::startTransition(Moves ? Op : OperatorKind::Reinterpret,
                                      detail::viewOf(In), detail::viewOf(Out),
                                      A, Src, Dst, At);
  }

  /// The result, also when called again. What the operator met is thrown, once.
  at::Tensor wait() {
    if (In.defined()) {
      Running.wait();
      Out = recorded();
      In = X = at::Tensor();
    }
    return Out;
  }
  bool done() const { return Running.done(); }

private:
  Shape result() const {
    return detail::resultShape(
        {Op, A, Src, Dst, detail::dtypeOf(X), detail::shapeOf(X), At});
  }
  at::Tensor recorded() const {
    if (rules::communicates(Op) && A.size() > 1)
      return detail::TransitionFunction::apply(X, Op, A, Src, Dst, At,
                                               detail::Ready{Out});
    // Between equal types the table has no row.
    return Src == Dst ? X : detail::runTransition(Op, X, A, Src, Dst, At);
  }

  rules::OperatorKind Op;
  at::Tensor X;
  Axis A;
  Placement Src, Dst;
  Site At;
  at::Tensor In, Out;
  /// Last, so that one that is dropped ends before its tensors.
  Work Running;
};

namespace detail {
template <OperatorKind Op, class Src, class Dst>
[[nodiscard]] TensorWork startChecked(const at::Tensor &X, const Axis &A,
                                      Src From, Dst To, Site At) {
  checkTransition<Op, Src, Dst, false>();
  return TensorWork(Op, X, A, From, To, At);
}
} // namespace detail

template <class Src, class Dst>
[[nodiscard]] TensorWork all_reduce_async(const at::Tensor &x, const Axis &axis,
                                          Src src, Dst dst,
                                          Site at = Site::here()) {
  return detail::startChecked<rules::OperatorKind::AllReduce>(x, axis, src, dst,
                                                              at);
}

template <class Src, class Dst>
[[nodiscard]] TensorWork all_gather_async(const at::Tensor &x, const Axis &axis,
                                          Src src, Dst dst,
                                          Site at = Site::here()) {
  return detail::startChecked<rules::OperatorKind::AllGather>(x, axis, src, dst,
                                                              at);
}

template <class Src, class Dst>
[[nodiscard]] TensorWork reduce_scatter_async(const at::Tensor &x,
                                              const Axis &axis, Src src,
                                              Dst dst, Site at = Site::here()) {
  return detail::startChecked<rules::OperatorKind::ReduceScatter>(x, axis, src,
                                                                  dst, at);
}

template <class Src, class Dst>
[[nodiscard]] TensorWork all_to_all_async(const at::Tensor &x, const Axis &axis,
                                          Src src, Dst dst,
                                          Site at = Site::here()) {
  detail::checkAllToAll<Src, Dst>();
  return detail::startChecked<rules::OperatorKind::AllToAll>(x, axis, src, dst,
                                                             at);
}

/// What needs no other rank is done by the wait.
template <class Src, class Dst>
[[nodiscard]] TensorWork redistribute_async(const at::Tensor &x,
                                            const Axis &axis, Src src, Dst dst,
                                            Site at = Site::here()) {
  detail::checkRedistribute<Src, Dst>();
  const Placement From = src, To = dst;
  return TensorWork(detail::redistributeBy(From, To), x, axis, From, To, at);
}

} // namespace spmd

#endif // SPMD_TORCH_ASYNC_H
