//===- PlanRepairs.cpp - From a violation to ranked repairs ---------------===//

#include "RepairCosts.h"
#include "SumsBehind.h"

#include "spmd/fixits/Repair.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

namespace {

int forwardWeight(llvm::ArrayRef<Step> Steps) {
  int W = 0;
  for (const Step &S : Steps)
    W += weightOf(S.Row->Op);
  return W;
}

Repair wrap(unsigned Operand, llvm::SmallVector<Step, 2> Steps, bool Safe) {
  Repair R;
  R.A = Repair::Action::WrapOperand;
  R.Operand = Operand;
  R.Steps = std::move(Steps);
  R.Safe = Safe;
  return R;
}

Repair action(Repair::Action A, bool Safe) {
  Repair R;
  R.A = A;
  R.Safe = Safe;
  return R;
}

bool is(const ViolationOperand &O, LocalType T) {
  return O.Type.Set == TypeSet(T);
}

/// One operator, whether it keeps the meaning or not; empty when none does it.
llvm::SmallVector<Step, 2> oneStep(OperatorKind Op, LocalType Src,
                                   LocalType Dst) {
  if (const Transition *T = findTransition(Op, Src, Dst))
    return {Step{T}};
  return {};
}

class Planner {
public:
  Planner(const Violation &V,
          llvm::function_ref<MadeOf(const ViolationOperand &)> Of)
      : V(V), Of(Of) {}

  std::vector<Repair> plan() {
    std::visit([this](const auto &Found) { repair(Found); }, V.What);
    return std::move(Out);
  }

private:
  void add(Repair R, bool Preferred = false) {
    if (R.A == Repair::Action::WrapOperand &&
        ((R.Steps.empty() && R.PartialOn.empty()) ||
         V.Operands[R.Operand].Written))
      return;
    if (R.A == Repair::Action::WrapOperand && V.Operands[R.Operand].IsOwnPart &&
        llvm::any_of(R.Steps, [](const Step &S) { return addsUp(S.Row->Op); }))
      return;
    R.Preferred = Preferred && llvm::none_of(Out, [](const Repair &X) {
                    return X.Preferred;
                  });
    Out.push_back(std::move(R));
  }
  std::optional<unsigned> operandOf(LocalType T) const {
    for (unsigned I = 0; I != V.Operands.size(); ++I)
      if (is(V.Operands[I], T))
        return I;
    return std::nullopt;
  }

  /// Every I operand becomes R: its gradient parts are summed in backward.
  void repair(const InvariantMix &) {
    if (auto I = operandOf(LocalType::I))
      add(wrap(*I, findPath(LocalType::I, LocalType::R), true), true);
  }

  // PlanReshards.cpp has those.
  void repair(const ShardPropagation &) {}
  void repair(const ShardOrder &) {}

  void repair(const PartialNonlinear &Found) {
    using Place = PartialNonlinear::Place;
    // Only who wrote the collective knows what it was to be.
    if (llvm::is_contained({Place::Operand, Place::Divisor, Place::Reduction},
                           Found.As))
      reduceOperands(/*OnlyFirst=*/false);
  }
  void repair(const PartialProduct &) { reduceOperands(/*OnlyFirst=*/true); }

  /// The pending sum is done first, and the op sees the whole value.
  void reduceOperands(bool OnlyFirst) {
    const bool WithInvariant = operandOf(LocalType::I).has_value();
    const LocalType Dst = WithInvariant ? LocalType::I : LocalType::R;
    bool First = true;
    for (unsigned I = 0; I != V.Operands.size(); ++I) {
      if (!is(V.Operands[I], LocalType::P))
        continue;
      // Which factor of a product is the cheaper one to sum is not known; the
      // first stands for all.
      add(wrap(I, findPath(LocalType::P, Dst), true), First);
      First = false;
      if (OnlyFirst && V.Operands.size() < 2)
        break;
    }
    for (unsigned I = 0; I != V.Operands.size(); ++I)
      if (is(V.Operands[I], LocalType::P) && !WithInvariant)
        add(wrap(I, findPath(LocalType::P, LocalType::I), true));
  }

  /// The ranks' terms in \p O are a pending sum: said where they are made, if
  /// that is known.
  Repair declarePending(unsigned Operand) const {
    const PlaceId Product = productOf(Operand);
    Repair R = action(Product == PlaceId::None ? Repair::Action::WrapOperand
                                               : Repair::Action::ReducePartial,
                      Product != PlaceId::None);
    R.Operand = Operand;
    R.Of = Product;
    R.PartialOn = {V.Axis};
    return R;
  }

