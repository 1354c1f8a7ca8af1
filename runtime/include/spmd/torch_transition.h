//===- torch_transition.h - One transition of one tensor --------*- C++ -*-===//
//
// A row of the transition table as an autograd function: its backward is the
// row's backward, so every pair of rows is written once, in the table.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TORCH_TRANSITION_H
#define SPMD_TORCH_TRANSITION_H

#include "spmd/torch_stream.h"
#include "spmd/transition.h"

#include <torch/torch.h>

namespace spmd::detail {

/// What the elements of \p X are; none for types that are not moved.
inline std::optional<DType> movedAs(const at::Tensor &X) {
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
  case at::kBool:
    return DType::Bool;
#if TORCH_VERSION_MAJOR > 2 ||                                                 \
    (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
  case at::kFloat8_e4m3fn:
    return DType::F8E4M3;
  case at::kFloat8_e5m2:
    return DType::F8E5M2;
  case at::kUInt32:
    return DType::U32;
  case at::kUInt64:
    return DType::U64;
#endif
  default:
    return std::nullopt;
  }
}

inline DType dtypeOf(const at::Tensor &X) { return *movedAs(X); }

/// An Error unless \p X, the operand of \p Operation, is a tensor of memory
/// with elements that are moved, and of the kind of \p Over, where its data is
/// given to a transport.
inline void checkTensor(const at::Tensor &X, const std::string &Operation,
                        Site At, const Memory *Over = nullptr) {
  std::string Why;
  if (!X.defined())
    Why = "the operand is an undefined tensor";
  else if (X.layout() != at::kStrided || X.is_meta())
    Why = "the operand is a tensor without memory of its own elements: " +
          X.toString();
  else if (!movedAs(X))
    Why = std::string("elements of type ") + c10::toString(X.scalar_type()) +
          " are not moved; those of Half, BFloat16, Float, Double, Char, Byte, "
          "Int, Long and Bool are, and where libtorch has them Float8_e4m3fn, "
          "Float8_e5m2, UInt32 and UInt64";
  else if (Over && X.is_cuda() != Over->isDevice())
    Why = "the operand is a tensor on " + X.device().str() +
          ", this axis works on the memory of " +
          (Over->isDevice() ? "a CUDA device" : "the host");
  else
    return;
  const std::string Called = "spmd::" + Operation;
  fail((At.Line ? At.File + (":" + std::to_string(At.Line)) + ": " : "") +
           Called + ": " + Why,
       {Called, "", "", "", "", "", At, Why});
}

/// An Error where a gradient is asked of an operator that has none.
inline void checkGradient(const Call &C, const at::Tensor &X) {
  if (rules::isSelection(C.Op) && torch::GradMode::is_enabled() &&
      X.requires_grad())
    failOn(C, "this has no gradient, and the operand requires one: give it "
              "x.detach()");
}

/// Dense and row-major, with what views of it leave undone.
inline at::Tensor denseOf(const at::Tensor &X) {
  return X.resolve_neg().contiguous();
}

inline Shape shapeOf(const at::Tensor &X) {
  return Shape(X.sizes().begin(), X.sizes().end());
}
inline at::IntArrayRef sizesOf(const Shape &S) {
  return at::IntArrayRef(S.data(), S.size());
}

inline View viewOf(const at::Tensor &X) {
  return View(X.data_ptr(), dtypeOf(X), shapeOf(X));
}

/// This rank's piece of \p Whole, a view of it.
inline at::Tensor pieceOf(const Call &C, const Placement &P,
                          const at::Tensor &Whole) {
  const int Rank = C.On.rank();
  const Shape Piece = pieceOf(C, P, shapeOf(Whole), Rank);
  if (!P.HasDim)
    return Whole.select(0, Rank);
  const int Dim = dimOf(C, P, Piece);
  return Whole.narrow(Dim, chunkBegin(P, Piece[Dim], Rank), Piece[Dim]);
}

/// convert by tensor operations, on whatever device the tensor is.
inline at::Tensor convertTensor(const Call &C, const at::Tensor &X) {
  if (C.Dst.Type == LocalType::V)
    return pieceOf(C, C.Dst, X).clone(at::MemoryFormat::Contiguous);
  if (C.Src.Type == LocalType::V) {
    at::Tensor Whole = at::zeros(sizesOf(wholeOf(C, C.Src, C.In)), X.options());
    pieceOf(C, C.Src, Whole).copy_(X);
    return Whole;
  }
  return C.Dst.Type == LocalType::P && C.On.rank() != 0 ? at::zeros_like(X)
                                                        : X.clone();
}

/// The memory that an operator's transport works on; null where none moves the
/// data of \p X.
inline const Memory *memoryOver(OperatorKind Op, const Axis &A,
                                const at::Tensor &X) {
  const BackendScope Where(X.defined() && X.is_cuda());
  return rules::communicates(Op) && A.size() > 1 ? &A.memory() : nullptr;
}

inline bool mayHold(const Axis &A, const at::Tensor &X) {
  const BackendScope Where(X.is_cuda());
  return A.size() > 1 && A.communicator()->mayHold();
}

/// After a failure, where the transport cannot be made to leave them alone.
inline void keepForGood(const at::Tensor &In, const at::Tensor &Out) {
  for (const at::Tensor &X : {In, Out})
    keepForGood(std::make_shared<at::Tensor>(X));
}

inline at::Tensor runForward(const Call &C, const at::Tensor &X) {
  const TensorStream Here(X);
  if (!rules::communicates(C.Op) && checksCalls())
    checkOperand(C.Op, viewOf(denseOf(X)), C.On, C.Src, C.Dst, C.At);
  if (C.Op == OperatorKind::Reinterpret)
    return X.view_as(X);
  if (C.Op == OperatorKind::Keep)
    return C.On.rank() == C.Root ? X.clone() : at::zeros_like(X);
  if (!rules::communicates(C.Op))
    return convertTensor(C, X);
  const at::Tensor In = denseOf(X);
  at::Tensor Out = at::empty(sizesOf(resultShape(C)), In.options());
  try {
    runTransition(C.Op, viewOf(In), viewOf(Out), C.On, C.Src, C.Dst, C.At,
                  {C.Mean, C.Root, C.Sent, C.Received});
  } catch (...) {
    if (mayHold(C.On, In))
      keepForGood(In, Out);
    throw;
  }
  return Out;
}

/// What the backward needs to know of the forward.
struct TransitionRecord : torch::CustomClassHolder {
  TransitionRecord(OperatorKind Op, const Axis &A, const Placement &Src,
                   const Placement &Dst, Site At, const Details &D)
      : Op(Op), A(A), Src(Src), Dst(Dst), At(At), D(D) {}
  OperatorKind Op;
  Axis A;
  Placement Src, Dst;
  Site At;
  Details D;
};

at::Tensor runTransition(OperatorKind Op, const at::Tensor &X, const Axis &A,
                         const Placement &Src, const Placement &Dst, Site At,
                         const Details &D = {});

/// What the backward is told: it sends back what has come.
inline Details reversed(const rules::Transition &Row, const Details &D) {
  return {D.Mean && Row.BackwardOp == OperatorKind::AllReduce, D.Root,
          D.Received, D.Sent};
}

/// The forward's result where it has been computed before; else undefined.
struct Ready {
  at::Tensor Out = {};
};

struct TransitionFunction : torch::autograd::Function<TransitionFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext *Context,
                            const at::Tensor &X, OperatorKind Op, const Axis &A,
                            const Placement &Src, const Placement &Dst, Site At,
                            const Details &D, const Ready &Before) {
    Context->saved_data["spmd"] = c10::IValue::make_capsule(
        c10::make_intrusive<TransitionRecord>(Op, A, Src, Dst, At, D));
    return Before.Out.defined()
               ? Before.Out
               : runForward(
                     callOf(Op, A, Src, Dst, dtypeOf(X), shapeOf(X), At, D), X);
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
    const Details D = reversed(*Row, Record.D);
    at::Tensor Gradient = runTransition(Row->BackwardOp, Grads[0], Record.A,
                                        Src, Dst, Record.At, D);
    if (Record.D.Mean && !D.Mean)
      Gradient = Gradient * (1.0 / Record.A.size());
    const at::Tensor None;
    return {Gradient, None, None, None, None, None, None, None};
  }
};

