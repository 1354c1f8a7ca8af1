//===- IR.cpp - Small queries on the IR -----------------------------------===//

#include "spmd/rules/IR.h"

#include "IRNames.h"

namespace spmd::rules {

std::string_view transferName(TransferKind K) {
  return TransferNames[static_cast<int>(K)];
}

std::optional<OperatorKind> operatorOf(TransferKind K) {
  switch (K) {
  case TransferKind::AllReduce:
    return OperatorKind::AllReduce;
  case TransferKind::AllGather:
    return OperatorKind::AllGather;
  case TransferKind::ReduceScatter:
    return OperatorKind::ReduceScatter;
  case TransferKind::AllToAll:
    return OperatorKind::AllToAll;
  case TransferKind::Reinterpret:
    return OperatorKind::Reinterpret;
  case TransferKind::Convert:
    return OperatorKind::Convert;
  default:
    return std::nullopt;
  }
}

PlaceId placeOf(const Fact &F) {
  return std::visit([](const auto &X) { return X.At; }, F);
}

bool Function::hasContract() const {
  if (Result || !ResultAxes.empty() || Trusted)
    return true;
  for (unsigned I = 0; I != NumParameters; ++I)
    if (Slots[I].Declared)
      return true;
  return false;
}

const Function *Module::find(llvm::StringRef Symbol) const {
  for (const auto &F : Functions)
    if (F->Symbol == Symbol)
      return F.get();
  return nullptr;
}

} // namespace spmd::rules
