//===- Causes.h - Where what is wrong became so -----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DOMAIN_CAUSES_H
#define SPMD_INFERENCE_DOMAIN_CAUSES_H

#include "spmd/inference/Violation.h"

#include <set>
#include <tuple>

namespace spmd::rules::inference {

/// What made storage something else than it is declared to be is one mistake,
/// and who reads it then makes no other.
class Causes {
public:
  static bool isOfRead(const Violation &V) {
    const auto *Clash = V.as<ContractClash>();
    return Clash && Clash->On == Annotated::Read;
  }
  void add(const Violation &V) {
    for (const ViolationOperand &O : V.Operands)
      Known.insert(keyOf(V, O));
  }
  bool explains(const Violation &V) const {
    return isOfRead(V) && Known.contains(keyOf(V, V.Operands.front()));
  }

private:
  using Key = std::tuple<const Function *, PlaceId, std::string>;
  static Key keyOf(const Violation &V, const ViolationOperand &O) {
    return {O.From.In, O.From.At, V.Axis};
  }
  std::set<Key> Known;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_CAUSES_H
