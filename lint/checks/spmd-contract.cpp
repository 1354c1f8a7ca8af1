//===- spmd-contract.cpp - See spmd-contract.md ---------------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration Register(
    {"spmd-contract", Severity::Error, "a value disagrees with an annotation"});

/// What the value is to the annotation that it disagrees with.
static std::string role(const Violation &V, const ContractClash &Clash) {
  switch (Clash.On) {
  case Annotated::Value:
  case Annotated::Source:
    return "this value";
  case Annotated::Variable:
    return "the value of '" + V.Op + "'";
  case Annotated::Field:
    return "the value stored in '" + V.Op + "'";
  case Annotated::Argument:
    return "the argument for '" + V.Op + "'";
  case Annotated::Return:
    return "the value returned from '" + V.Op + "'";
  case Annotated::ParameterOnExit:
  case Annotated::OutputOnExit:
    return "parameter '" + V.Op + "' on exit";
  case Annotated::FieldOnExit:
  case Annotated::MemberOnExit:
    return "field '" + V.Op + "' on exit";
  }
  return "this value";
}

/// As it is declared, on another mesh.
static std::string there(const Violation &V, const ContractClash &Clash) {
  return Clash.There.empty() ? ", but "
                             : ", which is " + Clash.There +
                                   " on the mesh of '" + V.Op + "', but ";
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const ViolationOperand &O = V.Operands.front();
  const auto &Clash = *V.as<ContractClash>();
  const std::string Required =
      Clash.Spec ? Clash.Spec->Required : printAxisType(Clash.Required);
  if (Clash.Spec)
    return role(V, Clash) + " must be " + Required + there(V, Clash) +
           fixits::nameOf(O, V.In, Source) + " is " + O.Spec +
           ": what follows relies on the annotation";
  if (Clash.On == Annotated::OutputOnExit)
    return "nothing is written to '" + V.Op + "', which must be " + Required +
           " on '" + V.Axis +
           "' on exit: what follows relies on the annotation";
  if (Clash.On == Annotated::FieldOnExit || Clash.On == Annotated::MemberOnExit)
    return "from here on " + nameAndType(O, V, Source) + " on '" + V.Axis +
           "', and nothing makes it " + Required +
           (Clash.On == Annotated::MemberOnExit
                ? " again before its object ends"
                : " again: other functions rely on the annotation");
  return role(V, Clash) + " must be " + Required + " on '" + V.Axis + "'" +
         there(V, Clash) + nameAndType(O, V, Source) +
         ": what follows relies on the annotation";
}

static const ViolationTextRegistration Text({ViolationKind::Contract,
                                             "spmd-contract", message});

} // namespace spmd::lint
