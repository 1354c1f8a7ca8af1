//===- torch_transition.h - One transition of one tensor --------*- C++ -*-===//
//
// A row of the transition table as an autograd function: its backward is the
// row's backward, so every pair of rows is written once, in the table.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TORCH_TRANSITION_H
#define SPMD_TORCH_TRANSITION_H

#include "spmd/transition.h"

#include <torch/torch.h>

namespace spmd::detail {

inline DType dtypeOf(OperatorKind Op, const Axis &A, const at::Tensor &X) {
  switch (X.scalar_type()) {
  case at::kHalf:
    return DType::F16;
  case at::kBFloat16:
    return DType::BF16;
  case at::kFloat:
    return DType::F32;
  case at::kDouble:
    return DType::F64;
  case at::kChar:
    return DType::I8;
  case at::kByte:
    return DType::U8;
  case at::kInt:
    return DType::I32;
  case at::kLong:
    return DType::I64;
  default:
    failOn(Op, A,
           std::string("elements of type ") + c10::toString(X.scalar_type()));
  }
}

inline Shape shapeOf(const at::Tensor &X) {
  return Shape(X.sizes().begin(), X.sizes().end());
}
inline at::IntArrayRef sizesOf(const Shape &S) {
  return at::IntArrayRef(S.data(), S.size());
}

inline View viewOf(OperatorKind Op, const Axis &A, const at::Tensor &X) {
  return View(X.data_ptr(), dtypeOf(Op, A, X), shapeOf(X));
}

/// This rank's piece of \p Whole, a view of it.
inline at::Tensor pieceOf(const Axis &A, const Placement &P,
                          const at::Tensor &Whole) {
  const Shape Piece =
      pieceOf(OperatorKind::Convert, A, P, shapeOf(Whole), A.rank());
  if (!P.HasDim)
    return Whole.select(0, A.rank());
  const int Dim = dimOf(OperatorKind::Convert, A, P, Piece);
  return Whole.narrow(Dim, chunkBegin(P, Piece[Dim], A.rank()), Piece[Dim]);
}

/// convert by tensor operations, on whatever device the tensor is.
inline at::Tensor convertTensor(const at::Tensor &X, const Axis &A,
                                const Placement &Src, const Placement &Dst) {
  if (Dst.Type == LocalType::V)
    return pieceOf(A, Dst, X).contiguous();
  if (Src.Type == LocalType::V) {
    at::Tensor Whole =
        at::zeros(sizesOf(wholeOf(OperatorKind::Convert, A, Src, shapeOf(X))),
                  X.options());
    pieceOf(A, Src, Whole).copy_(X);
    return Whole;
  }
  return Dst.Type == LocalType::P && A.rank() != 0 ? at::zeros_like(X)
                                                   : X.clone();
}

inline at::Tensor runForward(OperatorKind Op, const at::Tensor &X,
                             const Axis &A, const Placement &Src,
                             const Placement &Dst) {
  if (Op == OperatorKind::Reinterpret)
    return X.view_as(X);
  if (!rules::communicates(Op))
    return convertTensor(X, A, Src, Dst);
  const at::Tensor In = X.contiguous();
  at::Tensor Out = at::empty(sizesOf(resultShape(Op, A, Src, Dst, shapeOf(In))),
                             In.options());
  runTransition(Op, viewOf(Op, A, In), viewOf(Op, A, Out), A, Src, Dst);
  return Out;
}

/// What the backward needs to know of the forward.
struct TransitionRecord : torch::CustomClassHolder {
  TransitionRecord(OperatorKind Op, const Axis &A, const Placement &Src,
                   const Placement &Dst)
      : Op(Op), A(A), Src(Src), Dst(Dst) {}
  OperatorKind Op;
  Axis A;
  Placement Src, Dst;
};

at::Tensor runTransition(OperatorKind Op, const at::Tensor &X, const Axis &A,
                         const Placement &Src, const Placement &Dst);

struct TransitionFunction : torch::autograd::Function<TransitionFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext *Context,
                            const at::Tensor &X, OperatorKind Op, const Axis &A,
                            const Placement &Src, const Placement &Dst) {
    Context->saved_data["spmd"] = c10::IValue::make_capsule(
        c10::make_intrusive<TransitionRecord>(Op, A, Src, Dst));
    return runForward(Op, X, A, Src, Dst);
  }

  static torch::autograd::tensor_list
  backward(torch::autograd::AutogradContext *Context,
           torch::autograd::tensor_list Grads) {
    const c10::intrusive_ptr<torch::CustomClassHolder> Capsule =
        Context->saved_data["spmd"].toCapsule();
    const auto &Record = static_cast<const TransitionRecord &>(*Capsule);
    const rules::Transition *Row =
        rules::findTransition(Record.Op, Record.Src.Type, Record.Dst.Type);
    // The gradient has the sharded dim of the value on either side.
    Placement Src = Record.Dst, Dst = Record.Src;
    Src.Type = Row->BackwardSrc;
    Dst.Type = Row->BackwardDst;
    return {runTransition(Row->BackwardOp, Grads[0], Record.A, Src, Dst),
            at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

/// Runs \p Op from \p Src to \p Dst, a pair that the table has, recorded for
/// autograd.
inline at::Tensor runTransition(OperatorKind Op, const at::Tensor &X,
                                const Axis &A, const Placement &Src,
                                const Placement &Dst) {
  const Shape Result = resultShape(Op, A, Src, Dst, shapeOf(X));
  if (A.size() == 1)
    return X.reshape(sizesOf(Result));
  // Both directions leave the tensor as it is.
  const rules::Transition *Row = rules::findTransition(Op, Src.Type, Dst.Type);
  if (Row->Op == OperatorKind::Reinterpret &&
      Row->BackwardOp == OperatorKind::Reinterpret)
    return X;
  return TransitionFunction::apply(X, Op, A, Src, Dst);
}

/// The same for tags, checked by the compiler first.
template <OperatorKind Op, bool Unlocked = false, class Src, class Dst>
at::Tensor runChecked(const at::Tensor &X, const Axis &A, Src From, Dst To) {
  checkTransition<Op, Src, Dst, Unlocked>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    return runTransition(Op, X, A, From, To);
  else
    return X;
}

} // namespace spmd::detail

#endif // SPMD_TORCH_TRANSITION_H
