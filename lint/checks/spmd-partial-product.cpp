//===- spmd-partial-product.cpp - See spmd-partial-product.md -------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration Register(
    {"spmd-partial-product", Severity::Error,
     "a pending sum is multiplied by another one or by a varying value"});

/// What cannot be beside \p P: a number of the program's can.
static const ViolationOperand *meets(const Violation &V,
                                     const ViolationOperand *P) {
  const ViolationOperand *Beside = operandBeside(V, P);
  if (Beside && !Beside->Type.Set.isSingle())
    for (const ViolationOperand &O : V.Operands)
      if (&O != P && O.Type.Set.isSingle())
        return &O;
  return Beside;
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  using Alone = PartialProduct::Alone;
  const Alone Why = V.as<PartialProduct>()->Why;
  if (Why == Alone::ModifiedDivergently)
    return usedAfterDivergence(V, LocalType::P, Source) +
           ": the terms that they changed and those of the other ranks belong "
           "to different sums";
  const ViolationOperand *P = operandOfType(V, LocalType::P);
  if (P && Why == Alone::PartialAtVaryingOffset)
    return fixits::nameOf(*P, V.In, Source) + " is P on '" + V.Axis +
           "' and another part of it on each rank, and '" + V.Op +
           "' reads it: no rank has all terms of what it reads";
  const ViolationOperand *Other = meets(V, P);
  if (!P || !Other)
    return "a pending sum on '" + V.Axis + "' enters a product in '" + V.Op +
           "'";
  const std::string First = fixits::nameOf(*P, V.In, Source);
  const std::string Second = fixits::nameOf(*Other, V.In, Source);
  if (Other->Type.Set == TypeSet(LocalType::P))
    return First + " and " + Second + " are both P on '" + V.Axis +
           "' and meet in '" + V.Op +
           "': a product of sums is not the sum of the ranks' products";
  return First + " is P on '" + V.Axis + "' and meets " + Second +
         ", which is " + fixits::inWords(Other->Type) + ", in '" + V.Op +
         "': each rank would scale its part of the sum differently";
}

static const ViolationTextRegistration Text({ViolationKind::PartialProduct,
                                             "spmd-partial-product", message});

} // namespace spmd::lint
