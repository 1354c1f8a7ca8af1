//===- spmd-collective-order.cpp - See spmd-collective-order.md -----------===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-collective-order", Severity::Error,
              "ranks wait for each other in different calls"});

static std::string message(const Finding &F) {
  if (F.IsCycle)
    return "ranks wait for each other's messages in a cycle, and none goes "
           "on: " +
           F.Witness;
  if (F.Call == F.Other)
    return "ranks wait for each other in two calls of '" + F.Call +
           "', which do not match: " + F.Witness;
  return "some ranks are in this '" + F.Call + "' and others in '" + F.Other +
         "', which do not match: " + F.Witness;
}

static const CollectiveTextRegistration
    Text({FindingKind::Order, "spmd-collective-order", message});

} // namespace spmd::lint