  /// What is added to terms of a sum is made partial, and so are they.
  void addedToTerms(Site Summed) {
    std::optional<Repair> All;
    const auto Join = [&](Repair R) {
      if (!All) {
        All = std::move(R);
        return;
      }
      All->Safe &= R.Safe;
      All->Also.push_back(std::move(R));
    };
    for (unsigned I = 0; I != V.Operands.size(); ++I) {
      const ViolationOperand &O = V.Operands[I];
      const bool IsReplica = is(O, LocalType::R) || is(O, LocalType::I);
      // A number is what the author meant it to be.
      const bool IsNumber = !O.Type.Set.isSingle() && !O.Written;
      if (IsNumber ||
          (O.Written && (IsReplica || (is(O, LocalType::V) &&
                                       productOf(I) == PlaceId::None))))
        return;
      if (IsReplica) {
        Join(wrap(I, findPath(O.Type.Set.single(), LocalType::P), true));
      } else if (is(O, LocalType::V)) {
        Repair R = declarePending(I);
        // A collective without declared types adds up what it gets; an
        // out_partial around the op has said so.
        R.Safe |= !Summed || !declaresTypes(Summed);
        Join(std::move(R));
      } else if (Summed) { // the op's own product
        Repair R = action(Repair::Action::ReducePartial, true);
        R.PartialOn = {V.Axis};
        Join(std::move(R));
      }
    }
    if (All)
      add(std::move(*All), All->Safe);
  }

  /// Whether the collective that adds up the terms says that they are pending.
  static bool declaresTypes(Site Summed) {
    for (const Block &B : Summed.In->Blocks)
      for (const Fact &X : B.Facts)
        if (const auto *T = std::get_if<TransferFact>(&X);
            T && T->At == Summed.At)
          return T->From.has_value();
    return false;
  }

  /// The other addend counts once per rank unless it is made partial itself,
  /// which costs nothing and keeps what follows; or the sum is done first.
  void repair(const PartialAdd &Found) {
    if (Found.OfSum) // which of the sums is the one to leave out, nobody knows
      return;
    const bool Pending = llvm::any_of(V.Operands, [&](const auto &O) {
      return is(O, LocalType::P) && !(O.Written && O.At == V.At);
    });
    if (!Pending)
      return addedToTerms(Found.Summed);
    for (unsigned I = 0; I != V.Operands.size(); ++I) {
      const TypeSet Set = V.Operands[I].Type.Set;
      if (Set == TypeSet(LocalType::R) || Set == TypeSet(LocalType::I))
        add(wrap(I, findPath(Set.single(), LocalType::P), true), true);
    }
    if (auto P = operandOf(LocalType::P)) {
      // Beside a shard of dim i, what is missing is the sum's shard of it.
      for (const ViolationOperand &O : V.Operands)
        if (is(O, LocalType::V) && O.Type.ShardDim)
          add(wrap(*P, scatteredTo(*O.Type.ShardDim), true), true);
      const bool WithInvariant = operandOf(LocalType::I).has_value();
      add(wrap(*P,
               findPath(LocalType::P,
                        WithInvariant ? LocalType::I : LocalType::R),
               true),
          /*Preferred=*/!operandOf(LocalType::V));
    }
    if (auto Vary = operandOf(LocalType::V))
      add(wrap(*Vary,
               oneStep(OperatorKind::Reinterpret, LocalType::V, LocalType::P),
               false));
  }

  llvm::SmallVector<Step, 2> scatteredTo(int Dim) const {
    llvm::SmallVector<Step, 2> Out =
        oneStep(OperatorKind::ReduceScatter, LocalType::P, LocalType::V);
    for (Step &S : Out)
      S.To = Atom{LocalType::V, Dim};
    return Out;
  }