/// Runs \p Op from \p Src to \p Dst, a pair that the table has, recorded for
/// autograd.
inline at::Tensor runTransition(OperatorKind Op, const at::Tensor &X,
                                const Axis &A, const Placement &Src,
                                const Placement &Dst, Site At,
                                const Details &D) {
  checkTensor(X, operatorName(Op, D.Mean), At, memoryOver(Op, A, X));
  const Call C = callOf(Op, A, Src, Dst, dtypeOf(X), shapeOf(X), At, D);
  const Shape Result = resultShape(C);
  checkGradient(C, X);
  if (A.size() == 1 && !losesAll(C))
    return X.reshape(sizesOf(Result));
  if (rules::isSelection(Op))
    return runForward(C, X.detach());
  // Both directions leave the tensor as it is.
  const rules::Transition *Row = rules::findTransition(Op, Src.Type, Dst.Type);
  if (Row->Op == OperatorKind::Reinterpret &&
      Row->BackwardOp == OperatorKind::Reinterpret) {
    if (checksCalls())
      checkOperand(Op, viewOf(denseOf(X)), A, Src, Dst, At);
    return X;
  }
  return TransitionFunction::apply(X, Op, A, Src, Dst, At, D, Ready());
}

/// Of any strides.
inline View stridedViewOf(const at::Tensor &X) {
  return View(X.data_ptr(), dtypeOf(X), shapeOf(X),
              Shape(X.strides().begin(), X.strides().end()));
}

