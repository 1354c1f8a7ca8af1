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
  case Annotated::VariableOnExit:
    return "'" + V.Op + "' at the end";
  case Annotated::FieldOnExit:
  case Annotated::MemberOnExit:
    return "field '" + V.Op + "' on exit";
  case Annotated::Read:
  case Annotated::Unwritten:
  case Annotated::PutBack:
  case Annotated::LeftBehind:
  case Annotated::Unread:
    return "what '" + V.Op + "' reads";
  }
  return "this value";
}

/// What goes wrong when something that must be \p Must is \p Is.
static std::string consequence(const AxisType &Must, const AxisType &Is) {
  constexpr TypeSet Alike = LocalType::R | LocalType::I;
  const bool WasAlike = Is.Set.subsetOf(Alike);
  const bool IsPartial = Is.Set == TypeSet(LocalType::P);
  if (Must.Set.subsetOf(Alike) && IsPartial)
    return "nothing has added up the ranks' parts";
  if (Must.Set.subsetOf(Alike) && Is.Set == TypeSet(LocalType::V))
    return "the ranks hold different values, which are taken for one";
  if (Must.Set == TypeSet(LocalType::I) && WasAlike)
    return "each rank would compute a part of a gradient that must be whole";
  if (Must.Set == TypeSet(LocalType::R) && WasAlike)
    return "its gradient is whole on every rank, and would be added up as "
           "if it were parts";
  if (Must.Set == TypeSet(LocalType::P) && WasAlike)
    return "the sum over the ranks would count it once per rank";
  if (Must.Set == TypeSet(LocalType::V) && WasAlike)
    return "all ranks hold the same, which is taken for each one's own";
  if (Must.Set == TypeSet(LocalType::V) && IsPartial)
    return "each rank holds a part of a sum, which is taken for its own value";
  if (Must.ShardDim && Is.ShardDim)
    return "the tensor is cut along another dim";
  return "what follows relies on the annotation";
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
      Clash.Spec ? Clash.Spec->Required : fixits::inWords(Clash.Required);
  if (Clash.Spec)
    return role(V, Clash) + " must be " + Required + there(V, Clash) +
           fixits::nameOf(O, V.In, Source) + " is " + O.Spec +
           ": each rank's part is taken for another one";
  if (Clash.On == Annotated::Read && O.Type.Set.empty())
    return fixits::nameOf(O, V.In, Source) +
           " is read, and nobody has written it: it holds what its memory did "
           "before";
  if (Clash.On == Annotated::Read)
    return nameAndType(O, V, Source) + " on '" + V.Axis + "' where '" + V.Op +
           "' reads it, and is declared to be the same on all ranks: " +
           consequence({LocalType::R, std::nullopt}, O.Type);
  if (Clash.On == Annotated::Unwritten)
    return "nothing has been put into " + fixits::nameOf(O, V.In, Source) +
           " where '" + V.Op + "' reads it, on any rank of '" + V.Axis +
           "': it holds what another use has left there, or nothing but zeros";
  if (Clash.On == Annotated::PutBack)
    return "'" + V.Op + "' is put back, and names each rank's shard on '" +
           V.Axis +
           "' all the time: nobody reads the whole, which is gathered "
           "into '" +
           O.Name + "'";
  if (Clash.On == Annotated::LeftBehind)
    return "what this leaves for '" + V.Op + "' on '" + V.Axis +
           "' nobody finds: when the function ends, that names another buffer "
           "than when it began";
  if (Clash.On == Annotated::Unread)
    return "nobody reads what '" + V.Op + "' makes of " +
           fixits::nameOf(O, V.In, Source) + ", which ranks on '" + V.Axis +
           "' have sent each other: its memory ends with '" +
           V.In->DisplayName +
           "', and nothing of it gets into what that is declared to leave";
  if (Clash.On == Annotated::OutputOnExit)
    return "nothing is written to '" + V.Op + "', which must be " + Required +
           " on '" + V.Axis + "' on exit: callers rely on the annotation";
  if (Clash.On == Annotated::VariableOnExit)
    return "from here on " + nameAndType(O, V, Source) + " on '" + V.Axis +
           "', and nothing makes it " + Required +
           " again, as it is declared, before the function ends: " +
           consequence(Clash.Required, O.Type);
  if (Clash.On == Annotated::FieldOnExit || Clash.On == Annotated::MemberOnExit)
    return "from here on " + nameAndType(O, V, Source) + " on '" + V.Axis +
           "', and nothing makes it " + Required +
           (Clash.On == Annotated::MemberOnExit
                ? " again before its object ends"
                : " again: other functions rely on the annotation");
  return role(V, Clash) + " must be " + Required + " on '" + V.Axis + "'" +
         there(V, Clash) + nameAndType(O, V, Source) + ": " +
         consequence(Clash.Required, O.Type);
}

static const ViolationTextRegistration Text({ViolationKind::Contract,
                                             "spmd-contract", message});

} // namespace spmd::lint
