//===- PlanReshards.cpp - Repairs of global code --------------------------===//
//
// What an automatic partitioner would insert unseen, as an edit: an
// operand or a value that is declared otherwise is resharded, or a sum over
// shards is declared to be pending and reduced.
//
//===----------------------------------------------------------------------===//

#include "ReshardCandidates.h"
#include "ReshardTogether.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

namespace {

/// The dims do not fit, however they are sharded; or the author asks for a sum
/// of what nothing adds up.
bool isWrongWhole(SpecViolation::Kind K) {
  using Kind = SpecViolation::Kind;
  return K == Kind::Rank || K == Kind::Dimension || K == Kind::Size ||
         K == Kind::NotPartial;
}

class ReshardPlanner {
public:
  ReshardPlanner(const Violation &V, const AxisLinks &Links)
      : V(V), S(*V.Layouts), Links(Links), All(V, S, Links),
        Values(All.values()) {}

  std::vector<Repair> plan() {
    const auto *Shards = V.as<ShardPropagation>();
    if (const SpecViolation *Op = shardsOfOp(V); Op && !isWrongWhole(Op->K))
      forOp(*Op);
    else if (const auto *Clash = V.as<ContractClash>())
      forContract(*Clash);
    else if (const auto *Order = V.as<ShardOrder>())
      forOrder(*Order->Why.Dim);
    else if (const auto *T = Shards ? Shards->ofTransfer() : nullptr;
             T && T->K == WrongShardTransfer::Kind::OtherDim)
      otherDim();
    return All.take();
  }

private:
  //===--- Ops ------------------------------------------------------------===//

  void forOp(const SpecViolation &Op) {
    const auto *Fact = V.Cause ? std::get_if<OpFact>(V.Cause) : nullptr;
    if (!Fact)
      return;
    if (Op.K == SpecViolation::Kind::Contraction)
      return reduceResult(*Fact, Op);
    if (Op.K == SpecViolation::Kind::Addend)
      makePartial(Op.Operand, *Op.Axis);
    const ReshardTrial Trial(*Fact, Op, S, Values);
    Candidates Progress(V, S, Links);
    for (unsigned I = 0; I != Values.size(); ++I)
      if (Values[I] && !Fact->Operands[I].Scalar)
        for (const LocalType Whole : {LocalType::R, LocalType::I})
          for (const Placement &To :
               placementsOn(*Values[I], movable(*Values[I], Op), Whole))
            consider(Trial, I, To, Whole, Progress);
    if (All.empty() && Op.Axis && Trial.ruleIsSure())
      addTogether(V, S, Links, Trial, All, Progress);
    if (All.empty())
      All.addAll(std::move(Progress));
  }

  /// The axes that a repair may move: those in dims of some operand, the one
  /// that is wrong first, on which the value is a replica or sharded.
  llvm::SmallVector<AxisId, 3> movable(const Placement &Of,
                                       const SpecViolation &Op) const {
    constexpr std::size_t Most = 3;
    llvm::SmallVector<AxisId, 3> Out;
    const auto Add = [&](AxisId A) {
      const auto T = Of.typeOn(A);
      if (Out.size() < Most && T && *T != LocalType::P &&
          llvm::is_contained(S.Global, A) && !llvm::is_contained(Out, A))
        Out.push_back(A);
    };
    if (Op.Axis)
      Add(*Op.Axis);
    for (const auto &P : Values)
      if (P)
        for (const ShardedDim &D : P->Spec.Dims)
          llvm::for_each(D.Axes, Add);
    return Out;
  }

  void consider(const ReshardTrial &Trial, unsigned I, const Placement &To,
                LocalType Whole, Candidates &Progress) {
    const Placement &From = *Values[I];
    if (To.sameAs(From) || V.Operands[I].Written)
      return;
    // Where nothing gets whole, R and I are the same candidate.
    const bool Gathers = llvm::any_of(S.Global, [&](AxisId A) {
      return From.Spec.dimOf(A) && !To.Spec.dimOf(A);
    });
    if (Whole == LocalType::I && !Gathers)
      return;
    Candidate C;
    C.R.Operand = I;
    C.Invariant = Whole == LocalType::I;
    ReshardTrial::Changes Now(Values.size());
    Now[I] = &To;
    if (!Trial.ruleIsSure() || Trial.isRight(Now))
      return All.add(std::move(C), From, To);
    // One of several: what is left is wrong on another axis.
    if (All.changes(From, To) == 1 && Trial.isRightOnAxis(Now))
      Progress.add(std::move(C), From, To);
  }

