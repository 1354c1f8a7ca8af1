//===- spmd-contract.cpp - See spmd-contract.md ---------------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration Register(
    {"spmd-contract", Severity::Error, "a value disagrees with an annotation"});

static bool isParameter(const Violation &V) {
  for (unsigned I = 0; I != V.In->NumParameters; ++I)
    if (V.In->Slots[I].Name == V.Op)
      return true;
  return false;
}

/// Whether the annotation is that of a member of a local object.
static bool endsHere(const Violation &V) {
  for (const Slot &S : V.RequiredIn->Slots) {
    if (S.Kind != SlotKind::Field || S.Name != V.Op)
      continue;
    const Slot *Object = &S;
    while (Object->Base != SlotId::None)
      Object = &V.RequiredIn->slot(Object->Base);
    return Object->Kind == SlotKind::Local;
  }
  return false;
}

/// What the value is to the annotation that it disagrees with.
static std::string role(const Violation &V) {
  if (!V.Cause) // at the end of a function
    return "parameter '" + V.Op + "' on exit";
  if (std::holds_alternative<CallFact>(*V.Cause))
    return "the argument for '" + V.Op + "'";
  if (std::holds_alternative<ReturnFact>(*V.Cause))
    return "the value returned from '" + V.Op + "'";
  if (const auto *A = std::get_if<AssertFact>(V.Cause)) {
    using K = AssertFact::Kind;
    if (A->K == K::Variable)
      return "the value of '" + V.Op + "'";
    if (A->K == K::Field)
      return "the value stored in '" + V.Op + "'";
    if (A->K == K::Argument)
      return "the argument for '" + V.Op + "'";
    if (A->K == K::Return)
      return "the value returned from '" + V.Op + "'";
  }
  return "this value";
}

/// As it is declared, on another mesh.
static std::string there(const Violation &V) {
  return V.RequiredThere.empty() ? ""
                                 : ", which is " + V.RequiredThere +
                                       " on the mesh of '" + V.Op + "',";
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const ViolationOperand &O = V.Operands.front();
  if (V.Spec)
    return role(V) + " must be " + V.Spec->Required + there(V) +
           (V.RequiredThere.empty() ? ", but " : " but ") +
           fixits::nameOf(O, V.In, Source) + " is " + O.Spec +
           ": what follows relies on the annotation";
  if (!V.Cause && O.Type.Set.isAll())
    return "nothing is written to '" + V.Op + "', which must be " +
           printAxisType(V.Required) + " on '" + V.Axis +
           "' on exit: what follows relies on the annotation";
  if (!V.Cause && !isParameter(V))
    return "from here on " + nameAndType(O, V, Source) + " on '" + V.Axis +
           "', and nothing makes it " + printAxisType(V.Required) +
           (endsHere(V) ? " again before its object ends"
                        : " again: other functions rely on the annotation");
  return role(V) + " must be " + printAxisType(V.Required) + " on '" + V.Axis +
         "'" + there(V) + (V.RequiredThere.empty() ? ", but " : " but ") +
         nameAndType(O, V, Source) + ": what follows relies on the annotation";
}

static const ViolationTextRegistration Text({ViolationKind::Contract,
                                             "spmd-contract", message});

} // namespace spmd::lint
