//===- RepairTrials.cpp - Repairs tried on the IR -------------------------===//

#include "spmd/fixits/RepairTrials.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

namespace {

/// The operands of a fact that a repair may wrap.
llvm::SmallVector<Operand *, 4> operandsOf(Fact &F) {
  if (auto *O = std::get_if<OpFact>(&F)) {
    llvm::SmallVector<Operand *, 4> Out;
    for (Operand &X : O->Operands)
      Out.push_back(&X);
    return Out;
  }
  if (auto *A = std::get_if<AssertFact>(&F))
    return {&A->Value};
  if (auto *T = std::get_if<TransferFact>(&F))
    return {&T->Src};
  if (auto *B = std::get_if<BackwardFact>(&F))
    return {&B->Loss};
  if (auto *C = std::get_if<CallFact>(&F)) {
    llvm::SmallVector<Operand *, 4> Out{&C->Receiver};
    for (Operand &X : C->Arguments)
      Out.push_back(&X);
    return Out;
  }
  if (auto *R = std::get_if<ReturnFact>(&F))
    return {&R->Value};
  return {};
}

int priceOf(const Repair &R) {
  int Price = 0;
  for (const Step &S : R.Steps)
    Price += bytesMoved(S.Row->Op) != "0";
  return Price;
}

bool isChoice(const Repair &A, const Repair &B) {
  return A.A == Repair::Action::WrapOperand && B.A == A.A &&
         A.Operand == B.Operand && A.Safe == B.Safe &&
         A.Steps.size() == B.Steps.size() && priceOf(A) == priceOf(B);
}

/// Writes the facts of a repair at one place.
class FactBuilder {
public:
  FactBuilder(Function &F, PlaceId At) : F(F), At(At) {}

