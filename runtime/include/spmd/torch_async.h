//===- torch_async.h - Operators on tensors, waited for ---------*- C++ -*-===//
//
// spmd/async.h on tensors. The wait returns the result and records the operator
// for autograd; the backward is that of the operator without `_async`.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TORCH_ASYNC_H
#define SPMD_TORCH_ASYNC_H

#include "spmd/async.h"
#include "spmd/torch_redistribute.h"
#include "spmd/torch_transition.h"

#include <functional>

namespace spmd {

/// An operator on a tensor under way: spmd::Work, with the result. It keeps the
/// tensors; the operand is not written until the wait.
class [[nodiscard]] TensorWork {
public:
  /// Given the result, records the operator for autograd.
  using Record = std::function<at::Tensor(const at::Tensor &)>;

  /// Started by the operators below: \p Running, which reads \p In and writes
  /// \p Out, over \p On if that is one axis, else by \p Plan.
  TensorWork(at::Tensor In, at::Tensor Out, Work Running, Record Recorded,
             Axis On,
             std::shared_ptr<const detail::Redistribution> Plan = nullptr)
      : In(std::move(In)), Out(std::move(Out)), Recorded(std::move(Recorded)),
        On(std::move(On)), Plan(std::move(Plan)), Began(this->In),
        Running(std::move(Running)) {}
  TensorWork(TensorWork &&) = default;
  ~TensorWork() {
    const bool Ends = Recorded != nullptr && !Failed;
    if (Ends)
      useHere();
    {
      const detail::TensorStream Here(Out);
      const Work Last = std::move(Running);
    }
    if (Ends)
      keepIfHeld();
  }
  /// What was here ends with \p Other, whole.
  TensorWork &operator=(TensorWork &&Other) noexcept {
    std::swap(In, Other.In);
    std::swap(Out, Other.Out);
    std::swap(Recorded, Other.Recorded);
    std::swap(Failed, Other.Failed);
    std::swap(On, Other.On);
    std::swap(Plan, Other.Plan);
    std::swap(Began, Other.Began);
    std::swap(Running, Other.Running);
    return *this;
  }

  /// The result, also when called again. What the operator met is thrown; then
  /// there is no result, and to ask again is an Error.
  at::Tensor wait() {
    if (Failed)
      detail::fail("spmd::TensorWork: the operator has failed in the wait "
                   "before this one, there is no result");
    if (Recorded) {
      Failed = true;
      useHere();
      try {
        const detail::TensorStream Here(Out);
        Running.wait();
      } catch (...) {
        keepIfHeld();
        throw;
      }
      Failed = false;
      Out = std::exchange(Recorded, nullptr)(Out);
      In = at::Tensor();
    }
    return Out;
  }
  bool done() const { return Running.done(); }

private:
  void useHere() const {
    Began.isUsedHere(In);
    Began.isUsedHere(Out);
  }
  void keepIfHeld() const {
    if (detail::mayHold(On, Out) || (Plan && detail::mayHold(*Plan, Out)))
      detail::keepForGood(In, Out);
  }

