//===- Torch.cpp - Tensors and autograd -----------------------------------===//
//
// What the op catalogue cannot say: gradients and shapes. Ordinary ops are in
// Catalogue.cpp, modules in Modules.cpp and Layers.cpp.
//
//===----------------------------------------------------------------------===//

#include "GradientHooks.h"

#include "../Elements.h"
#include "../OpArguments.h"
#include "../Recognisers.h"
#include "../UnknownCode.h"

#include "cxx/KnownCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The shape alone is read.
static void emitAsked(ExprLowering &L, const Expr *Tensor) {
  const OpMatch Match = L.module().ops().find("at::numel");
  const Operand Of = L.operand(Tensor);
  if (!Match || Of.Slot == SlotId::None)
    return;
  OpFact O;
  O.Rule = Match.Rule;
  O.At = Of.At;
  O.Operands.push_back(Of);
  O.FormalOf.push_back(0);
  L.emit(std::move(O));
}

/// What is given a gradient is no loss: a stage of a pipeline goes on with what
/// the next one sent. Gradients accumulate all the same.
static void emitBackward(ExprLowering &L, const Expr *At,
                         const BackwardPass &Pass) {
  Operand Loss = L.operand(Pass.From);
  // `backward(/*retain=*/true)` of a class of the user's has no gradient.
  const bool Given = Pass.Gradient && !isAbsent(strip(Pass.Gradient)) &&
                     classify(Pass.Gradient->getType()) != TypeClass::Scalar;
  if (Given) {
    L.value(Pass.Gradient);
    Loss = {};
  } else if (Loss.Slot == SlotId::None) {
    return;
  }
  runWithHook(L, BackwardFact{Loss, L.place(At)}, At);
}

/// `autograd::grad({loss}, {w})`: the gradients of its second argument, which
/// nobody keeps with the tensors.
static SlotId lowerGrad(ExprLowering &L, const CallSite &C) {
  L.value(C.argument(0));
  llvm::SmallVector<Operand, 4> Inputs;
  listElements(L, C.argument(1), Inputs);
  const SlotId List = L.define(DefineFact::Kind::Undefined, C.Call);
  for (const Operand &Of : Inputs)
    L.emitOp(ScalarRules::get().Copy,
             {{L.gradientOf(Of, C.Call), PlaceId::None}}, C.Call, List,
             /*Partial=*/true);
  return List;
}

namespace {

/// What is done under a condition, or in another way not always.
class Conditional : public RecursiveASTVisitor<Conditional> {
public:
  explicit Conditional(const Expr *Sought) : Sought(Sought) {}

  bool TraverseIfStmt(IfStmt *S) {
    ++Depth;
    const bool More = RecursiveASTVisitor::TraverseIfStmt(S);
    --Depth;
    return More;
  }
  bool VisitCallExpr(CallExpr *E) {
    Found |= E == Sought && Depth;
    return !Found;
  }
  bool Found = false;

private:
  const Expr *Sought;
  unsigned Depth = 0;
};

} // namespace

/// `p.set_requires_grad(false)`: it gets no gradient that anybody could have
/// forgotten. Which of a list are chosen so, nobody knows.
static void freeze(ExprLowering &L, const CallSite &C) {
  const Expr *On = C.argument(0);
  bool Gets = true;
  if (!On || On->isValueDependent() ||
      !On->EvaluateAsBooleanCondition(Gets, L.context()) || Gets ||
      !L.function()->getBody())
    return;
  Conditional Here(C.Call);
  Here.TraverseStmt(L.function()->getBody());
  const SlotId Of = L.value(C.Receiver);
  if (Here.Found || Of == SlotId::None)
    return;
  L.emit(HavocFact{L.Lists.listOf(Of), /*Rebinds=*/false, L.place(C.Call),
                   /*Gradients=*/true, /*Alone=*/true});
}

static Recognised lowerTensorMethod(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Base = C.base();
  if (Base == "grad" || Base == "mutable_grad")
    return L.gradientOf(L.operand(C.Receiver), C.Call);
  // What another hook does to the gradient of a tensor, nobody knows.
  if (Base == "register_hook" && !isFollowedHook(L, C.Call))
    hookGradients(L, L.value(C.Receiver), C.Call);
  if (Base == "requires_grad_" || Base == "set_requires_grad")
    freeze(L, C);
  enum { None, Shape, Same, Quiet };
  const int K =
      llvm::StringSwitch<int>(Base)
          .Cases({"size", "sizes", "numel", "dim", "stride", "strides",
                  "defined", "dtype", "scalar_type"},
                 Shape)
          .Cases({"device", "options", "is_contiguous", "requires_grad",
                  "is_cuda", "element_size", "nbytes", "storage_offset",
                  "ndimension"},
                 Shape)
          .Cases({"is_cpu", "is_leaf", "use_count", "is_same", "is_alias_of",
                  "itemsize", "layout", "is_floating_point", "get_device",
                  "_version"},
                 Shape)
          .Cases({"data_ptr", "const_data_ptr", "mutable_data_ptr", "storage",
                  "accessor", "packed_accessor32", "packed_accessor64",
                  "requires_grad_", "set_requires_grad", "toTensor"},
                 Same)
          .Cases({"retain_grad", "register_hook", "print", "name", "reset"},
                 Quiet)
          .Default(None);
  switch (K) {
  case Shape:
    if (Base == "size" || Base == "sizes")
      L.noteSized(C.Receiver);
    emitAsked(L, C.Receiver);
    return L.define(DefineFact::Kind::Constant, C.Call);
  case Same:
    return L.value(C.Receiver);
  case Quiet:
    return SlotId::None;
  default:
    return std::nullopt;
  }
}

/// `t.accessor<float, 2>()[i][j]`: elements of the tensor.
static Recognised lowerAccessor(ExprLowering &L, const CallSite &C) {
  const Operand Self = L.operand(C.Receiver);
  if (C.base() == "operator[]" && Self.Slot != SlotId::None)
    return element(L, Self, C.argument(0), C.Call);
  if (C.base() == "data")
    return Self.Slot;
  return L.define(DefineFact::Kind::Constant, C.Call); // sizes
}

/// `t.item().toDouble()`.
static bool isNumberOfScalar(const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  return Name.starts_with("c10::Scalar::to") ||
         Name.starts_with("at::Scalar::to");
}

Recognised lowerTorchCall(ExprLowering &L, const CallSite &C) {
  if (const std::optional<BackwardPass> Pass = backwardPass(C)) {
    emitBackward(L, C.Call, *Pass);
    return SlotId::None;
  }
  const llvm::StringRef Name(C.Name);
  if (Name == "torch::autograd::grad" && C.Arguments.size() > 1)
    return lowerGrad(L, C);
  if (C.Receiver && (Name.starts_with("at::Tensor::") ||
                     Name.starts_with("at::TensorBase::")))
    return lowerTensorMethod(L, C);
  if (C.Receiver && Name.starts_with("at::") &&
      Name.rsplit("::").first.contains("Accessor"))
    return lowerAccessor(L, C);
  if (C.Receiver && isNumberOfScalar(C))
    return L.value(C.Receiver);
  // Smart pointers made in place hold nothing that is known yet.
  return std::nullopt;
}

} // namespace spmd::lint::lower
