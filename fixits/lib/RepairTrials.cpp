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

/// Makes \p R, a WrapOperand, at the fact that caused \p V. False when that
/// fact has no such operand.
bool wrapInIR(Function &F, std::size_t BlockIndex, std::size_t FactIndex,
              const Violation &V, const Repair &R) {
  Block &B = F.Blocks[BlockIndex];
  const PlaceId At = V.Operands[R.Operand].At;
  Operand *Wrapped = nullptr;
  for (Operand *O : operandsOf(B.Facts[FactIndex]))
    if (O->Slot != SlotId::None && O->At == At)
      Wrapped = O;
  if (!Wrapped)
    return false;

  std::vector<Fact> Inserted;
  DefineFact Axis;
  Axis.Dst = F.addTemporary();
  Axis.K = DefineFact::Kind::Axes;
  Axis.At = At;
  Axis.AxisNames = {V.Axis};
  const SlotId AxisSlot = Axis.Dst;
  Inserted.push_back(std::move(Axis));
  for (const Step &S : R.Steps) {
    TransferFact T;
    T.K = transferOf(S.Row->Op);
    T.Dst = F.addTemporary();
    T.Src = *Wrapped;
    T.Axis = {AxisSlot, At};
    T.From = S.from();
    T.To = S.to();
    T.At = At;
    Wrapped->Slot = T.Dst;
    Inserted.push_back(T);
  }
  B.Facts.insert(B.Facts.begin() + static_cast<std::ptrdiff_t>(FactIndex),
                 std::make_move_iterator(Inserted.begin()),
                 std::make_move_iterator(Inserted.end()));
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
  return {V.In, V.At, V.Kind, V.Axis};
}

RepairTrials::RepairTrials(Module &M, const InferenceOptions &Options,
                           llvm::ArrayRef<Violation> Found)
    : M(M), Options(Options) {
  this->Options.FindRedundant = false;
  for (const Violation &V : Found)
    Known.insert(keyOf(V));
}

std::optional<std::pair<bool, unsigned>>
RepairTrials::outcome(const Violation &V, const Repair &R) {
  const auto Of = llvm::find_if(M.Functions,
                                [&](const auto &F) { return F.get() == V.In; });
  if (Of == M.Functions.end() || !TrialsLeft)
    return std::nullopt;
  Function &F = **Of;
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I) {
      if (&F.Blocks[B].Facts[I] != V.Cause)
        continue;
      --TrialsLeft;
      Function Changed = F;
      if (!wrapInIR(Changed, B, I, V, R))
        return std::nullopt;
      // Swapped, not copied: violations point into the function's facts.
      std::swap(F, Changed);
      bool Stays = false;
      unsigned New = 0;
      for (const Violation &After : inferModule(M, Options).Violations) {
        Stays |= keyOf(After) == keyOf(V);
        New += !Known.count(keyOf(After));
      }
      std::swap(F, Changed);
      return std::make_pair(Stays, New);
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

std::vector<Repair> RepairTrials::plan(const Violation &V) {
  if (V.Kind == ViolationKind::Redundant && !shortcutIsRight(V))
    return {};
  std::vector<Repair> Out = planRepairs(V);
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
    const auto Outcome = outcome(V, *R);
    if (Outcome && *Outcome < *BestOutcome) {
      Best = R;
      BestOutcome = Outcome;
    }
  }
  if (Best != Preferred) {
    std::swap(Best->Preferred, Preferred->Preferred);
    std::rotate(Out.begin(), Best, std::next(Best));
  }
  return Out;
}

} // namespace spmd::fixits
