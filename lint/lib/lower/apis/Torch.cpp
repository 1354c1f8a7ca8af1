//===- Torch.cpp - Tensors, modules and autograd --------------------------===//
//
// What the op catalogue cannot say: gradients, shapes, holders. Ordinary ops
// are in Catalogue.cpp.
//
//===----------------------------------------------------------------------===//

#include "../CallSite.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

SlotId FunctionLowering::gradientOf(Operand Of, const Expr *At) {
  if (Of.Slot == SlotId::None)
    return define(DefineFact::Kind::Unknown, At);
  GradientFact G;
  G.Dst = temporary();
  G.Src = Of;
  G.At = place(At);
  const SlotId Dst = G.Dst;
  emit(G);
  return Dst;
}

/// The shape alone is read.
static void emitAsked(FunctionLowering &L, const Expr *Tensor) {
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

static Recognised lowerTensorMethod(FunctionLowering &L, const CallSite &C) {
  const llvm::StringRef Base = C.base();
  if (Base == "grad" || Base == "mutable_grad")
    return L.gradientOf(L.operand(C.Receiver), C.Call);
  if (Base == "backward") {
    const Operand Loss = L.operand(C.Receiver);
    if (Loss.Slot != SlotId::None)
      L.emit(BackwardFact{Loss, L.place(C.Call)});
    return SlotId::None;
  }
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

/// `fc1(x)`, `fc1->forward(x)` of the layers that come with libtorch: the
/// weights are the module's own, of unknown type.
static Recognised lowerLayer(FunctionLowering &L, const CallSite &C) {
  llvm::StringRef Layer(C.Name);
  if (!Layer.consume_front("torch::nn::"))
    return std::nullopt;
  std::string Held;
  if (Layer == "ModuleHolder::operator()" && C.Receiver) {
    Held = className(elementType(C.Receiver->getType()));
    if (Held.empty()) {
      // `class Linear : public ModuleHolder<LinearImpl>`.
      Held = className(strip(C.Receiver)->getType()) + "Impl";
    }
  } else if (Layer.consume_back("::forward") && Layer.ends_with("Impl")) {
    Held = "torch::nn::" + Layer.str();
  } else {
    return std::nullopt;
  }
  llvm::StringRef Kind(Held);
  if (!Kind.consume_front("torch::nn::") || !Kind.consume_back("Impl") ||
      C.Arguments.empty())
    return std::nullopt;
  const char *Op = llvm::StringSwitch<const char *>(Kind)
                       .Case("Linear", "at::linear")
                       .Case("Embedding", "at::embedding")
                       .Case("LayerNorm", "at::layer_norm")
                       .Case("Dropout", "at::dropout")
                       .Case("Conv2d", "at::conv2d")
                       .Case("ReLU", "at::relu")
                       .Case("GELU", "at::gelu")
                       .Case("SiLU", "at::silu")
                       .Case("Tanh", "at::tanh")
                       .Case("Sigmoid", "at::sigmoid")
                       .Case("Softmax", "at::softmax")
                       .Case("Flatten", "at::flatten")
                       .Case("Identity", "at::clone")
                       .Case("CrossEntropyLoss", "at::cross_entropy_loss")
                       .Case("MSELoss", "at::mse_loss")
                       .Default(nullptr);
  const OpMatch Match = Op ? L.module().ops().find(Op) : OpMatch();
  if (!Match)
    return std::nullopt;
  llvm::SmallVector<Operand, 4> Operands;
  const bool IndexFirst = Kind == "Embedding";
  if (IndexFirst)
    Operands.push_back(
        {L.define(DefineFact::Kind::Unknown, C.Call), L.place(C.Call)});
  for (const Expr *A : C.Arguments)
    Operands.push_back(L.operand(A));
  if (Kind == "Linear" || Kind == "LayerNorm" || Kind == "Conv2d")
    for (const char *Own : {"weight", "bias"})
      Operands.push_back(
          {L.fieldSlot(L.value(C.Receiver), Own), L.place(C.Call)});
  // What it was made with.
  const OpArgument Options{"options", std::nullopt};
  if (Kind == "Linear" && Match.Rule->Formals.size() >= 3)
    return L.emitOp(*Match.Rule, Operands, C.Call, SlotId::None,
                    /*Partial=*/false, Options);
  Operands.resize(std::min<std::size_t>(Operands.size(),
                                        IndexFirst ? 2 : C.Arguments.size()));
  return L.emitOp(*Match.Rule, Operands, C.Call, SlotId::None,
                  /*Partial=*/false, Options);
}

const CXXMethodDecl *heldForward(const CallSite &C) {
  if (C.Name != "torch::nn::ModuleHolder::operator()" || !C.Receiver)
    return nullptr;
  const auto *Holder = dyn_cast<ClassTemplateSpecializationDecl>(
      cast<CXXMethodDecl>(C.Callee)->getParent());
  const CXXRecordDecl *Held =
      Holder && Holder->getTemplateArgs()[0].getKind() == TemplateArgument::Type
          ? Holder->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl()
          : nullptr;
  if (!Held || !Held->hasDefinition())
    return nullptr;
  for (const CXXMethodDecl *M : Held->methods())
    if (M->getDeclName().isIdentifier() && M->getName() == "forward" &&
        M->getMinRequiredArguments() <= C.Arguments.size() &&
        C.Arguments.size() <= M->getNumParams())
      return M;
  return nullptr;
}

Recognised lowerTorchCall(FunctionLowering &L, const CallSite &C) {
  llvm::StringRef Name(C.Name);
  if (C.Receiver && (Name.starts_with("at::Tensor::") ||
                     Name.starts_with("at::TensorBase::")))
    return lowerTensorMethod(L, C);
  if (Name == "torch::autograd::backward" && C.argument(0)) {
    const Operand Loss = L.operand(C.argument(0));
    if (Loss.Slot != SlotId::None)
      L.emit(BackwardFact{Loss, L.place(C.Call)});
    return SlotId::None;
  }
  if (Recognised R = lowerLayer(L, C))
    return R;
  if (Name.starts_with("torch::nn::Module::register_") &&
      C.Arguments.size() > 1)
    return L.value(C.Arguments[1]);
  if (C.Receiver && Name.starts_with("torch::nn::ModuleHolder::") &&
      C.base() != "operator()")
    return L.value(C.Receiver);
  // Smart pointers made in place hold nothing that is known yet.
  return std::nullopt;
}

} // namespace spmd::lint::lower
