//===- spmd-shard-propagation.cpp - See spmd-shard-propagation.md ---------===//

#include "spmd/lint/Render.h"

#include "spmd/fixits/SizesOfParts.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-shard-propagation", Severity::Error,
              "an op on shards does not give the shards of the op"});

namespace {

/// One op's finding in words.
class OpText {
public:
  OpText(const Violation &V, const SpecViolation &S,
         const fixits::SourceEnvironment &Source)
      : V(V), S(S), Source(Source) {}

  std::string message() const {
    using K = SpecViolation::Kind;
    switch (S.K) {
    case K::Rank:
      return op() + " has no rule for " + operand(S.Operand) + ", which is " +
             spec(S.Operand) + ": it has too few or too many dims";
    case K::Dimension:
      return op() + " is called with " + S.Argument + ", but " +
             operand(S.Operand) + " is " + spec(S.Operand);
    case K::Size:
      return op() + " takes " + factor(S.Factor) + " of " + operand(*S.Other) +
             " and of " + operand(S.Operand) + " for the same, but they are " +
             spec(*S.Other) + " and " + spec(S.Operand);
    case K::Contraction:
      return op() + " adds up " + factor(S.Factor) + ", which " + axis() +
             " shards: each rank would have a part of the sum as if it were "
             "the sum; say out_partial, or make " +
             factor(S.Factor) + " whole first";
    case K::Addend:
      return op() + " is a pending sum on " + axis() + " because " +
             factor(S.Factor) + " is sharded, but " + operand(S.Operand) +
             " is added on every rank: it would count once per rank";
    case K::Missing:
      return factor(S.Factor) + " is sharded on " + axis() + " in " +
             operand(*S.Other) + ", but not in " + operand(S.Operand) + ": " +
             op() + " would combine different parts of it" + whichPart();
    case K::Order:
      return factor(S.Factor) + " is sharded in another order in " +
             operand(S.Operand) + " than in " + operand(*S.Other) + ": " +
             op() + " would combine different parts of it";
    case K::Repeated:
      return axis() + " shards " + factor(S.OtherFactor) + " in " +
             operand(*S.Other) + " and " + factor(S.Factor) + " in " +
             operand(S.Operand) +
             ": each rank would have a block on the diagonal of the result, "
             "and none the others";
    case K::NeedsWhole:
      return op() + " needs " + factor(S.Factor) + " whole, but " + axis() +
             " shards it in " + operand(S.Operand) +
             ": each rank would look at its part alone";
    case K::AcrossView:
      return op() + " joins " + factor(S.Factor) + ", which " + axis() +
             " shards, with dims before it: a rank's part would not be one "
             "piece of the result";
    case K::Uneven:
      return op() + " splits or joins " + factor(S.Factor) +
             ", whose shards on " + axis() +
             " are uneven: they would not be shards of the result";
    case K::NotPartial:
      return "out_partial on " + axis() + ", which shards " + factor(S.Factor) +
             " of the result of " + op() +
             ": the ranks have parts, and nothing adds them up";
    }
    return {};
  }

private:
  /// What to decide where no layout would do.
  std::string whichPart() const {
    if (!V.Layouts || !fixits::takesSamePart(S, *V.Layouts))
      return {};
    return ", and " + operand(S.Operand) +
           " is as long as a shard but the same on each rank: take each rank's "
           "own part, from its number times that length on";
  }
  std::string op() const { return "'" + V.Op + "'"; }
  std::string axis() const { return "'" + V.Axis + "'"; }
  std::string factor(std::optional<unsigned> F) const {
    return F ? "'" + S.Rule.Factors[*F].Name + "'" : "a dim";
  }
  std::string operand(unsigned I) const {
    return fixits::nameOf(V.Operands[I], V.In, Source);
  }
  std::string spec(unsigned I) const { return V.Operands[I].Spec; }

  const Violation &V;
  const SpecViolation &S;
  const fixits::SourceEnvironment &Source;
};

std::string transferMessage(const Violation &V, const WrongShardTransfer &Found,
                            const fixits::SourceEnvironment &Source) {
  using C = WrongShardTransfer::Kind;
  const ViolationOperand &O = V.Operands.front();
  const std::string Name = fixits::nameOf(O, V.In, Source);
  const std::string Axis = "'" + Found.Axes + "'";
  switch (Found.K) {
  case C::NoDim:
    return V.Op + " with V stacks what the ranks have, which is nothing that " +
           Name + " means as a whole: say S(i), or do it in a local_map";
  case C::NoSuchDim:
    return V.Op + " names a dim that " + Name + ", which is " + O.Spec +
           ", has not";
  case C::OtherDim:
    return V.Op + " takes " + Axis + " off dim " + std::to_string(*Found.Dim) +
           " of " + Name + ", which is " + O.Spec;
  case C::Uneven:
    return V.Op + " on " + Axis + " of dim " + std::to_string(*Found.Dim) +
           " of " + Name +
           " does not give its shards: they are uneven, and cut at once they "
           "are others than cut along one axis after the other";
  case C::Reinterprets:
    return V.Op + " to or from V gives " + Name + " another meaning on " +
           Axis + ": do it in a local_map";
  case C::SumsShards:
    return V.Op + " on " + Axis + " adds up the shards along dim " +
           std::to_string(*Found.Dim) + " of " + Name + ", which is " + O.Spec +
           ": these are different elements of it";
  case C::NotLast:
    break; // spmd-shard-order
  }
  return {};
}

std::string message(const Violation &V,
                    const fixits::SourceEnvironment &Source) {
  const auto &Found = *V.as<ShardPropagation>();
  if (const SpecViolation *Op = Found.ofOp())
    return OpText(V, *Op, Source).message();
  return transferMessage(V, *Found.ofTransfer(), Source);
}

} // namespace

static const ViolationTextRegistration
    Text({ViolationKind::ShardPropagation, "spmd-shard-propagation", message});

} // namespace spmd::lint
