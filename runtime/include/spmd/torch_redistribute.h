//===- torch_redistribute.h - Redistribution of one tensor ------*- C++ -*-===//

#ifndef SPMD_TORCH_REDISTRIBUTE_H
#define SPMD_TORCH_REDISTRIBUTE_H

#include "spmd/redistribute.h"
#include "spmd/torch_transition.h"

namespace spmd {
namespace detail {

/// As over an axis.
inline const Memory *memoryOver(const Mesh &M, const at::Tensor &X) {
  const BackendScope Where(X.defined() && X.is_cuda());
  return M.size() > 1 ? &backend()->memory() : nullptr;
}
inline bool mayHold(const Redistribution &R, const at::Tensor &X) {
  const BackendScope Where(X.is_cuda());
  return mayHold(R);
}

/// With SPMD_CHECK=1, what is said of an operand that is the result.
inline void checkUnchanged(const at::Tensor &X, const Redistribution &R,
                           Site At) {
  if (!checksCalls())
    return;
  const at::Tensor In = denseOf(X);
  run(R, viewOf(In), viewOf(In), At);
}

inline at::Tensor redistributed(const at::Tensor &X, const Redistribution &R,
                                Site At) {
  if (isIdentity(R)) {
    checkUnchanged(X, R, At);
    return X.view_as(X);
  }
  const TensorStream Here(X);
  const at::Tensor In = denseOf(X);
  at::Tensor Out = at::empty(sizesOf(resultShape(R)), In.options());
  try {
    run(R, viewOf(In), viewOf(Out), At);
  } catch (...) {
    if (mayHold(R, In))
      keepForGood(In, Out);
    throw;
  }
  return Out;
}

/// By \p Plan of \p On, recorded for autograd.
at::Tensor redistributed(const at::Tensor &X,
                         const std::shared_ptr<const Redistribution> &Plan,
                         const Mesh &On, Site At);

struct RedistributeFunction : torch::autograd::Function<RedistributeFunction> {
  /// What the backward needs to know of the forward.
  struct Record : torch::CustomClassHolder {
    Record(std::shared_ptr<const Redistribution> Plan, const Mesh &On, Site At)
        : Plan(std::move(Plan)), On(On), At(At) {}
    std::shared_ptr<const Redistribution> Plan;
    Mesh On;
    Site At;
  };

  static at::Tensor forward(torch::autograd::AutogradContext *Context,
                            const at::Tensor &X,
                            const std::shared_ptr<const Redistribution> &Plan,
                            const Mesh &On, Site At, const Ready &Before) {
    Context->saved_data["spmd"] =
        c10::IValue::make_capsule(c10::make_intrusive<Record>(Plan, On, At));
    return Before.Out.defined() ? Before.Out : redistributed(X, *Plan, At);
  }

  static torch::autograd::tensor_list
  backward(torch::autograd::AutogradContext *Context,
           const torch::autograd::tensor_list &Grads) {
    const c10::intrusive_ptr<torch::CustomClassHolder> Capsule =
        Context->saved_data["spmd"].toCapsule();
    const auto &Of = static_cast<const Record &>(*Capsule);
    // Kept by the plan that it is the dual of.
    const std::shared_ptr<const Redistribution> Back(Of.Plan,
                                                     &dual(*Of.Plan, Of.On));
    const at::Tensor None;
    return {redistributed(Grads[0], Back, Of.On, Of.At), None, None, None,
            None};
  }
};

/// Whether neither the tensor nor its gradient changes.
inline bool changesNothing(const Redistribution &R, const Mesh &On) {
  return isIdentity(R) && isIdentity(dual(R, On));
}

inline at::Tensor
redistributed(const at::Tensor &X,
              const std::shared_ptr<const Redistribution> &Plan, const Mesh &On,
              Site At) {
  if (changesNothing(*Plan, On)) {
    checkUnchanged(X, *Plan, At);
    return X;
  }
  return RedistributeFunction::apply(X, Plan, On, At, Ready());
}

} // namespace detail

/// From any spec to any other, as on raw buffers (spmd/redistribute.h); the
/// result is a new tensor, or \p x where neither it nor its gradient changes.
/// Backward: the redistribution of the gradient from dual(dst_spec) to
/// dual(src_spec), recorded in turn where a graph of it is asked for.
[[nodiscard]] inline at::Tensor
redistribute(const at::Tensor &x, const Mesh &mesh, std::string_view src_spec,
             std::string_view dst_spec, Site at = Site::here()) {
  detail::checkTensor(x, "redistribute", at, detail::memoryOver(mesh, x));
  return detail::redistributed(
      x, detail::planned(mesh, src_spec, dst_spec, detail::shapeOf(x), at),
      mesh, at);
}

} // namespace spmd

#endif // SPMD_TORCH_REDISTRIBUTE_H
