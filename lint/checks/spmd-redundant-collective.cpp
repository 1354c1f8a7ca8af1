//===- spmd-redundant-collective.cpp - See spmd-redundant-collective.md ---===//

#include "spmd/lint/Render.h"
#include "spmd/types/Traffic.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration Register(
    {"spmd-redundant-collective", Severity::Warning,
     "operators in a row of which a cheaper one, or none, does the same"});

/// How \p Now compares with \p Was, which is more.
static std::string share(Traffic Now, Traffic Was) {
  if (Now.none())
    return "nothing";
  return Now + Now == Was ? "half the bytes" : "fewer bytes";
}

static std::string savings(RoundTrip Now, RoundTrip Was) {
  if (Now.Forward == Was.Forward)
    return share(Now.Backward, Was.Backward) + " in backward";
  const std::string There = share(Now.Forward, Was.Forward);
  if (Now.Backward == Was.Backward)
    return There + " in forward";
  const std::string Back = share(Now.Backward, Was.Backward);
  return There == Back ? There + " in forward and backward"
                       : There + " in forward, " + Back + " in backward";
}

/// What \p Was sends for nothing.
static std::string wasted(RoundTrip Was) {
  const bool Forward = !Was.Forward.none(), Backward = !Was.Backward.none();
  return std::string(" and moves bytes in ") + (Forward ? "forward" : "") +
         (Forward && Backward ? " and " : "") + (Backward ? "backward" : "") +
         " for nothing";
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &) {
  const auto &Found = *V.as<RedundantChain>();
  RoundTrip Was, Now;
  std::string Links;
  for (const TransferFact *T : Found.Chain) {
    Was = Was + roundTripOf(*findTransition(*operatorOf(T->K), T->From->Type,
                                            T->To->Type));
    const std::string Link = chainLink(*T);
    // Several that read one result are one link.
    if (!llvm::StringRef(Links).ends_with(Link))
      Links += (Links.empty() ? "" : ", then ") + Link;
  }
  if (!Found.Instead)
    return Links + " on '" + V.Axis + "' gives back what went in" + wasted(Was);
  Now = roundTripOf(*Found.Instead);
  return Links + " on '" + V.Axis +
         "': " + fixits::nameOf(*Found.Instead, Found.From, Found.To) +
         " does the same and moves " + savings(Now, Was);
}

static const ViolationTextRegistration
    Text({ViolationKind::Redundant, "spmd-redundant-collective", message});

} // namespace spmd::lint