  void repair(const SrcType &Found) {
    if (Found.Of != SrcType::Holds::Any) // which is too much, nobody knows
      return;
    const auto &[From, To, DeclaredAt] = Found.Says;
    if (V.Operands.empty() || !V.Operands[0].Type.Set.isSingle()) {
      removeIfRedundant(To);
      return;
    }
    const LocalType Was = V.Operands[0].Type.Set.single();
    // What global code adds up on an axis, its dims say.
    const bool DimsSay =
        V.Op == "out_partial" && V.In && V.In->Mode.isGlobal(V.Axis);
    if (Found.TypedElsewhere.size() == 1 && !DimsSay) {
      Repair R = action(Repair::Action::ChangeAxis, true);
      R.Axis = Found.TypedElsewhere[0];
      add(std::move(R), true);
    }
    // What has been through such a collective needs no other one.
    if (removeIfRedundant(To))
      return;
    const bool IsTerm =
        From && Was == LocalType::V && From->Type == LocalType::P && !DimsSay;
    if (IsTerm) {
      if (productOf(0) != PlaceId::None)
        add(declarePending(0), true);
      add(wrap(0,
               oneStep(OperatorKind::Reinterpret, LocalType::V, LocalType::P),
               false));
    }
    const auto *T = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
    const auto Op = T ? operatorOf(T->K) : std::nullopt;
    // It adds up the same numbers, whether they are said to be a pending sum.
    const bool IsSum = From && Was == LocalType::P &&
                       From->Type == LocalType::V && Op && addsUp(*Op);
    if (Op && From && To && findTransition(*Op, Was, To->Type)) {
      Repair R = action(Repair::Action::ChangeSource, IsSum);
      R.NewSource = {Was, V.Operands[0].Type.ShardDim};
      add(std::move(R), IsSum);
    }
    // Terms are added up: side by side they would be something else.
    if (From && Was != From->Type && !IsTerm && !IsSum)
      add(wrap(0, findPath(Was, From->Type), true));
  }

  /// The operand already has the collective's result type.
  bool removeIfRedundant(const std::optional<Atom> &To) {
    if (V.Operands.empty())
      return false;
    const TypeSet Was = V.Operands[0].Type.Set;
    const Origin &From = V.Operands[0].From;
    // V may as well be terms that nobody has declared to be pending.
    const bool Declared =
        To && Was == TypeSet(To->Type) &&
        (Was != TypeSet(LocalType::V) || From.K == Origin::Kind::Transfer);
    // Its own result, come round a loop: without it there would be none.
    const bool IsOwn = V.CalledFrom.empty() && From.In == V.In &&
                       From.At == V.At && From.K == Origin::Kind::Transfer;
    const bool Redundant = !IsOwn && (Declared || (!To && isRedundantRaw(Was)));
    if (Redundant)
      add(action(Repair::Action::RemoveCollective, true), true);
    return Redundant;
  }

  /// A raw collective writes a buffer: where that is the operand's own, the
  /// buffer holds the result without it.
  bool isRedundantRaw(TypeSet Was) const {
    const auto *T = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
    return T && Was.subsetOf(LocalType::R | LocalType::I) &&
           T->K != TransferKind::ReduceScatter &&
           (T->Out.Slot == SlotId::None || T->Out.Slot == T->Src.Slot);
  }

  void repair(const WrongTransition &Found) {
    if (Found.NeedsExpert) {
      add(action(Repair::Action::AddExpert, false));
      return;
    }
    const Transition *Other =
        suggestTransition(Found.Says.From->Type, Found.Says.To->Type);
    if (!Other || Other->ExpertOnly)
      return;
    Repair R = action(Repair::Action::ReplaceOperator, Other->KeepsMeaning);
    R.Steps = {Step{Other}};
    add(std::move(R), Other->KeepsMeaning);
  }

  void repair(const ContractClash &Found) {
    if (V.Operands.empty() || !V.Operands[0].Type.Set.isSingle() ||
        !Found.Required.Set.isSingle())
      return;
    const LocalType Was = V.Operands[0].Type.Set.single();
    const LocalType Want = Found.Required.Set.single();
    const MadeOf Made = madeOf(0);
    if (Was == LocalType::V && !Made.Terms.empty() &&
        (Want != LocalType::V || !Found.Required.ShardDim)) {
      // Shards were multiplied: what is wanted is their sum, unless they were
      // parts of a batch.
      Repair R = declarePending(0);
      if (Want != LocalType::P)
        R.Steps = findPath(LocalType::P, Want);
      R.Safe = Want == LocalType::P;
      add(std::move(R), Want == LocalType::P);
      // What each rank has added up are no parts of anything.
      if (Want == LocalType::P || !Made.MayBeParts)
        return;
    }
    if (Was == LocalType::V && Want == LocalType::P) {
      // What each rank holds is a part of a sum, or it is not: no path of the
      // table can tell.
      add(wrap(0, oneStep(OperatorKind::Reinterpret, Was, Want), false));
      return;
    }
    if (Was == LocalType::V && Want != LocalType::V &&
        !V.Operands[0].Type.ShardDim) {
      // Which rank is right where only some changed it, nobody can tell.
      if (V.Operands[0].From.K == Origin::Kind::Branch)
        return;
      // Side by side, or added up, they would be something else.
      if (Made.Average != PlaceId::None) {
        Repair R = action(Repair::Action::Average, false);
        R.Of = Made.Average;
        R.InWords = true;
        add(std::move(R));
      }
      if (Made.Average != PlaceId::None || Made.Mixed)
        return;
      // Computed on each rank, they are terms of a sum more often than shards.
      llvm::SmallVector<Step, 2> Sum =
          oneStep(OperatorKind::Reinterpret, LocalType::V, LocalType::P);
      Sum.append(findPath(LocalType::P, Want));
      add(wrap(0, std::move(Sum), false));
    }
    llvm::SmallVector<Step, 2> Path = findPath(Was, Want);
    // Gathering or slicing needs a dim, and only the author knows it.
    const bool NeedsDim = Was == LocalType::V || Want == LocalType::V;
    // Two operators are more than a slip of the pen: offered, not applied.
    add(wrap(0, Path, !NeedsDim), !NeedsDim && Path.size() == 1);
  }

