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
  // Not of a sum: a reduction with max, min or a product.
  if (V.Cause && std::holds_alternative<TransferFact>(*V.Cause))
    return Name + " is P on '" + V.Axis + "', and this " + V.Op +
           " does not add: what is wanted of the ranks' parts is their sum";
  return Name + " is P on '" + V.Axis + "' and enters the non-linear '" + V.Op +
         "': " + V.Op + " of a sum is not the sum of the ranks' " + V.Op;
}

static const ViolationTextRegistration
    Text({ViolationKind::PartialNonlinear, "spmd-partial-nonlinear", message});

} // namespace spmd::lint
