//===- spmd-shard-order.cpp - See spmd-shard-order.md ---------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-shard-order", Severity::Error,
              "a collective on an axis that is not the last of its dim"});

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const std::string Name = fixits::nameOf(V.Operands.front(), V.In, Source);
  const WrongShardTransfer &Found = V.as<ShardOrder>()->Why;
  const std::string Dim = std::to_string(*Found.Dim);
  return V.Op + " on '" + Found.Axes + "', but dim " + Dim + " of " + Name +
         " is sharded on " + Found.AxesOfDim +
         ": only the last of them can be taken off, the ranks' parts would be "
         "put together in the wrong order";
}

static const ViolationTextRegistration Text({ViolationKind::ShardOrder,
                                             "spmd-shard-order", message});

} // namespace spmd::lint
