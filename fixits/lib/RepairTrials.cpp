//===- RepairTrials.cpp - Repairs tried on the IR -------------------------===//
//
// Length: what each kind of repair does to the IR, and the trials of that.
//
//===----------------------------------------------------------------------===//

#include "spmd/fixits/RepairTrials.h"

#include "PendingProducts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

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
  if ((V.Spec && V.Spec->Op) || Operands.size() == 1)
    Wrapped = Operands[Operands.size() == 1 ? 0 : R.Operand];
  // Of several, without a place, nobody knows which one is meant.
  for (Operand *O : Operands)
    if (!Wrapped && At != PlaceId::None && O->Slot != SlotId::None &&
        O->At == At)
      Wrapped = O;
  if (!Wrapped)
    return false;
  FactBuilder Facts(F, At);
  for (const std::string &Axis : R.PartialOn)
    Wrapped->Slot = Facts.transfer(*Wrapped, TransferKind::OutPartial, Axis);
  Wrapped->Slot = R.A == Repair::Action::Redistribute
                      ? Facts.redistribute(*Wrapped, R)
                      : Facts.steps(*Wrapped, R, V.Axis);
  FactIndex = Facts.insertAt(B, FactIndex, /*After=*/false);
  return true;
}

/// The op at \p At.
std::optional<std::pair<std::size_t, std::size_t>> findOp(const Function &F,
                                                          PlaceId At) {
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I)
      if (const auto *O = std::get_if<OpFact>(&F.Blocks[B].Facts[I]);
          O && O->At == At && O->Dst != SlotId::None)
        return std::pair(B, I);
  return std::nullopt;
}

/// The result of the op at \p FactIndex, which moves, is a pending sum, and is
/// taken through the steps of \p R.
bool reduceInIR(Function &F, Block &B, std::size_t &FactIndex,
                const Violation &V, const Repair &R) {
  auto *O = std::get_if<OpFact>(&B.Facts[FactIndex]);
  if (!O || O->Dst == SlotId::None || O->WritesTo != SlotId::None)
    return false;
  const SlotId Result = O->Dst;
  const PlaceId At = O->At;
  FactBuilder Facts(F, At);
  Operand X{F.addTemporary(), At};
  O->Dst = X.Slot;
  for (const std::string &Axis : R.PartialOn)
    X.Slot = Facts.transfer(X, TransferKind::OutPartial, Axis);
  Facts.bind(Result,
             R.FromType ? Facts.redistribute(X, R) : Facts.steps(X, R, V.Axis));
  FactIndex = Facts.insertAt(B, FactIndex, /*After=*/true);
  return true;
}

