//===- TensorViews.cpp - Tensors that share storage -----------------------===//

#include "TensorViews.h"

#include "cxx/KnownTypes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

static bool isOfWholeStorage(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"data", "tensor_data", "variable_data", "detach", "alias"}, true)
      .Cases({"view", "view_as", "t", "transpose", "permute"}, true)
      .Cases({"squeeze", "unsqueeze", "requires_grad_"}, true)
      .Default(false);
}

static bool isOfPart(const CallSite &C) {
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(C.Call))
    return Operator->getOperator() == OO_Subscript;
  return C.Callee->getIdentifier() &&
         llvm::StringSwitch<bool>(C.Callee->getName())
             .Cases({"narrow", "select", "slice"}, true)
             .Default(false);
}

const Expr *TensorViews::part(const CallSite &C, const Expr *Storage) {
  std::vector<const Expr *> Named;
  for (const clang::Expr *A : C.Arguments)
    Named.push_back(Exprs.value(A));
  return P.address(P.element(P.target(Storage),
                             P.apply("part", Trust::Unknown, Named),
                             /*OfPointer=*/false));
}

const Expr *TensorViews::lower(const CallSite &C) {
  if (!C.Receiver)
    return nullptr;
  const QualType T = C.Receiver->getType();
  // An entry of named_parameters() is its tensor.
  if (llvm::StringRef(C.Name).ends_with("OrderedDict::Item::value"))
    return P.address(object(C.Receiver));
  if (!isLibraryTensor(T->isPointerType() ? T->getPointeeType() : T))
    return nullptr;
  const llvm::StringRef Name =
      C.Callee->getIdentifier() ? C.Callee->getName() : "";
  const bool IsGradient = Name == "grad" || Name == "mutable_grad";
  const bool IsPart = isOfPart(C);
  if (!IsGradient && !IsPart && !isOfWholeStorage(Name))
    return nullptr;
  const Expr *Storage = P.storage(object(C.Receiver));
  if (IsGradient)
    return P.address(P.field(P.target(Storage), GradientField));
  const Expr *View = P.temporary();
  Out.assign(P.field(View, StorageField), IsPart ? part(C, Storage) : Storage,
             C.Call->getBeginLoc());
  return P.address(View);
}

} // namespace spmd::lint::effects