  /// Each rank has a part of the sum: the result is pending on all axes of what
  /// is added up, and then whole, or the shards of one dim.
  void reduceResult(const OpFact &Fact, const SpecViolation &Op) {
    if (Fact.WritesTo != SlotId::None)
      return;
    const FactorRule &Rule = Op.Rule;
    DimAxes Over;
    for (unsigned I = 0; I != Rule.Operands.size(); ++I)
      for (unsigned D = 0; Values[I] && D != Rule.Operands[I].size(); ++D)
        if (llvm::any_of(Rule.Operands[I][D],
                         [&](unsigned F) { return Rule.isContracted(F); }))
          for (AxisId A : Values[I]->axes(D))
            if (!llvm::is_contained(Over, A))
              Over.push_back(A);
    std::optional<Placement> Pending;
    if (Rule.HasResult && !Rule.ResultIsWritten) {
      const ReshardTrial Trial(Fact, Op, S, Values);
      auto Made = Trial.propagated(ReshardTrial::Changes(Values.size()), Over);
      if (auto *P = std::get_if<Propagation>(&Made)) {
        Pending.emplace();
        Pending->Spec = std::move(P->Result);
        Pending->Types.resize(S.Mesh.All.size());
        for (AxisId A : Over)
          Pending->Types[A].Set = LocalType::P;
      }
    }
    for (const LocalType Into : {LocalType::R, LocalType::I})
      Pending ? addReductions(*Pending, Over, Into) : addReduction(Over, Into);
    Candidate Left = pending(Over);
    Left.R.Safe = false;
    Left.R.Planned.emplace();
    Left.Class = 2;
    All.add(std::move(Left));
  }
  /// To all that the sum may become on its own axes and those of its dims.
  void addReductions(const Placement &Sum, llvm::ArrayRef<AxisId> Over,
                     LocalType Into) {
    Placement Whole = Sum;
    for (AxisId A : Over)
      Whole.unshard(A, Into);
    llvm::SmallVector<AxisId, 3> Movable(Over.begin(), Over.end());
    constexpr std::size_t Most = 3;
    for (const ShardedDim &D : Sum.Spec.Dims)
      for (AxisId A : D.Axes)
        if (Movable.size() < Most)
          Movable.push_back(A);
    for (const Placement &To : placementsOn(Whole, Movable, Into)) {
      Candidate C = pending(Over);
      C.Invariant = Into == LocalType::I;
      C.Class = To.sameAs(Whole) ? 0 : 2;
      const bool Keeps =
          llvm::any_of(Over, [&](AxisId A) { return To.typeOn(A) == Into; });
      if (Into == LocalType::R || Keeps)
        All.add(std::move(C), Sum, To);
    }
  }
  /// The same where nobody knows the dims of the result.
  void addReduction(llvm::ArrayRef<AxisId> Over, LocalType Into) {
    Candidate C = pending(Over);
    for (AxisId A : Over)
      C.R.Steps.push_back(
          {findTransition(OperatorKind::AllReduce, LocalType::P, Into),
           {},
           {},
           S.Mesh.All[A].Name});
    C.R.Planned.emplace();
    C.Invariant = Into == LocalType::I;
    All.add(std::move(C));
  }
  Candidate pending(llvm::ArrayRef<AxisId> Over) const {
    Candidate C;
    C.R.A = Repair::Action::ReducePartial;
    C.R.Safe = true;
    for (AxisId A : Over)
      C.R.PartialOn.push_back(S.Mesh.All[A].Name);
    return C;
  }

