//===- RepairTrials.cpp - Repairs tried on the IR -------------------------===//

#include "spmd/fixits/RepairTrials.h"

#include "PendingProducts.h"
#include "SumsBehind.h"

#include "spmd/fixits/RepairInIR.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace spmd::rules;

namespace spmd::fixits {

namespace {

int priceOf(const Repair &R) {
  int Price = 0;
  for (const Step &S : R.Steps)
    Price += bytesMoved(S.Row->Op) != "0";
  return Price;
}

bool sumsUp(const Repair &R) {
  return llvm::any_of(R.Steps, [](const Step &S) { return addsUp(S.Row->Op); });
}

bool isChoice(const Repair &A, const Repair &B) {
  return A.A == Repair::Action::WrapOperand && B.A == A.A &&
         A.Operand == B.Operand && A.Safe == B.Safe &&
         A.Steps.size() == B.Steps.size() && priceOf(A) == priceOf(B);
}

} // namespace

RepairTrials::Key RepairTrials::keyOf(const Violation &V) {
  std::string What = V.Axis;
  // At one place, what is wrong with one operand and then with another.
  if (const SpecViolation *Op = shardsOfOp(V))
    What += ":" + std::to_string(static_cast<int>(Op->K)) + ":" +
            std::to_string(Op->Operand);
  else
    for (const ViolationOperand &O : V.Operands)
      What += ":" + std::to_string(index(O.At));
  return {V.In, V.At, V.kind(), std::move(What)};
}

RepairTrials::RepairTrials(Module &M, const InferenceOptions &Options,
                           llvm::ArrayRef<Violation> Found, AxisLinks Links)
    : M(M), Options(Options), Links(std::move(Links)),
      Products(std::make_unique<PendingProducts>(M, this->Options)) {
  this->Options.FindRedundant = false;
  this->Options.OnlyFindings = true;
  for (const Violation &V : Found)
    Known.insert(keyOf(V));
}

RepairTrials::~RepairTrials() = default;

RepairTrials::Outcome RepairTrials::outcomeOf(Function &F, Function &Changed,
                                              const Violation &V,
                                              const Repair &R) {
  // Swapped, not copied: violations point into the function's facts.
  std::swap(F, Changed);
  Outcome Out{false, 0, 0, 0};
  InferenceOptions Here = Options;
  // Where nobody can tell any more, nothing is repaired.
  Here.Strict |= shardsOfOp(V) != nullptr;
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
    if (After.isPossible() && !Options.Strict) {
      Out.Stays |= After.At == V.At && After.isOfSpecs();
      continue;
    }
    Out.Stays |= IsSame(After);
    const bool IsNew = !Known.count(keyOf(After));
    Out.New += IsNew;
    // Of an op, what is wrong with one operand and then with another.
    Out.Elsewhere += IsNew && (After.At != V.At || After.kind() != V.kind());
    ++Out.Left;
  }
  std::swap(F, Changed);
  return Out;
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
  return outcomeOf(*Made->F, Made->As, V, R);
}

/// How many calls \p F has, from other functions. What stands once in a loop
/// may be in the IR several times.
static std::size_t callsOf(const Module &M, const Function &F) {
  std::size_t Out = 0;
  for (const auto &Caller : M.Functions) {
    llvm::SmallSet<PlaceId, 4> Sites;
    if (Caller.get() != &F)
      for (const CallFact &Call : factsOf<CallFact>(*Caller))
        if (Call.Callee == F.Symbol)
          Sites.insert(Call.At);
    Out += Sites.size();
  }
  return Out;
}

/// Whether the body itself has just done the same, over the same ranks: then
/// whoever calls it has no need of it a second time.
static bool isDoneBefore(const Violation &V) {
  const auto *Again = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
  if (!Again || V.Operands.empty())
    return false;
  const Origin &From = V.Operands[0].From;
  return From.K == Origin::Kind::Transfer && From.In == V.In &&
         llvm::any_of(factsOf<TransferFact>(*V.In), [&](const TransferFact &T) {
           return &T != Again && T.At == From.At && T.K == Again->K &&
                  T.Axis.Slot == Again->Axis.Slot;
         });
}