  /// \p X through one operator on \p Axis.
  SlotId transfer(Operand X, TransferKind K, const std::string &Axis,
                  std::optional<Atom> From = {}, std::optional<Atom> To = {}) {
    DefineFact Over;
    Over.Dst = F.addTemporary();
    Over.K = DefineFact::Kind::Axes;
    Over.At = At;
    Over.AxisNames = {Axis};
    TransferFact T;
    T.K = K;
    T.Dst = F.addTemporary();
    T.Src = X;
    T.Axis = {Over.Dst, At};
    T.From = From;
    T.To = To;
    T.At = At;
    Axes.push_back(std::move(Over));
    Facts.push_back(T);
    return T.Dst;
  }
  SlotId steps(Operand X, const Repair &R, const std::string &Axis) {
    for (const Step &S : R.Steps)
      X.Slot = transfer(X, transferOf(S.Row->Op),
                        S.Axis.empty() ? Axis : S.Axis, S.from(), S.to());
    return X.Slot;
  }
  SlotId redistribute(Operand X, const Repair &R) {
    TransferFact T;
    T.K = TransferKind::Redistribute;
    T.Dst = F.addTemporary();
    T.Src = X;
    T.FromType = R.FromType;
    T.ToType = R.ToType;
    T.At = At;
    Facts.push_back(T);
    return T.Dst;
  }
  void bind(SlotId Dst, SlotId Src) {
    BindFact B;
    B.Dst = Dst;
    B.Src = {Src, At};
    B.At = At;
    Facts.push_back(B);
  }
  /// Before the fact at \p Index, or after it. Returns where that one is then.
  std::size_t insertAt(Block &B, std::size_t Index, bool After) {
    const std::size_t Before = Axes.size() + (After ? 0 : Facts.size());
    const auto Insert = [&](std::vector<Fact> &New, std::size_t At) {
      B.Facts.insert(B.Facts.begin() + static_cast<std::ptrdiff_t>(At),
                     std::make_move_iterator(New.begin()),
                     std::make_move_iterator(New.end()));
    };
    Insert(Facts, Index + After);
    // Communicators are there before the op that they are used around.
    Insert(Axes, Index);
    return Index + Before;
  }

private:
  Function &F;
  PlaceId At;
  std::vector<Fact> Axes, Facts;
};

/// Takes an operand of the fact at \p FactIndex, which moves, through \p R.
bool wrapInIR(Function &F, Block &B, std::size_t &FactIndex, const Violation &V,
              const Repair &R) {
  const PlaceId At = V.Operands[R.Operand].At;
  Operand *Wrapped = nullptr;
  const auto Operands = operandsOf(B.Facts[FactIndex]);
  // All operands of the op, in order.
  if (V.Spec && V.Spec->Op)
    Wrapped = Operands[R.Operand];
  for (Operand *O : Operands)
    if (!Wrapped && O->Slot != SlotId::None && O->At == At)
      Wrapped = O;
  if (!Wrapped)
    return false;
  FactBuilder Facts(F, At);
  Wrapped->Slot = R.A == Repair::Action::Redistribute
                      ? Facts.redistribute(*Wrapped, R)
                      : Facts.steps(*Wrapped, R, V.Axis);
  FactIndex = Facts.insertAt(B, FactIndex, /*After=*/false);
  return true;
}

/// Makes \p R at the fact that caused \p V. False when that fact has no such
/// operand, or no result.
bool makeInIR(Function &F, std::size_t BlockIndex, std::size_t FactIndex,
              const Violation &V, const Repair &R) {
  Block &B = F.Blocks[BlockIndex];
  if (R.A == Repair::Action::ReducePartial) {
    auto *O = std::get_if<OpFact>(&B.Facts[FactIndex]);
    if (!O || O->Dst == SlotId::None || O->WritesTo != SlotId::None)
      return false;
    const SlotId Result = O->Dst;
    FactBuilder Facts(F, V.At);
    Operand X{F.addTemporary(), V.At};
    O->Dst = X.Slot;
    for (const std::string &Axis : R.PartialOn)
      X.Slot = Facts.transfer(X, TransferKind::OutPartial, Axis);
    Facts.bind(Result, R.FromType ? Facts.redistribute(X, R)
                                  : Facts.steps(X, R, V.Axis));
    Facts.insertAt(B, FactIndex, /*After=*/true);
    return true;
  }
  if (R.A == Repair::Action::ChangeSource) {
    auto *T = std::get_if<TransferFact>(&B.Facts[FactIndex]);
    if (T)
      T->From = R.NewSource;
    return T;
  }
  if (R.A == Repair::Action::RemoveCollective) {
    const auto *T = std::get_if<TransferFact>(&B.Facts[FactIndex]);
    const bool InPlace = T && T->Out.Slot == T->Src.Slot;
    if (!T || (T->Out.Slot != SlotId::None && !InPlace))
      return false;
    const BindFact Same{T->Dst, T->Src, T->At};
    if (Same.Dst != SlotId::None)
      B.Facts[FactIndex] = Same;
    else
      B.Facts.erase(B.Facts.begin() + static_cast<std::ptrdiff_t>(FactIndex));
    return true;
  }
  if (R.A != Repair::Action::WrapOperand && R.A != Repair::Action::Redistribute)
    return false;
  if (!wrapInIR(F, B, FactIndex, V, R))
    return false;
  return llvm::all_of(R.Also, [&](const Repair &Other) {
    return wrapInIR(F, B, FactIndex, V, Other);
  });
}

/// The chain of \p V, found in \p Changed at the places it has in \p F, with
/// its first transfer in place of all.
void shortcutInIR(const Function &F, Function &Changed, const Violation &V) {
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I) {
      const auto *T = std::get_if<TransferFact>(&F.Blocks[B].Facts[I]);
      if (!T || !llvm::is_contained(V.Chain, T))
        continue;
      Fact &Out = Changed.Blocks[B].Facts[I];
      if (T != V.Chain.front() || !V.Instead) {
        Out = BindFact{T->Dst, T->Src, T->At};
        continue;
      }
      auto &First = std::get<TransferFact>(Out);
      First.K = rules::transferOf(V.Instead->Op);
      First.To = V.To;
      First.Expert = false;
    }
}

} // namespace

RepairTrials::Key RepairTrials::keyOf(const Violation &V) {
  std::string What = V.Axis;
  // At one place, what is wrong with one operand and then with another.
  if (V.Spec && V.Spec->Op)
    What += ":" + std::to_string(static_cast<int>(V.Spec->Op->K)) + ":" +
            std::to_string(V.Spec->Op->Operand);
  return {V.In, V.At, V.Kind, std::move(What)};
}

RepairTrials::RepairTrials(Module &M, const InferenceOptions &Options,
                           llvm::ArrayRef<Violation> Found, AxisLinks Links)
    : M(M), Options(Options), Links(std::move(Links)) {
  this->Options.FindRedundant = false;
  for (const Violation &V : Found)
    Known.insert(keyOf(V));
}

std::optional<RepairTrials::Outcome> RepairTrials::outcome(const Violation &V,
                                                           const Repair &R) {
  const auto Of = llvm::find_if(M.Functions,
                                [&](const auto &F) { return F.get() == V.In; });
  unsigned &Left = isAboutShards(V) ? ShardTrialsLeft : TrialsLeft;
  if (Of == M.Functions.end() || !Left)
    return std::nullopt;
  Function &F = **Of;
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I) {
      if (&F.Blocks[B].Facts[I] != V.Cause)
        continue;
      --Left;
      Function Changed = F;
      if (!makeInIR(Changed, B, I, V, R))
        return std::nullopt;
      // Swapped, not copied: violations point into the function's facts.
      std::swap(F, Changed);
      Outcome Out{false, 0, 0};
      InferenceOptions Here = Options;
      // Where nobody can tell any more, nothing is repaired.
      Here.Strict |= V.Spec && V.Spec->Op;
      // What was found by itself can be looked at by itself.
      Here.Only = V.CalledFrom.empty() ? &F : nullptr;
      for (const Violation &After : inferModule(M, Here).Violations) {
        if (After.Possible && !Options.Strict) {
          Out.Stays |= After.At == V.At && After.Spec;
          continue;
        }
        Out.Stays |= keyOf(After) == keyOf(V);
        Out.New += !Known.count(keyOf(After));
        ++Out.Left;
      }
      std::swap(F, Changed);
      return Out;
    }
  return std::nullopt;
}

