//===- spmd-partial-add.cpp - See spmd-partial-add.md ---------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-partial-add", Severity::Error,
              "a pending sum is added to something that is none"});

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const ViolationOperand *P = operandOfType(V, LocalType::P);
  const ViolationOperand *Other = operandBeside(V, P);
  if (!P || !Other)
    return "a pending sum on '" + V.Axis +
           "' is added to something that is none";
  const std::string Pending = fixits::nameOf(*P, V.In, Source) +
                              ", which is P on '" + V.Axis + "', in '" + V.Op +
                              "'";
  if (Other->Type.Set == TypeSet(LocalType::V))
    return nameAndType(*Other, V, Source) + " and is added to " + Pending +
           ": it would silently join the pending sum over the ranks";
  const bool Literal = !Other->Type.Set.isSingle();
  return (Literal ? "the constant " + fixits::nameOf(*Other, V.In, Source)
                  : nameAndType(*Other, V, Source)) +
         (Literal ? " is added to " : " and is added to ") + Pending +
         ": the pending sum would count it once per rank";
}

static const ViolationTextRegistration Text({ViolationKind::PartialAdd,
                                             "spmd-partial-add", message});

} // namespace spmd::lint
