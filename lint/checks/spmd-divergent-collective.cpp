//===- spmd-divergent-collective.cpp - See spmd-divergent-collective.md ---===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static constexpr CheckOption Options[] = {
    {"MinRanks",
     OptionKind::Number,
     "2",
     "The fewest ranks that the program is ever started on; the other checks "
     "of "
     "what ranks call look at no fewer either.",
     {},
     2,
     64}};

static const CheckRegistration Register(
    {"spmd-divergent-collective", Severity::Error,
     "some ranks do not get to a collective, or not as often", Options});

static std::string message(const Finding &F) {
  if (F.OfMessages)
    return "nobody is at the other end of this '" + F.Call +
           "', which waits for ever: " + F.Witness;
  return "not all ranks get to this '" + F.Call +
         "', and those that do wait for the others: " + F.Witness;
}

static const CollectiveTextRegistration
    Text({FindingKind::Divergent, "spmd-divergent-collective", message});

} // namespace spmd::lint