/// Into a tensor that is there; autograd would not know of it.
inline void runInto(OperatorKind Op, const at::Tensor &X, const at::Tensor &Out,
                    const Axis &A, const Placement &Src, const Placement &Dst,
                    Site At, const Details &D) {
  for (const at::Tensor *T : {&X, &Out})
    checkTensor(*T, operatorName(Op, D.Mean), At, memoryOver(Op, A, X));
  if (torch::GradMode::is_enabled() &&
      (X.requires_grad() || Out.requires_grad()))
    failOn(callOf(Op, A, Src, Dst, dtypeOf(X), shapeOf(X), At, D),
           "what is written to a given tensor has no gradient: take the result "
           "that is returned, or say at::NoGradGuard");
  const TensorStream Here(X);
  const at::Tensor In = X.resolve_neg();
  try {
    runTransition(Op, stridedViewOf(In), stridedViewOf(Out), A, Src, Dst, At,
                  D);
  } catch (...) {
    if (mayHold(A, In))
      keepForGood(In, Out);
    throw;
  }
}

/// The same for tags, checked by the compiler first.
template <OperatorKind Op, class Src, class Dst>
void runCheckedInto(const at::Tensor &X, const at::Tensor &Out, const Axis &A,
                    Src From, Dst To, Site At, const Details &D = {}) {
  checkTransition<Op, Src, Dst, false>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    runInto(Op, X, Out, A, From, To, At, D);
}
template <OperatorKind Op, bool Unlocked = false, class Src, class Dst>
at::Tensor runChecked(const at::Tensor &X, const Axis &A, Src From, Dst To,
                      Site At, const Details &D = {}) {
  checkTransition<Op, Src, Dst, Unlocked>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    return runTransition(Op, X, A, From, To, At, D);
  else
    return X;
}

} // namespace spmd::detail

#endif // SPMD_TORCH_TRANSITION_H
