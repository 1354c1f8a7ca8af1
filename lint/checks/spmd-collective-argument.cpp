//===- spmd-collective-argument.cpp - See spmd-collective-argument.md -----===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-collective-argument", Severity::Error,
              "an argument that a collective cannot be called with"});

static std::string message(const Finding &F) {
  if (F.Differs == "root")
    return "no rank has the number of the root of this '" + F.Call +
           "', however many there are";
  if (F.Differs.starts_with("buffer"))
    return "this '" + F.Call + "' reduces a " + F.Differs +
           ": it would take the bits of one for the other";
  return "this '" + F.Call + "' gets a " + F.Differs +
         ", with which nothing can be done: " + F.Witness;
}

static const CollectiveTextRegistration
    Text({FindingKind::Argument, "spmd-collective-argument", message});

} // namespace spmd::lint