bool RepairTrials::shortcutIsRight(const Violation &V) {
  const auto Of = llvm::find_if(M.Functions,
                                [&](const auto &F) { return F.get() == V.In; });
  if (Of == M.Functions.end())
    return false;
  Function &F = **Of;
  Function Changed = F;
  shortcutInIR(F, Changed, V);
  std::swap(F, Changed);
  const bool Right =
      llvm::all_of(inferModule(M, Options).Violations,
                   [&](const Violation &X) { return Known.count(keyOf(X)); });
  std::swap(F, Changed);
  return Right;
}

std::vector<Repair> RepairTrials::planShards(const Violation &V) {
  constexpr std::size_t MostTried = 32, MostShown = 4;
  std::vector<Repair> Planned = planRepairs(V, Links), Wrong;
  std::vector<std::pair<unsigned, Repair>> Right; ///< with what is left
  Outcome Least;
  for (Repair &R : llvm::MutableArrayRef(Planned).take_front(MostTried)) {
    R.Preferred = false;
    if (R.Invariant && !Right.empty() && R.A != Repair::Action::ReducePartial)
      continue; // R does as well
    const auto Here = outcome(V, R);
    R.Checks = Here && !Here->Stays && Here->New == 0;
    if (R.Checks) {
      // What the code behind declares comes first: explicit replication wins.
      const auto At = llvm::upper_bound(
          Right, Here->Left,
          [](unsigned Left, const auto &X) { return Left < X.first; });
      Right.emplace(At, Here->Left, std::move(R));
    } else if (!Here && Wrong.empty()) {
      Wrong.push_back(std::move(R)); // as good as any
    } else if (Here && !Here->Stays && *Here < Least) {
      Least = *Here;
      Wrong.clear();
      Wrong.push_back(std::move(R));
    }
    if (Right.size() >= MostShown && Right.front().first == 0)
      break;
  }
  std::vector<Repair> Out;
  for (auto &[Left, R] : Right)
    if (Out.size() != MostShown)
      Out.push_back(std::move(R));
  if (Out.empty())
    Out = std::move(Wrong);
  if (!Out.empty()) {
    // A pending sum that what follows takes as it is.
    Out.front().Safe |= Out.front().Checks;
    Out.front().Preferred = Out.front().Safe;
  }
  return Out;
}

std::vector<Repair> RepairTrials::plan(const Violation &V) {
  std::vector<Repair> Out = isAboutShards(V) ? planShards(V) : planTypes(V);
  // A body that is wrong for one caller belongs to the others as well. Of
  // shortcuts that was asked before.
  if (!V.CalledFrom.empty() && V.Kind != ViolationKind::Redundant)
    for (Repair &R : Out)
      if (R.Preferred) {
        const auto Here = outcome(V, R);
        if (!Here || Here->Stays || Here->New != 0)
          R.Preferred = R.Safe = false;
      }
  return Out;
}

std::vector<Repair> RepairTrials::planTypes(const Violation &V) {
  if (V.Kind == ViolationKind::Redundant && !shortcutIsRight(V))
    return {};
  std::vector<Repair> Out = planRepairs(V, Links);
  const auto Preferred =
      llvm::find_if(Out, [](const Repair &R) { return R.Preferred; });
  if (Preferred == Out.end() || llvm::none_of(Out, [&](const Repair &R) {
        return &R != &*Preferred && isChoice(R, *Preferred);
      }))
    return Out;

  auto Best = Preferred;
  auto BestOutcome = outcome(V, *Preferred);
  for (auto R = Out.begin(); BestOutcome && R != Out.end(); ++R) {
    if (R == Preferred || !isChoice(*R, *Preferred))
      continue;
    const auto Here = outcome(V, *R);
    if (Here && *Here < *BestOutcome) {
      Best = R;
      BestOutcome = Here;
    }
  }
  if (Best != Preferred) {
    std::swap(Best->Preferred, Preferred->Preferred);
    std::rotate(Out.begin(), Best, std::next(Best));
  }
  return Out;
}

} // namespace spmd::fixits