  at::Tensor In, Out;
  Record Recorded;
  bool Failed = false; ///< the tensors may still be the transport's
  Axis On;
  std::shared_ptr<const detail::Redistribution> Plan;
  detail::MadeOn Began;
  /// Last, so that one that is dropped ends before its tensors.
  Work Running;
};

namespace detail {

[[nodiscard]] inline TensorWork
startTransition(OperatorKind Op, const at::Tensor &X, const Axis &A,
                const Placement &Src, const Placement &Dst, Site At,
                const Details &D = {}) {
  checkTensor(X, operatorName(Op, D.Mean), At, memoryOver(Op, A, X));
  const TensorStream Here(X);
  const Call C = callOf(Op, A, Src, Dst, dtypeOf(X), shapeOf(X), At, D);
  checkGradient(C, X);
  const bool Moves = rules::communicates(Op) && A.size() > 1;
  const at::Tensor In = denseOf(X);
  const at::Tensor Out =
      Moves ? at::empty(sizesOf(resultShape(C)), In.options()) : In.detach();
  return TensorWork(
      In, Out,
      startTransition(Moves ? Op : OperatorKind::Reinterpret, viewOf(In),
                      viewOf(Out), A, Src, Dst, At, Moves ? D : Details()),
      [=](const at::Tensor &Result) {
        if (Moves && rules::isSelection(Op))
          return Result;
        if (Moves)
          return TransitionFunction::apply(X, Op, A, Src, Dst, At, D,
                                           Ready{Result});
        // redistribute between equal types has no row.
        return Src == Dst && Op == OperatorKind::Reinterpret
                   ? X
                   : runTransition(Op, X, A, Src, Dst, At, D);
      },
      A);
}

template <OperatorKind Op, class Src, class Dst>
[[nodiscard]] TensorWork startChecked(const at::Tensor &X, const Axis &A,
                                      Src From, Dst To, Site At,
                                      const Details &D = {}) {
  checkTransition<Op, Src, Dst, false>();
  return startTransition(Op, X, A, From, To, At, D);
}

} // namespace detail

#define SPMD_OPERATOR(NAME, OP, MEAN)                                          \
  template <class Src, class Dst>                                              \
  [[nodiscard]] TensorWork NAME##_async(const at::Tensor &x, const Axis &axis, \
                                        Src src, Dst dst,                      \
                                        Site at = Site::here()) {              \
    return detail::startChecked<rules::OperatorKind::OP>(x, axis, src, dst,    \
                                                         at, {MEAN});          \
  }
#define SPMD_ELEMENTWISE(NAME, OP, MEAN) SPMD_OPERATOR(NAME, OP, MEAN)
#define SPMD_TOLD(NAME, OP, DETAILS, ...)                                      \
  template <class Src, class Dst>                                              \
  [[nodiscard]] TensorWork NAME##_async(const at::Tensor &x, const Axis &axis, \
                                        Src src, Dst dst, __VA_ARGS__,         \
                                        Site at = Site::here()) {              \
    return detail::startChecked<rules::OperatorKind::OP>(x, axis, src, dst,    \
                                                         at, DETAILS);         \
  }
#include "spmd/operators.def"

/// What needs no other rank is done by the wait.
template <class Src, class Dst>
[[nodiscard]] TensorWork redistribute_async(const at::Tensor &x,
                                            const Axis &axis, Src src, Dst dst,
                                            Site at = Site::here()) {
  detail::checkRedistribute<Src, Dst>();
  const Placement From = detail::placementOf(src),
                  To = detail::placementOf(dst);
  return detail::startTransition(detail::redistributeBy(From, To), x, axis,
                                 From, To, at);
}

/// redistribute over a mesh, as started on raw buffers (spmd/async.h): the wait
/// runs the steps after the first that communicates. Backward: that of
/// redistribute, which is not started.
[[nodiscard]] inline TensorWork redistribute_async(const at::Tensor &x,
                                                   const Mesh &mesh,
                                                   std::string_view src_spec,
                                                   std::string_view dst_spec,
                                                   Site at = Site::here()) {
  detail::checkTensor(x, "redistribute", at, detail::memoryOver(mesh, x));
  const detail::TensorStream Here(x);
  const std::shared_ptr<const detail::Redistribution> Plan =
      detail::planned(mesh, src_spec, dst_spec, detail::shapeOf(x), at);
  const bool Moves = !detail::isIdentity(*Plan);
  const at::Tensor In = detail::denseOf(x);
  const at::Tensor Out =
      Moves
          ? at::empty(detail::sizesOf(detail::resultShape(*Plan)), In.options())
          : In.detach();
  return TensorWork(
      In, Out,
      detail::startRedistribution(Plan, detail::viewOf(In), detail::viewOf(Out),
                                  at),
      [=](const at::Tensor &Result) {
        if (detail::changesNothing(*Plan, mesh))
          return x;
        return detail::RedistributeFunction::apply(
            x, Plan, mesh, at, detail::Ready{Moves ? Result : at::Tensor()});
      },
      Axis(), Plan);
}

} // namespace spmd

#endif // SPMD_TORCH_ASYNC_H
