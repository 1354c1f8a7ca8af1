//===- spmd-partial-nonlinear.cpp - See spmd-partial-nonlinear.md ---------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-partial-nonlinear", Severity::Error,
              "a pending sum enters a non-linear op"});

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const ViolationOperand *P = operandOfType(V, LocalType::P);
  const std::string Name =
      P ? fixits::nameOf(*P, V.In, Source) : std::string("this value");
  using Place = PartialNonlinear::Place;
  const Place As = V.as<PartialNonlinear>()->As;
  // A reduction with max, min or a product.
  if (As == Place::Reduction)
    return Name + " is P on '" + V.Axis + "', and this " + V.Op +
           " does not add: what is wanted of the ranks' parts is their sum";
  if (As == Place::Share)
    return fixits::nameOf(V.Operands.front(), V.In, Source) +
           " was divided by the number of ranks of '" + V.Axis +
           "', as for an average, and this " + V.Op +
           " does not add: what is wanted of the ranks' shares is their sum";
  if (As == Place::Term)
    return fixits::nameOf(V.Operands.front(), V.In, Source) +
           " is each rank's term of a sum over '" + V.Axis +
           "' and enters the non-linear '" + V.Op +
           "' before it is added up: " + V.Op +
           " of a sum is not the sum of the ranks' " + V.Op;
  if (As == Place::Average)
    return fixits::nameOf(V.Operands.front(), V.In, Source) +
           " is divided by the number of ranks of '" + V.Axis +
           "', and the collective that made it did not add: an average is "
           "made of the sum of the ranks' values";
  if (As == Place::Update)
    return fixits::nameOf(V.Operands.front(), V.In, Source) +
           " is made of the largest or smallest of the ranks' values on '" +
           V.Axis +
           "', and updates what all ranks hold alike: an update is made of "
           "the sum of the ranks' gradients";
  if (As == Place::UpdateOfOne)
    return fixits::nameOf(V.Operands.front(), V.In, Source) +
           " is made of what one rank of '" + V.Axis +
           "' has computed of its own data and sent round, and updates what "
           "all ranks hold alike: an update is made of the sum of the ranks' "
           "gradients";
  if (const ViolationOperand *By = operandBeside(V, P);
      By && By->Type.Set == TypeSet(LocalType::P) && As == Place::Divisor)
    return fixits::nameOf(*By, V.In, Source) + " is P on '" + V.Axis +
           "' and divides " + Name +
           ": a quotient of sums is not the sum of the ranks' quotients";
  return Name + " is P on '" + V.Axis + "' and enters the non-linear '" + V.Op +
         "': " +
         (P && P->IsGradient
              ? "each rank has computed a part of the gradient, and nothing "
                "has "
                "added the parts up"
              : V.Op + " of a sum is not the sum of the ranks' " + V.Op);
}

static const ViolationTextRegistration
    Text({ViolationKind::PartialNonlinear, "spmd-partial-nonlinear", message});

} // namespace spmd::lint
