//===- Layers.cpp - The forward of torch::nn's own layers -----------------===//
//
// Which op a layer is, and which of its operands are the layer's parameters,
// says rules/ops/layers. Layers of the user's are analysed by their forward.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"

#include "spmd/ops/LayerCatalogue.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The name of the layer whose forward \p C calls, in whatever form.
static std::string calledLayer(const CallSite &C) {
  llvm::StringRef Name(C.Name);
  if (!C.Receiver || !Name.consume_front("torch::nn::"))
    return {};
  std::string Held;
  if (Name == "ModuleHolder::operator()") {
    Held = className(elementType(C.Receiver->getType()));
    if (Held.empty()) // `class Linear : public ModuleHolder<LinearImpl>`
      Held = className(strip(C.Receiver)->getType()) + "Impl";
  } else if (Name.consume_back("::forward")) {
    // The method may be that of a base.
    const QualType T = C.Receiver->getType();
    Held = className(T->isPointerType() ? T->getPointeeType() : T);
    if (!llvm::StringRef(Held).starts_with("torch::nn::"))
      Held = "torch::nn::" + Name.str();
  }
  llvm::StringRef Kind(Held);
  return Kind.consume_front("torch::nn::") && Kind.consume_back("Impl")
             ? Kind.str()
             : std::string();
}

/// Where the layer has no name, as `layers[i]`, its parameters have their own:
/// the text of the call is that of its result.
static SlotId parameterOf(ExprLowering &L, SlotId Layer, llvm::StringRef Name) {
  const SlotId Out = L.Slots.field(Layer, Name);
  if (std::string &Said = L.ir().Slots[index(Out)].Name; Said.empty())
    Said = Name.str();
  return Out;
}

/// Whether what is said of \p S is only that it has no dim that the layer is
/// split on.
static bool isWholeByDefault(const Slot &S) {
  return S.Declared &&
         llvm::any_of(S.Declared->Entry.Axes, [&](const AxisAtom &A) {
           return S.Declared->Entry.find(A.Axis) != &A;
         });
}

/// The operands of \p Op: its parameters are fields of the layer, the others
/// the arguments in order.
static llvm::SmallVector<Operand, 4> operandsOf(ExprLowering &L,
                                                const CallSite &C,
                                                const LayerRule &Layer,
                                                const OpRule &Op) {
  llvm::SmallVector<Operand, 4> Out;
  const SlotId Self = L.value(C.Receiver);
  const PlaceId At = L.place(C.Call);
  unsigned Next = 0;
  for (const RuleFormal &F : Op.Formals)
    if (llvm::is_contained(Layer.Parameters, F.Name)) {
      const SlotId S = Self == SlotId::None
                           ? L.define(DefineFact::Kind::Unknown, C.Call)
                           : parameterOf(L, Self, F.Name);
      // A layer that is split so will have been made without one: what it adds
      // would be added on each rank.
      if (F.Optional && isWholeByDefault(L.slot(S)))
        Out.emplace_back();
      else
        Out.push_back({S, At});
    } else if (Next != C.Arguments.size())
      Out.push_back(L.operandOrNone(C.Arguments[Next++]));
    else
      Out.emplace_back();
  return Out;
}

SlotId lowerWhole(ExprLowering &L, const CallSite &C, llvm::StringRef Layer) {
  llvm::SmallVector<Operand, 4> Operands;
  for (const Expr *A : C.Arguments)
    if (const Operand X = L.operandOrNone(A); X.Slot != SlotId::None)
      Operands.push_back(X);
  const SlotId All = L.Slots.parametersOf(L.value(C.Receiver));
  if (All != SlotId::None)
    Operands.push_back({All, L.place(C.Call)});
  return L.emitOp(L.module().layerRule(Layer, Operands.size()), Operands,
                  C.Call);
}

Recognised lowerLayer(ExprLowering &L, const CallSite &C) {
  const std::string Name = calledLayer(C);
  const LayerRule *Layer = LayerCatalogue::builtin().find(Name);
  if (!Layer || C.Arguments.empty())
    return std::nullopt;
  if (Layer->Op.empty())
    return lowerWhole(L, C, Name);
  const OpRule *Op = L.module().ops().rule(Layer->Op);
  if (!Op)
    return std::nullopt;
  // What it was made with decides what it does to dims.
  const OpArgument Options{"options", std::nullopt};
  return L.emitOp(*Op, operandsOf(L, C, *Layer, *Op), C.Call, SlotId::None,
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

} // namespace spmd::lint::lower
