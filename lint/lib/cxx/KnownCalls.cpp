//===- KnownCalls.cpp - What calls of a training program are --------------===//

#include "KnownCalls.h"

#include "TypeClass.h"

#include "spmd/types/Transition.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace spmd::lint {

bool meetsRanks(llvm::StringRef Name) {
  return Name == "spmd::barrier" || Name == "spmd::DataParallel::wait" ||
         Name == "spmd::FullySharded::wait" ||
         Name == "spmd::FullySharded::gather";
}

std::optional<rules::TransferFact> typedOperator(llvm::StringRef Name) {
  if (!Name.consume_front("spmd::"))
    return std::nullopt;
  Name.consume_back("_async");
  rules::TransferFact T{};
  if (Name ==
      llvm::StringRef(transferName(rules::TransferKind::Redistribute))) {
    T.K = rules::TransferKind::Redistribute;
    return T;
  }
  // Exchanges by counts that a routing has.
  if (Name == "dispatch" || Name == "combine") {
    T.K = rules::TransferKind::AllToAll;
    return T;
  }
  for (int I = 0; I != rules::NumOperatorKinds; ++I) {
    const auto Op = static_cast<rules::OperatorKind>(I);
    llvm::StringRef Rest = Name;
    if (!Rest.consume_front(operatorName(Op)))
      continue;
    T.K = rules::transferOf(Op);
    T.Reduction = rules::isSelection(Op) ? rules::ReductionKind::Idempotent
                                         : rules::ReductionKind::Sum;
    if ((Op == rules::OperatorKind::AllReduce ||
         Op == rules::OperatorKind::ReduceScatter) &&
        Rest.consume_front("_mean"))
      T.Reduction = rules::ReductionKind::Average;
    if (Rest.empty())
      return T;
  }
  return std::nullopt;
}

bool isOptimizerMethod(const CallSite &C) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  return C.Receiver && Method &&
         llvm::StringRef(C.Name).starts_with("torch::optim::") &&
         isOptimizer(
             Method->getASTContext().getCanonicalTagType(Method->getParent()));
}

bool isOptimizerStep(const CallSite &C) {
  return isOptimizerMethod(C) && C.base() == "step";
}

std::optional<BackwardPass> backwardPass(const CallSite &C) {
  if (C.Receiver && (C.Name == "at::Tensor::backward" ||
                     C.Name == "at::TensorBase::backward"))
    return BackwardPass{C.Receiver, C.argument(0)};
  if (C.Name == "torch::autograd::backward" && C.argument(0))
    return BackwardPass{C.argument(0), C.argument(1)};
  return std::nullopt;
}

} // namespace spmd::lint