  /// Added on one rank, it counts once.
  void makePartial(unsigned I, AxisId A) {
    const auto Is = Values[I] ? Values[I]->typeOn(A) : std::nullopt;
    if (!Is || (*Is != LocalType::R && *Is != LocalType::I) ||
        V.Operands[I].Written)
      return;
    Placement To = *Values[I];
    To.unshard(A, LocalType::P);
    Candidate C;
    C.R.Operand = I;
    All.add(std::move(C), *Values[I], To);
  }

  //===--- Contracts and collectives --------------------------------------===//

  void forContract(const ContractClash &Clash) {
    if (!Values[0] || !S.Wanted->Spec ||
        Values[0]->Spec.rank() != S.Wanted->Spec->rank() ||
        (Clash.Spec && Clash.Spec->How.K == SpecClash::Kind::Size))
      return;
    Placement To = *Placement::of(*S.Wanted);
    for (AxisId A = 0; A != To.Types.size(); ++A)
      if (!To.Spec.dimOf(A) && To.Types[A].Set.isAll()) {
        // Nothing is said of it: as it is, or whole.
        To.Types[A] = Values[0]->Types[A];
        if (Values[0]->Spec.dimOf(A))
          To.Types[A] = {LocalType::R, std::nullopt};
      }
    All.add(Candidate(), *Values[0], To);
  }

  /// The axes after the one that is taken off go first, or it becomes the last.
  void forOrder(unsigned Dim) {
    if (!Values[0])
      return;
    const DimAxes Axes = Values[0]->axes(Dim);
    const auto *At =
        llvm::find_if(Axes, [&](AxisId A) { return name(A) == V.Axis; });
    if (At == Axes.end())
      return;
    Placement Gathered = *Values[0], Last = *Values[0];
    for (AxisId A : llvm::ArrayRef(At + 1, Axes.end()))
      Gathered.unshard(A, LocalType::R);
    Last.unshard(*At, LocalType::R);
    Last.shard(*At, Dim);
    All.add(Candidate(), *Values[0], Gathered);
    All.add(Candidate(), *Values[0], Last);
  }

  /// The axis is taken off the dim that it shards.
  void otherDim() {
    const auto *T = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
    std::optional<unsigned> D;
    for (AxisId A = 0; Values[0] && A != S.Mesh.All.size(); ++A)
      if (name(A) == V.Axis)
        D = Values[0]->Spec.dimOf(A);
    if (!T || !D || !T->From || T->From->Type != LocalType::V)
      return;
    Candidate C;
    C.R.A = Repair::Action::ChangeSource;
    C.R.NewSource = {LocalType::V, static_cast<int>(*D)};
    C.R.Safe = true;
    C.R.Planned.emplace();
    All.add(std::move(C));
  }

  //===--- Candidates -----------------------------------------------------===//

  llvm::StringRef name(AxisId A) const { return S.Mesh.All[A].Name; }

  const Violation &V;
  const OperandLayouts &S;
  const AxisLinks &Links;
  Candidates All;
  llvm::ArrayRef<std::optional<Placement>> Values; ///< by operand
};

/// The axis of \p V in \p S.
std::optional<AxisId> axisOf(const Violation &V, const OperandLayouts &S) {
  for (AxisId A = 0; A != S.Mesh.All.size(); ++A)
    if (S.Mesh.All[A].Name == V.Axis)
      return A;
  return std::nullopt;
}

} // namespace

const SpecViolation *shardsOfOp(const Violation &V) {
  const auto *Found = V.as<ShardPropagation>();
  return Found ? Found->ofOp() : nullptr;
}

bool isAboutShards(const Violation &V) {
  if (V.isOfSpecs() || !V.Layouts)
    return V.isOfSpecs();
  const auto A = axisOf(V, *V.Layouts);
  const auto Shards = [&](const ValueLayout &L) {
    return L.Spec && L.Spec->dimOf(*A).has_value();
  };
  return A && (Shards(V.Layouts->Of[0]) || Shards(*V.Layouts->Wanted));
}

std::vector<Repair> planReshards(const Violation &V, const AxisLinks &Links) {
  // Of local types, which say no layout on other axes, any would be a guess.
  if (V.Layouts && V.Layouts->Global.empty())
    return {};
  return ReshardPlanner(V, Links).plan();
}

} // namespace spmd::fixits
