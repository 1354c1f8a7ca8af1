//===- spmd-transition.cpp - See spmd-transition.md -----------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-transition", Severity::Error,
              "no operator takes this source type to this destination type"});

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &) {
  const auto &Found = *V.as<WrongTransition>();
  const Atom From = *Found.Says.From, To = *Found.Says.To;
  const std::string Pair = printAtom(From) + " to " + printAtom(To);
  if (Found.NeedsExpert)
    return V.Op + " from " + Pair + " on '" + V.Axis +
           "' is right but almost never meant in forward code: it needs "
           "spmd::expert";
  const rules::Transition *Other = suggestTransition(From.Type, To.Type);
  return V.Op + " does not take " + Pair + " on '" + V.Axis + "': " +
         (Other ? std::string(operatorName(Other->Op)) + " does"
                : std::string("no operator does"));
}

static const ViolationTextRegistration Text({ViolationKind::Transition,
                                             "spmd-transition", message});

} // namespace spmd::lint
