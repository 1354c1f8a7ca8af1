//===- PlanReshards.cpp - Repairs of global code --------------------------===//
//
// What an automatic partitioner would insert unseen (seed 003), as an edit: an
// operand is resharded, or a sum over shards is declared to be pending.
//
//===----------------------------------------------------------------------===//

#include "spmd/fixits/Repair.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

namespace {

class ReshardPlanner {
public:
  explicit ReshardPlanner(const Violation &V) : V(V) {}

  std::vector<Repair> plan() {
    if (V.Spec->Op)
      forOp(*V.Spec->Op);
    else if (V.Kind == ViolationKind::ShardOrder)
      gatherInnerFirst();
    return std::move(Out);
  }

private:
  using K = SpecViolation::Kind;

  void forOp(const SpecViolation &S) {
    switch (S.K) {
    case K::Contraction:
      reduce(LocalType::R, /*Preferred=*/true);
      reduce(LocalType::I, /*Preferred=*/false);
      declarePartial();
      break;
    case K::Missing:
      slice(S.Operand, *S.Factor);
      gather(*S.Other, *S.Factor);
      break;
    case K::NeedsWhole:
    case K::AcrossView:
    case K::Uneven:
      gather(S.Operand, *S.Factor);
      break;
    case K::Repeated:
      gather(S.Operand, *S.Factor);
      gather(*S.Other, *S.OtherFactor);
      break;
    case K::Addend:
      makePartial(S.Operand);
      break;
    case K::Rank:
    case K::Dimension:
    case K::Size:
    case K::Order:
    case K::NotPartial:
      break;
    }
  }

  /// The dim of operand \p I that the factor alone indexes.
  std::optional<unsigned> dimOf(unsigned I, unsigned F) const {
    const FactorRule::Tensor &T = V.Spec->Op->Rule.Operands[I];
    for (unsigned D = 0; D != T.size(); ++D)
      if (llvm::is_contained(T[D], F))
        return D;
    return std::nullopt;
  }
  const DimAxes &axesOf(unsigned I, unsigned D) const {
    return V.Spec->Specs[I]->Dims[D].Axes;
  }

  static Atom shard(unsigned D) { return {LocalType::V, static_cast<int>(D)}; }
  static Step gatherStep(unsigned D) {
    return {findTransition(OperatorKind::AllGather, LocalType::V, LocalType::R),
            shard(D), std::nullopt};
  }

  Repair wrap(unsigned Operand, Step S, bool Preferred) const {
    Repair R;
    R.Operand = Operand;
    R.Steps.push_back(std::move(S));
    R.Safe = true;
    R.Preferred = Preferred;
    return R;
  }

  /// Makes the factor whole in one operand, where its axis is the last.
  void gather(unsigned I, unsigned F) {
    const std::optional<unsigned> D = dimOf(I, F);
    if (!D || !V.Spec->Specs[I] || axesOf(I, *D).empty() ||
        axesOf(I, *D).back() != *V.Spec->Op->Axis)
      return;
    // One axis, one collective; with others left there is more to repair.
    Out.push_back(wrap(I, gatherStep(*D), axesOf(I, *D).size() == 1));
  }

  /// A replica becomes the shards that the other operand has: nothing moves.
  void slice(unsigned I, unsigned F) {
    const std::optional<unsigned> D = dimOf(I, F);
    const std::optional<unsigned> Theirs = dimOf(*V.Spec->Op->Other, F);
    if (!D || !Theirs || !V.Spec->Specs[I] ||
        !V.Spec->Specs[*V.Spec->Op->Other])
      return;
    DimAxes After = axesOf(I, *D);
    After.push_back(*V.Spec->Op->Axis);
    const TypeSet Type = V.Operands[I].Type.Set;
    if (After != axesOf(*V.Spec->Op->Other, *Theirs) || !Type.isSingle() ||
        Type.single() == LocalType::V)
      return;
    const Transition *Row =
        findTransition(OperatorKind::Convert, Type.single(), LocalType::V);
    if (Row)
      Out.push_back(
          wrap(I, {Row, std::nullopt, shard(*D)}, /*Preferred=*/true));
  }

  /// Added on one rank, it counts once.
  void makePartial(unsigned I) {
    const TypeSet Type = V.Operands[I].Type.Set;
    const Transition *Row =
        Type.isSingle()
            ? findTransition(OperatorKind::Convert, Type.single(), LocalType::P)
            : nullptr;
    if (Row)
      Out.push_back(wrap(I, {Row}, /*Preferred=*/true));
  }

  void reduce(LocalType To, bool Preferred) {
    Repair R;
    R.A = Repair::Action::ReducePartial;
    R.Steps.push_back(
        {findTransition(OperatorKind::AllReduce, LocalType::P, To)});
    R.Safe = true;
    R.Preferred = Preferred;
    Out.push_back(std::move(R));
  }
  void declarePartial() {
    Repair R;
    R.A = Repair::Action::ReducePartial;
    Out.push_back(std::move(R));
  }

  /// The axes after the one that is gathered, the last one first.
  void gatherInnerFirst() {
    if (!V.Spec->Dim || V.Spec->Specs.empty() || !V.Spec->Specs[0])
      return;
    const DimAxes &Axes = V.Spec->Specs[0]->Dims[*V.Spec->Dim].Axes;
    Repair R;
    R.Safe = true;
    R.Preferred = true;
    for (AxisId A : llvm::reverse(Axes)) {
      if (V.Spec->AxisNames[A] == V.Axis)
        break;
      Step S = gatherStep(*V.Spec->Dim);
      S.Axis = V.Spec->AxisNames[A];
      R.Steps.push_back(std::move(S));
    }
    if (!R.Steps.empty() && R.Steps.size() < Axes.size())
      Out.push_back(std::move(R));
  }

  const Violation &V;
  std::vector<Repair> Out;
};

} // namespace

std::vector<Repair> planReshards(const Violation &V) {
  return ReshardPlanner(V).plan();
}

} // namespace spmd::fixits
