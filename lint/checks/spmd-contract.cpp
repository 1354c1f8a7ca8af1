//===- spmd-contract.cpp - See spmd-contract.md ---------------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration Register(
    {"spmd-contract", Severity::Error, "a value disagrees with an annotation"});

/// What the value is to the annotation that it disagrees with.
static std::string role(const Violation &V) {
  switch (V.On) {
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
  if (V.On == Annotated::OutputOnExit)
    return "nothing is written to '" + V.Op + "', which must be " +
           printAxisType(V.Required) + " on '" + V.Axis +
           "' on exit: what follows relies on the annotation";
  if (V.On == Annotated::FieldOnExit || V.On == Annotated::MemberOnExit)
    return "from here on " + nameAndType(O, V, Source) + " on '" + V.Axis +
           "', and nothing makes it " + printAxisType(V.Required) +
           (V.On == Annotated::MemberOnExit
                ? " again before its object ends"
                : " again: other functions rely on the annotation");
  return role(V) + " must be " + printAxisType(V.Required) + " on '" + V.Axis +
         "'" + there(V) + (V.RequiredThere.empty() ? ", but " : " but ") +
         nameAndType(O, V, Source) + ": what follows relies on the annotation";
}

static const ViolationTextRegistration Text({ViolationKind::Contract,
                                             "spmd-contract", message});

} // namespace spmd::lint
