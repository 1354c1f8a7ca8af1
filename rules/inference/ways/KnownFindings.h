//===- KnownFindings.h - What is reported already ---------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_KNOWNFINDINGS_H
#define SPMD_INFERENCE_WAYS_KNOWNFINDINGS_H

#include "domain/Causes.h"

#include "spmd/inference/Inference.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <tuple>

namespace spmd::rules::inference {

/// Whether \p V says that something is zero, as it may well be on one way: what
/// is frozen there, say.
inline bool isOfZeros(const Violation &V) {
  const auto *Lost = V.as<LostGradient>();
  return Lost && Lost->IsZero;
}

/// Whether \p V is of terms that are added to what a sum has left.
inline bool isOfEarlierSum(const Violation &V) {
  const auto *Add = V.as<PartialAdd>();
  return Add && Add->OfSum;
}
/// Whether \p V is of what nobody has put anything into: on some ways another
/// call, an earlier iteration or an option may have done so.
inline bool isOfUnwritten(const Violation &V) {
  const auto *Clash = V.as<ContractClash>();
  return (Clash && Clash->On == Annotated::Unwritten) ||
         (Causes::isOfRead(V) && V.Operands.front().Type.Set.empty());
}

/// Whether \p V is of what a collective takes.
inline bool isOfCollective(const Violation &V) {
  return llvm::any_of(factsOf<TransferFact>(*V.In), [&](const TransferFact &T) {
    return T.At == V.At && communicates(T.K);
  });
}

/// Whether \p V is of what a function leaves.
inline bool isOfExit(const Violation &V) {
  const auto *Clash = V.as<ContractClash>();
  switch (Clash ? Clash->On : Annotated::Value) {
  case Annotated::ParameterOnExit:
  case Annotated::VariableOnExit:
  case Annotated::OutputOnExit:
  case Annotated::FieldOnExit:
  case Annotated::LeftBehind:
  case Annotated::Unread:
  case Annotated::MemberOnExit:
    return true;
  default:
    return false;
  }
}

/// One finding at a place is enough, on whichever way.
class KnownFindings {
public:
  explicit KnownFindings(const InferenceResult &Of) {
    for (const Violation &V : Of.Violations)
      if (!V.isPossible())
        add(V);
    for (const Violation &V : Of.Averaged)
      Known.insert(keyOf(V));
  }
  /// Whether it is new.
  bool add(const Violation &V) {
    if (contains(V))
      return false;
    Became.add(V);
    return Known.insert(keyOf(V)).second;
  }
  bool contains(const Violation &V) const {
    return Known.contains(keyOf(V)) || Became.explains(V);
  }

private:
  using Key = std::tuple<const Function *, PlaceId, ViolationKind, std::string>;
  static Key keyOf(const Violation &V) {
    return {V.In, V.At, V.kind(), V.Axis};
  }
  std::set<Key> Known;
  Causes Became;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_KNOWNFINDINGS_H
