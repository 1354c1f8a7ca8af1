//===- spmd-invariant-mix.cpp - See spmd-invariant-mix.md -----------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-invariant-mix", Severity::Error,
              "an invariant value is combined with one of another type"});

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  if (V.as<InvariantMix>()->ModifiedDivergently)
    return usedAfterDivergence(V, LocalType::I, Source) +
           ": an invariant value needs the same gradient on every rank, and "
           "those that changed it have another one";
  const ViolationOperand *I = operandOfType(V, LocalType::I);
  const ViolationOperand *Other = operandBeside(V, I);
  if (!I || !Other)
    return "an invariant value is combined with another type on '" + V.Axis +
           "'";
  return nameAndType(*I, V, Source) + " on '" + V.Axis + "' and meets " +
         fixits::nameOf(*Other, V.In, Source) + ", which is " +
         fixits::inWords(Other->Type) + ", in '" + V.Op +
         "': an invariant value needs the same gradient on every rank, and "
         "each rank would compute only its own part";
}

static const ViolationTextRegistration Text({ViolationKind::InvariantMix,
                                             "spmd-invariant-mix", message});

} // namespace spmd::lint
