//===- FindingText.cpp - A finding in a line ------------------------------===//

#include "spmd/inference/FindingText.h"

#include "llvm/Support/raw_ostream.h"

namespace spmd::rules {

llvm::StringRef violationName(ViolationKind K) {
  switch (K) {
  case ViolationKind::InvariantMix:
    return "invariant-mix";
  case ViolationKind::PartialNonlinear:
    return "partial-nonlinear";
  case ViolationKind::PartialAdd:
    return "partial-add";
  case ViolationKind::PartialProduct:
    return "partial-product";
  case ViolationKind::SrcType:
    return "src-type";
  case ViolationKind::Transition:
    return "transition";
  case ViolationKind::Contract:
    return "contract";
  case ViolationKind::LossType:
    return "loss-type";
  case ViolationKind::GivenGradient:
    return "given-gradient";
  case ViolationKind::LostGradient:
    return "lost-gradient";
  case ViolationKind::Redundant:
    return "redundant";
  case ViolationKind::ShardPropagation:
    return "shard-propagation";
  case ViolationKind::ShardOrder:
    return "shard-order";
  }
  llvm_unreachable("a kind of violation");
}

std::string printFinding(const Violation &V) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  OS << '@' << V.In->Symbol;
  if (V.At != PlaceId::None) {
    const Place &P = V.In->Places[index(V.At)];
    OS << ' ' << P.Line << ':' << P.Column;
  }
  OS << ": " << (V.isPossible() ? "possible " : "") << violationName(V.kind());
  if (!V.Axis.empty())
    OS << " on " << V.Axis;
  OS << ": " << V.Op << (V.Op.empty() ? "[" : " [");
  for (const ViolationOperand &O : V.Operands)
    OS << (&O == V.Operands.data() ? "" : " ")
       << (O.Spec.empty() ? printAxisType(O.Type) : O.Spec);
  OS << ']';
  return Out;
}

} // namespace spmd::rules