/// Makes \p R at the fact that caused \p V, which moves. False when that fact
/// has no such operand, or no result.
bool makeInIR(Function &F, std::size_t BlockIndex, std::size_t &FactIndex,
              const Violation &V, const Repair &R) {
  Block &B = F.Blocks[BlockIndex];
  if (R.A == Repair::Action::ReducePartial) {
    if (R.Of == PlaceId::None || R.Of == V.At)
      return reduceInIR(F, B, FactIndex, V, R);
    const auto Op = findOp(F, R.Of);
    if (!Op)
      return false;
    std::size_t At = Op->second;
    const std::size_t Had = B.Facts.size();
    if (!reduceInIR(F, F.Blocks[Op->first], At, V, R))
      return false;
    if (Op->first == BlockIndex && Op->second < FactIndex)
      FactIndex += B.Facts.size() - Had;
    return true;
  }
  if (R.A == Repair::Action::ChangeSource) {
    auto *T = std::get_if<TransferFact>(&B.Facts[FactIndex]);
    if (T)
      T->From = R.NewSource;
    return T;
  }
  if (R.A == Repair::Action::AddExpert ||
      R.A == Repair::Action::ReplaceOperator) {
    auto *T = std::get_if<TransferFact>(&B.Facts[FactIndex]);
    if (!T)
      return false;
    T->Expert |= R.A == Repair::Action::AddExpert;
    if (R.A == Repair::Action::ReplaceOperator) {
      T->K = transferOf(R.Steps[0].Row->Op);
      T->From = R.Steps[0].from();
      T->To = R.Steps[0].to();
    }
    return true;
  }
  if (R.A == Repair::Action::ChangeAxis) {
    auto *T = std::get_if<TransferFact>(&B.Facts[FactIndex]);
    if (!T)
      return false;
    DefineFact Over;
    Over.Dst = F.addTemporary();
    Over.K = DefineFact::Kind::Axes;
    Over.At = T->Axis.At;
    Over.AxisNames = {R.Axis};
    T->Axis.Slot = Over.Dst;
    B.Facts.insert(B.Facts.begin() + static_cast<std::ptrdiff_t>(FactIndex++),
                   std::move(Over));
    return true;
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
  return wrapInIR(F, B, FactIndex, V, R);
}

bool makeAllInIR(Function &F, std::size_t BlockIndex, std::size_t FactIndex,
                 const Violation &V, const Repair &R) {
  return makeInIR(F, BlockIndex, FactIndex, V, R) &&
         llvm::all_of(R.Also, [&](const Repair &Other) {
           return makeInIR(F, BlockIndex, FactIndex, V, Other);
         });
}

/// Whether the block may run more than once in one run of the function.
bool isRepeated(const Function &F, std::size_t BlockIndex) {
  llvm::SmallVector<std::size_t, 8> Ways{BlockIndex};
  llvm::SmallSet<std::size_t, 8> Seen;
  while (!Ways.empty())
    for (const BlockId Next : F.Blocks[Ways.pop_back_val()].Successors) {
      if (index(Next) == BlockIndex)
        return true;
      if (index(Next) < F.Blocks.size() && Seen.insert(index(Next)).second)
        Ways.push_back(index(Next));
    }
  return false;
}

/// Leaves out a call of the function that does one collective, of which \p V
/// says that its operand needs none.
bool removeCallInIR(Function &F, std::size_t BlockIndex, std::size_t FactIndex,
                    const Violation &V) {
  Block &B = F.Blocks[BlockIndex];
  const auto &Call = std::get<CallFact>(B.Facts[FactIndex]);
  const auto *T = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
  // What needs none in a later round may need it in the first.
  if (!T || isRepeated(F, BlockIndex))
    return false;
  if (Call.Dst != SlotId::None) {
    if (T->Out.Slot != SlotId::None ||
        index(T->Src.Slot) >= Call.Arguments.size())
      return false;
    B.Facts[FactIndex] =
        BindFact{Call.Dst, Call.Arguments[index(T->Src.Slot)], Call.At};
  } else {
    B.Facts.erase(B.Facts.begin() + static_cast<std::ptrdiff_t>(FactIndex));
  }
  return true;
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
  else
    for (const ViolationOperand &O : V.Operands)
      What += ":" + std::to_string(index(O.At));
  return {V.In, V.At, V.Kind, std::move(What)};
}

RepairTrials::RepairTrials(Module &M, const InferenceOptions &Options,
                           llvm::ArrayRef<Violation> Found, AxisLinks Links)
    : M(M), Options(Options), Links(std::move(Links)),
      Products(std::make_unique<PendingProducts>(M, this->Options)) {
  this->Options.FindRedundant = false;
  for (const Violation &V : Found)
    Known.insert(keyOf(V));
}

RepairTrials::~RepairTrials() = default;

/// The same function, as one of \p M's own.
static Function *ownOf(Module &M, const Function *F) {
  const auto Of = llvm::find_if(
      M.Functions, [&](const auto &Own) { return Own.get() == F; });
  return Of == M.Functions.end() ? nullptr : Of->get();
}

RepairTrials::Outcome RepairTrials::outcomeOf(Function &F, Function &Changed,
                                              const Violation &V,
                                              const Repair &R) {
  // Swapped, not copied: violations point into the function's facts.
  std::swap(F, Changed);
  Outcome Out{false, 0, 0};
  InferenceOptions Here = Options;
  // Where nobody can tell any more, nothing is repaired.
  Here.Strict |= V.Spec && V.Spec->Op;
  // What was found by itself can be looked at by itself.
  Here.Only = V.CalledFrom.empty() ? &F : nullptr;
  const auto IsSame = [&](const Violation &After) {
    if (keyOf(After) != keyOf(V))
      return false;
    // Of a call that is gone, others may be as wrong.
    return R.A != Repair::Action::RemoveCall ||
           (R.Call < After.CalledFrom.size() &&
            After.CalledFrom[R.Call].In == V.CalledFrom[R.Call].In &&
            After.CalledFrom[R.Call].At == V.CalledFrom[R.Call].At);
  };
  for (const Violation &After : inferModule(M, Here).Violations) {
    if (After.Possible && !Options.Strict) {
      Out.Stays |= After.At == V.At && After.Spec;
      continue;
    }
    Out.Stays |= IsSame(After);
    Out.New += !Known.count(keyOf(After));
    ++Out.Left;
  }
  std::swap(F, Changed);
  return Out;
}

/// The function of \p M that \p R changes, and what it makes of it.
static std::optional<std::pair<Function *, Function>>
changedBy(Module &M, const Violation &V, const Repair &R) {
  const bool OfCall = R.A == Repair::Action::RemoveCall;
  Function *F = ownOf(M, OfCall ? V.CalledFrom[R.Call].In : V.In);
  for (std::size_t B = 0; F && B != F->Blocks.size(); ++B)
    for (std::size_t I = 0; I != F->Blocks[B].Facts.size(); ++I) {
      const Fact &Here = F->Blocks[B].Facts[I];
      const auto *Call = std::get_if<CallFact>(&Here);
      if (OfCall ? !Call || Call->At != V.CalledFrom[R.Call].At
                 : &Here != V.Cause)
        continue;
      Function Changed = *F;
      const bool Made = OfCall ? removeCallInIR(Changed, B, I, V)
                               : makeAllInIR(Changed, B, I, V, R);
      if (!Made)
        return std::nullopt;
      return std::pair(F, std::move(Changed));
    }
  return std::nullopt;
}

bool makeRepair(Module &M, const Violation &V, const Repair &R) {
  if (R.A == Repair::Action::Shortcut) {
    Function *F = ownOf(M, V.In);
    if (!F)
      return false;
    Function Changed = *F;
    shortcutInIR(*F, Changed, V);
    *F = std::move(Changed);
    return true;
  }
  auto Made = changedBy(M, V, R);
  if (Made)
    *Made->first = std::move(Made->second);
  return Made.has_value();
}

std::optional<RepairTrials::Outcome> RepairTrials::outcome(const Violation &V,
                                                           const Repair &R) {
  unsigned &Left = isAboutShards(V) ? ShardTrialsLeft : TrialsLeft;
  if (!Left)
    return std::nullopt;
  auto Made = changedBy(M, V, R);
  if (!Made)
    return std::nullopt;
  --Left;
  return outcomeOf(*Made->first, Made->second, V, R);
}

/// How many calls \p F has, from other functions.
static unsigned callsOf(const Module &M, const Function &F) {
  unsigned Out = 0;
  for (const auto &Caller : M.Functions)
    for (const Block &B : Caller->Blocks)
      Out += static_cast<unsigned>(llvm::count_if(B.Facts, [&](const Fact &X) {
        const auto *Call = std::get_if<CallFact>(&X);
        return Call && Caller.get() != &F && Call->Callee == F.Symbol;
      }));
  return Out;
}

/// What is wrong in a body with the types of one call. Others may need the body
/// as it is: it is changed only for the one call that it has, and a collective
/// is never taken out of it, since nothing would say that it is missed there.
std::vector<Repair> RepairTrials::planAtCall(const Violation &V,
                                             std::vector<Repair> InBody) {
  const bool IsShared = callsOf(M, *V.In) > 1;
  std::vector<Repair> Out;
  for (Repair &R : InBody) {
    if (R.A == Repair::Action::RemoveCollective) {
      R.A = Repair::Action::RemoveCall;
      while (R.Call + 1 < V.CalledFrom.size() &&
             callsOf(M, *V.CalledFrom[R.Call].In) > 1)
        ++R.Call;
    } else if (IsShared) {
      R.InWords = true;
      R.Preferred = R.Safe = false;
    }
    if (R.Preferred) {
      const auto Here = outcome(V, R);
      if (!Here || Here->Stays || Here->New != 0)
        R.Preferred = R.Safe = false;
    }
    // Without the call there would be none for it.
    if (R.A == Repair::Action::RemoveCall && !R.Safe)
      R.InWords = true;
    Out.push_back(std::move(R));
  }
  return Out;
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
  // Of shortcuts that was asked before.
  if (V.CalledFrom.empty() || V.Kind == ViolationKind::Redundant)
    return Out;
  return planAtCall(V, std::move(Out));
}

std::vector<Repair> RepairTrials::planTypes(const Violation &V) {
  if (V.Kind == ViolationKind::Redundant && !shortcutIsRight(V))
    return {};
  std::vector<Repair> Planned =
      planRepairs(V, Links, [&](const ViolationOperand &O) {
        return Products->behind(V, O);
      });
  // Of a body that is wrong for one call, planAtCall asks; shortcuts are right.
  if (!V.CalledFrom.empty() || V.Kind == ViolationKind::Redundant)
    return Planned;
  std::vector<Repair> Out;
  std::vector<std::optional<Outcome>> Outcomes;
  unsigned LeastNew = ~0u;
  for (Repair &R : Planned) {
    const auto Here = outcome(V, R);
    if (Here && Here->Stays)
      continue;
    if (Here)
      LeastNew = std::min(LeastNew, Here->New);
    R.Checks = Here && Here->New == 0;
    Outcomes.push_back(Here);
    Out.push_back(std::move(R));
  }
  // What breaks something else is offered where nothing better is known.
  for (std::size_t I = Out.size(); I-- != 0;)
    if (Outcomes[I] && Outcomes[I]->New > LeastNew) {
      const bool WasPreferred = Out[I].Preferred;
      const Repair Dropped = std::move(Out[I]);
      Out.erase(Out.begin() + static_cast<std::ptrdiff_t>(I));
      Outcomes.erase(Outcomes.begin() + static_cast<std::ptrdiff_t>(I));
      if (WasPreferred)
        for (Repair &R : Out)
          if (isChoice(R, Dropped)) {
            R.Preferred = true;
            break;
          }
    }
  // The only one that is left, where it keeps the meaning, is meant.
  if (Out.size() == 1 && Planned.size() > 1 && Out[0].Safe && Out[0].Checks)
    Out[0].Preferred = true;
  preferLeast(Out, Outcomes);
  return Out;
}

/// Of repairs of one operand at one price, the one is preferred after which the
/// fewest findings are left.
void RepairTrials::preferLeast(
    std::vector<Repair> &Repairs,
    llvm::ArrayRef<std::optional<Outcome>> Outcomes) {
  const auto Preferred =
      llvm::find_if(Repairs, [](const Repair &R) { return R.Preferred; });
  if (Preferred == Repairs.end())
    return;
  auto Best = static_cast<std::size_t>(Preferred - Repairs.begin());
  for (std::size_t I = 0; I != Repairs.size(); ++I)
    if (Outcomes[I] && Outcomes[Best] && isChoice(Repairs[I], *Preferred) &&
        *Outcomes[I] < *Outcomes[Best])
      Best = I;
  const auto Chosen = Repairs.begin() + static_cast<std::ptrdiff_t>(Best);
  if (Chosen == Preferred)
    return;
  std::swap(Chosen->Preferred, Preferred->Preferred);
  std::rotate(Repairs.begin(), Chosen, std::next(Chosen));
}

} // namespace spmd::fixits