  /// Which pass is wrong, nobody can tell: the message says what to decide.
  void repair(const GivenGradient &) {}
  void repair(const LostGradient &) {}

  void repair(const LossType &) {
    if (V.Operands.empty())
      return;
    const TypeSet Was = V.Operands[0].Type.Set;
    if (Was == TypeSet(LocalType::R))
      add(wrap(0, findPath(LocalType::R, LocalType::P), true), true);
    // The gradient of what is R would still be a sum that nobody does.
    const bool IsRight = !hasReplicas();
    if (Was == TypeSet(LocalType::V))
      add(wrap(0,
               oneStep(OperatorKind::Reinterpret, LocalType::V, LocalType::P),
               IsRight),
          IsRight);
  }

  /// Whether something is declared R that the loss may be made of.
  bool hasReplicas() const {
    return V.In && llvm::any_of(V.In->Slots, [this](const Slot &S) {
             const AxisAtom *Is =
                 S.Declared ? S.Declared->Entry.find(V.Axis) : nullptr;
             return (S.Kind == SlotKind::Field ||
                     S.Kind == SlotKind::Parameter ||
                     S.Kind == SlotKind::Global) &&
                    Is && Is->Value.Type == LocalType::R;
           });
  }

  void repair(const RedundantChain &Found) {
    Repair R = action(Repair::Action::Shortcut, true);
    if (Found.Instead)
      R.Steps = {Step{Found.Instead}};
    add(std::move(R), true);
  }

  MadeOf madeOf(unsigned Operand) const {
    return Of ? Of(V.Operands[Operand]) : MadeOf();
  }
  PlaceId productOf(unsigned Operand) const {
    const MadeOf Made = madeOf(Operand);
    return Made.Terms.empty() ? PlaceId::None : Made.Terms.front();
  }

  const Violation &V;
  llvm::function_ref<MadeOf(const ViolationOperand &)> Of;
  std::vector<Repair> Out;
};

} // namespace

llvm::SmallVector<Step, 2> findPath(LocalType Src, LocalType Dst) {
  llvm::SmallVector<Step, 2> Best;
  auto Consider = [&](llvm::SmallVector<Step, 2> Path) {
    const auto Cost = [](const llvm::SmallVector<Step, 2> &P) {
      return std::make_pair(forwardWeight(P), P.size());
    };
    if (Best.empty() || Cost(Path) < Cost(Best))
      Best = std::move(Path);
  };
  for (const Transition &A : Transitions) {
    if (A.Src != Src || !A.KeepsMeaning || A.ExpertOnly)
      continue;
    if (A.Dst == Dst)
      Consider({Step{&A}});
    for (const Transition &B : Transitions)
      if (B.Src == A.Dst && B.Dst == Dst && B.KeepsMeaning && !B.ExpertOnly &&
          A.Dst != Src)
        Consider({Step{&A}, Step{&B}});
  }
  return Best;
}

std::vector<Repair>
planRepairs(const Violation &V, const AxisLinks &Links,
            llvm::function_ref<MadeOf(const ViolationOperand &)> Of) {
  if (V.isPossible()) // nothing is known to be wrong
    return {};
  if (isAboutShards(V))
    return planReshards(V, Links);
  std::vector<Repair> Planned = Planner(V, Of).plan(), Out;
  auto Take = [&](bool Preferred, bool Safe) {
    for (const Repair &R : Planned)
      if (R.Preferred == Preferred && R.Safe == Safe)
        Out.push_back(R);
  };
  Take(true, true);
  Take(true, false);
  Take(false, true);
  Take(false, false);
  return Out;
}

} // namespace spmd::fixits
