//===- spmd-src-type.cpp - See spmd-src-type.md ---------------------------===//

#include "spmd/lint/Render.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration Register(
    {"spmd-src-type", Severity::Error,
     "a collective or conversion whose operand is not of its source type"});

/// What goes wrong when \p Op gets \p Was.
static std::string consequence(const Violation &V, TypeSet Was) {
  const llvm::StringRef Op = V.Op;
  const bool Replica = Was.subsetOf(LocalType::R | LocalType::I);
  const auto *T = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
  if (T && T->Reduction == ReductionKind::Average && Replica)
    return "the mean of equal values is each of them, and its backward is that "
           "of a pending sum";
  if ((Op == "all_reduce" || Op == "reduce_scatter" || Op == "reduce") &&
      Replica)
    return "summing equal values multiplies them by the axis size";
  if (Op == "out_partial" && Replica)
    return "the pending sum would count the value once per rank";
  if (Op == "all_gather" && Replica)
    return "every rank already has the whole, and gathers copies of it";
  if (Op == "all_gather" && Was == TypeSet(LocalType::P))
    return "parts of a sum must be added, not put side by side";
  if (Op == "broadcast" && Was == TypeSet(LocalType::P))
    return "the other ranks' parts of the sum are lost";
  return "its backward is chosen by the source type and would be wrong";
}

static std::string message(const Violation &V,
                           const fixits::SourceEnvironment &Source) {
  const ViolationOperand &O = V.Operands.front();
  using Holds = SrcType::Holds;
  if (V.as<SrcType>()->Of == Holds::Shards)
    return V.Op + " on '" + V.Axis + "' " +
           (V.Op == "broadcast" ? "sends round " : "adds up ") +
           fixits::nameOf(O, V.In, Source) +
           ", of which each rank has another shard: " +
           (V.Op == "broadcast" ? "all ranks would have that of one"
                                : "elements that have nothing to do with each "
                                  "other are added");
  if (V.as<SrcType>()->Of == Holds::Terms)
    return V.Op + " on '" + V.Axis + "' sends round what one rank has of " +
           fixits::nameOf(O, V.In, Source) +
           ", but each has its terms of a sum: of the dim that is contracted "
           "each has a shard; sum them with all_reduce";
  if (V.as<SrcType>()->Of == Holds::OnRoot)
    return V.Op + " on '" + V.Axis + "' adds up " +
           fixits::nameOf(O, V.In, Source) +
           ", which a reduce has left with the sum on one rank and terms of it "
           "on the others: the terms would be counted twice";
  if (V.as<SrcType>()->Of == Holds::OfOwn)
    return V.Op + " on '" + V.Axis + "' adds up " +
           fixits::nameOf(O, V.In, Source) +
           ", the gradient of a tensor that each rank has its own of: what the "
           "others computed for theirs is added to it";
  return V.Op + " on '" + V.Axis + "' takes " +
         fixits::inWords(V.as<SrcType>()->Legal) + ", but " +
         nameAndType(O, V, Source) + ": " + consequence(V, O.Type.Set);
}

static const ViolationTextRegistration Text({ViolationKind::SrcType,
                                             "spmd-src-type", message});

} // namespace spmd::lint
