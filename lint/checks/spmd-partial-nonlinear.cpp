//===- spmd-partial-nonlinear.cpp - See spmd-partial-nonlinear.md for what it
// says -----------===//

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
  return Name + " is P on '" + V.Axis + "' and enters the non-linear '" + V.Op +
         "': " + V.Op + " of a sum is not the sum of the ranks' " + V.Op;
}

static const ViolationTextRegistration
    Text({ViolationKind::PartialNonlinear, "spmd-partial-nonlinear", message});

} // namespace spmd::lint