/// What is wrong in a body with the types of one call. Others may need the body
/// as it is: it is changed only for the one call that it has, and a collective
/// that it needs once is never taken out of it, since nothing would say that it
/// is missed there.
std::vector<Repair> RepairTrials::planAtCall(const Violation &V,
                                             std::vector<Repair> InBody) {
  const bool IsShared = callsOf(M, *V.In) > 1;
  std::vector<Repair> Out;
  for (Repair &R : InBody) {
    if (R.A == Repair::Action::RemoveCollective &&
        (IsShared || !isDoneBefore(V))) {
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
  Repair Shortcut;
  Shortcut.A = Repair::Action::Shortcut;
  auto Made = changedBy(M, V, Shortcut);
  if (!Made)
    return false;
  std::swap(*Made->F, Made->As);
  const bool Right =
      llvm::all_of(inferModule(M, Options).Violations,
                   [&](const Violation &X) { return Known.count(keyOf(X)); });
  std::swap(*Made->F, Made->As);
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
  // Where some ranks alone come, the others would be waited for for ever.
  if (V.OnSomeRanks)
    llvm::erase_if(Out, [](const Repair &R) { return priceOf(R) != 0; });
  // Of what is summed later anyhow, a sum here is one more: whether that one is
  // in the wrong place or this is no part of it, only the author knows.
  if (llvm::any_of(Out, [](const Repair &R) { return R.Safe && sumsUp(R); }) &&
      isAddedUpBehind(M, V))
    for (Repair &R : Out)
      if (sumsUp(R))
        R.Safe = R.Preferred = false;
  // Of shortcuts that was asked before.
  if (V.CalledFrom.empty() || V.as<RedundantChain>())
    return Out;
  return planAtCall(V, std::move(Out));
}

/// Whether some function of \p M looks at gradients: to reduce them, or to
/// change weights by what nobody has reduced.
static bool usesGradients(const Module &M) {
  return llvm::any_of(M.Functions, [](const auto &F) {
    return llvm::any_of(factsOf<GradientFact>(*F),
                        [](const GradientFact &G) { return !G.Clears; });
  });
}

/// Where one product is said to be a pending sum, the others that are in the
/// same value are, too.
static void sayOfAll(Repair &R, const Violation &V, PendingProducts &Products) {
  std::vector<Repair> Others;
  const auto Add = [&](const Repair &One) {
    if (One.A != Repair::Action::ReducePartial || One.Of == PlaceId::None)
      return;
    for (const PlaceId At : Products.behind(V, V.Operands[One.Operand]).Terms)
      if (At != One.Of) {
        Others.push_back(One);
        Others.back().Of = At;
        Others.back().Also.clear();
      }
  };
  Add(R);
  for (const Repair &One : R.Also)
    Add(One);
  R.Also.insert(R.Also.end(), Others.begin(), Others.end());
}

/// Whether \p R declares terms to be something, and changes nothing else.
static bool hidesTerms(const Repair &R) {
  return R.A == Repair::Action::ChangeSource ||
         (R.A == Repair::Action::WrapOperand && R.Steps.size() == 1 &&
          R.Steps[0].Row->Op == OperatorKind::Reinterpret);
}

std::vector<Repair> RepairTrials::planTypes(const Violation &V) {
  if (V.as<RedundantChain>() && !shortcutIsRight(V))
    return {};
  std::vector<Repair> Planned =
      planRepairs(V, Links, [&](const ViolationOperand &O) {
        return Products->behind(V, O);
      });
  for (Repair &R : Planned)
    sayOfAll(R, V, *Products);
  // Where they are made is known: what only says so of their sum, or that there
  // is none, would hide what is added to them besides.
  if (V.as<SrcType>() && llvm::any_of(Planned, [](const Repair &R) {
        return R.A == Repair::Action::ReducePartial;
      }))
    llvm::erase_if(Planned, hidesTerms);
  // Of a body that is wrong for one call, planAtCall asks; shortcuts are right.
  if (!V.CalledFrom.empty() || V.as<RedundantChain>())
    return Planned;
  // A loss that is said to be a term of a sum leaves its gradients to be
  // summed.
  if (V.as<LossType>() && usesGradients(M))
    for (Repair &R : Planned)
      R.Preferred = R.Safe = false;
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
    // What is wrong behind it then may be what is wrong now. Without one
    // collective, another one may have nothing to do.
    if (Here && !R.Checks &&
        ((R.A == Repair::Action::WrapOperand && Here->Elsewhere) ||
         !R.PartialOn.empty()))
      R.Preferred = R.Safe = false;
    R.AtVariable = Here && mayBeAtVariable(V, R, *Here);
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

/// Terms of a sum that a variable holds are that wherever it is used, if what
/// uses it takes them so.
bool RepairTrials::mayBeAtVariable(const Violation &V, Repair R,
                                   const Outcome &AtUse) {
  if (R.A != Repair::Action::WrapOperand || R.Steps.size() != 1 ||
      !R.PartialOn.empty() || !R.Also.empty() || R.FromType ||
      R.Steps[0].Row->Op != OperatorKind::Reinterpret ||
      R.Steps[0].Row->Src != LocalType::V ||
      R.Steps[0].Row->Dst != LocalType::P || V.In->Mode.isGlobal(V.Axis))
    return false;
  R.AtVariable = true;
  const auto Here = outcome(V, R);
  return Here && !Here->Stays && Here->New <= AtUse.New;
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
