//===- spmd-loss-type.cpp - See spmd-loss-type.md -------------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-loss-type", Severity::Error,
              "backward on a loss that is R or V on some axis"});

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const ViolationOperand &O = V.Operands.front();
  const bool Varying = O.Type.Set == TypeSet(LocalType::V);
  return "backward on a loss that must be P or I on '" + V.Axis + "', but " +
         nameAndType(O, V, Source) + ": " +
         (Varying ? "each rank differentiates a loss of its own, and nothing "
                    "adds up the losses or their gradients"
                  : "every rank starts the full gradient, so it counts once "
                    "per rank");
}

static const ViolationTextRegistration Text({ViolationKind::LossType,
                                             "spmd-loss-type", message});

} // namespace spmd::lint
