//===- MemoryUses.cpp - Who reads and writes a buffer ---------------------===//

#include "MemoryUses.h"

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// Calls inside calls.
constexpr unsigned Deepest = 8;

/// All names that a function has for some memory.
class Names {
public:
  Names(const Function &F, llvm::ArrayRef<SlotId> Of) : F(F), Given(Of) {
    for (const SlotId S : Of)
      All.insert(index(S));
    std::size_t Before = 0;
    while (std::exchange(Before, All.size()) != All.size())
      for (const Fact &X : factsOf<Fact>(F))
        if (const SlotId New = resultOf(X); New != SlotId::None && isName(X))
          All.insert(index(New));
  }

  bool contains(SlotId S) const {
    return S != SlotId::None && All.contains(index(S));
  }
  /// Whether each of them names this memory alone, and nobody else has a name.
  bool areKnown() const {
    for (const std::uint32_t I : All)
      if (const Slot &S = F.Slots[I];
          !llvm::is_contained(Given, SlotId(I)) &&
          (S.Escapes ||
           (S.Kind != SlotKind::Local && S.Kind != SlotKind::Temporary)))
        return false;
    return llvm::none_of(F.Slots,
                         [&](const Slot &S) { return contains(S.Base); }) &&
           llvm::all_of(factsOf<Fact>(F), [&](const Fact &X) {
             return isName(X) || namesNothingElse(X);
           });
  }

private:
  /// Whether \p X makes another name of one of them.
  bool isName(const Fact &X) const {
    if (const auto *B = std::get_if<BindFact>(&X))
      return !B->Joins && contains(B->Src.Slot);
    if (const auto *V = std::get_if<ViewFact>(&X))
      return contains(V->Src.Slot);
    if (const auto *T = std::get_if<TransferFact>(&X))
      return contains(T->Out.Slot);
    const auto *O = std::get_if<OpFact>(&X);
    if (O && O->WritesTo != SlotId::None)
      return contains(O->WritesTo);
    if (!O || O->Operands.empty())
      return false;
    // The pointers of a list are copied.
    const bool CopiesPointer = O->Rule->is(OpRole::Copies) &&
                               !O->Operands[0].Scalar && O->Arguments.empty();
    return (CopiesPointer || !O->Rule->Views.empty()) &&
           contains(O->Operands[0].Slot);
  }
  /// Whether \p X, which makes none of them of another, leaves it at that.
  bool namesNothingElse(const Fact &X) const {
    const auto *D = std::get_if<DefineFact>(&X);
    if (!contains(resultOf(X)))
      return !std::holds_alternative<BindFact>(X) ||
             !contains(std::get<BindFact>(X).Src.Slot);
    // `i < n ? x[i] : 0`
    if (const auto *B = std::get_if<BindFact>(&X))
      return !B->Joins && isNumber(B->Src.Slot);
    return D && (D->K == DefineFact::Kind::Undefined ||
                 D->K == DefineFact::Kind::Zero ||
                 (D->K == DefineFact::Kind::Declared &&
                  llvm::is_contained(Given, D->Dst)));
  }

  /// Whether \p S is a new value, which names no memory that was there.
  bool isNumber(SlotId S) const {
    return S != SlotId::None && F.slot(S).Kind == SlotKind::Temporary &&
           llvm::all_of(factsOf<Fact>(F), [&](const Fact &X) {
             const auto *O = std::get_if<OpFact>(&X);
             return resultOf(X) != S || std::holds_alternative<DefineFact>(X) ||
                    (O && O->Rule->Views.empty());
           });
  }

  const Function &F;
  const llvm::ArrayRef<SlotId> Given;
  llvm::DenseSet<std::uint32_t> All;
};

} // namespace

/// What \p O does itself: an element that it changes in place is no value that
/// was read.
static void note(const OpFact &O, const Names &Of, MemoryAccess &A) {
  A.Writes = Of.contains(O.WritesTo);
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const Operand &X = O.Operands[I];
    const bool IsValue =
        X.Scalar || !O.Rule->is(OpRole::Copies) || !O.Arguments.empty();
    A.Reads |= Of.contains(X.Slot) && IsValue && O.Rule->Views.empty() &&
               readsValue(O.Rule->Term, O.FormalOf[I]);
  }
  A.ReadsFirst = A.Reads && !A.Writes;
}

std::optional<std::vector<MemoryAccess>>
MemoryUses::accesses(const Function &F, llvm::ArrayRef<SlotId> Slots) {
  const Names Of(F, Slots);
  if (F.Trusted || F.IsChoice || F.Blocks.empty() || !Of.areKnown())
    return std::nullopt;
  const auto IsOf = [&](SlotId S) { return Of.contains(S); };
  std::vector<MemoryAccess> Out;
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    for (std::uint32_t I = 0; I != F.Blocks[B].Facts.size(); ++I) {
      const Fact &X = F.Blocks[B].Facts[I];
      MemoryAccess A{B, I, &X};
      if (const auto *O = std::get_if<OpFact>(&X)) {
        note(*O, Of, A);
      } else if (const auto *T = std::get_if<TransferFact>(&X)) {
        A.Reads = A.ReadsFirst = IsOf(T->Src.Slot);
        A.Writes = IsOf(T->Out.Slot);
      } else if (const auto *Call = std::get_if<CallFact>(&X)) {
        const std::optional<MemoryUse> Use = ofCall(*Call, IsOf);
        if (!Use)
          return std::nullopt;
        A.Reads = Use->Reads;
        A.Writes = Use->Writes;
        A.ReadsFirst = Use->ReadsFirst;
        A.ReadsAgain = Use->ReadsAgain;
      } else if (std::holds_alternative<HavocFact>(X) ||
                 std::holds_alternative<ReturnFact>(X) ||
                 std::holds_alternative<GradientFact>(X) ||
                 std::holds_alternative<BackwardFact>(X)) {
        bool Mentions = false;
        forEachSlot(X, [&](SlotId S, SlotAccess) { Mentions |= IsOf(S); });
        if (Mentions)
          return std::nullopt;
      }
      if (A.Reads || A.Writes)
        Out.push_back(A);
    }
  return Out;
}

std::optional<MemoryUse>
MemoryUses::ofCall(const CallFact &Call,
                   llvm::function_ref<bool(SlotId)> IsOf) {
  llvm::SmallVector<SlotId, 2> Given;
  for (std::size_t I = 0; I != Call.Arguments.size(); ++I)
    if (IsOf(Call.Arguments[I].Slot))
      Given.push_back(SlotId(I));
  if (IsOf(Call.Receiver.Slot) || Call.Backward)
    return std::nullopt;
  if (Given.empty())
    return MemoryUse();
  const Function *Target = Find(Call.Callee);
  if (!Target || index(Given.back()) >= Target->NumParameters ||
      Depth == Deepest)
    return std::nullopt;
  return of(*Target, Given);
}

bool comesTo(const Function &F, const MemoryAccess &First,
             const MemoryAccess &Then) {
  return (First.Block == Then.Block && First.Index < Then.Index) ||
         rules::comesTo(F, First.Block, Then.Block);
}

std::optional<MemoryUse> MemoryUses::of(const Function &F,
                                        llvm::ArrayRef<SlotId> Slots) {
  ++Depth;
  const std::optional<std::vector<MemoryAccess>> All = accesses(F, Slots);
  --Depth;
  if (!All)
    return std::nullopt;
  MemoryUse Out;
  for (const MemoryAccess &A : *All) {
    Out.Reads |= A.Reads;
    Out.Writes |= A.Writes;
  }
  // Who comes to what is written has come through what reads.
  llvm::BitVector Around;
  std::optional<std::uint32_t> Avoided;
  for (const MemoryAccess &R : *All) {
    if (!R.ReadsFirst)
      continue;
    if (std::exchange(Avoided, R.Block) != R.Block)
      Around = reachedFrom(F, 0, R.Block);
    const auto IsLater = [&](const MemoryAccess &W) {
      return !W.Writes || W.X == R.X ||
             (W.Block == R.Block ? R.Index < W.Index : !Around.test(W.Block));
    };
    if (!llvm::all_of(*All, IsLater))
      continue;
    Out.ReadsFirst = true;
    Out.ReadsAgain |=
        R.ReadsAgain || llvm::any_of(*All, [&](const MemoryAccess &W) {
          return W.Writes && comesTo(F, W, R);
        });
    if (Out.ReadsAgain)
      break;
  }
  return Out;
}

bool MemoryUses::writesNothingElse(const CallFact &Call,
                                   llvm::ArrayRef<SlotId> Slots) {
  for (const Operand &X : Call.Arguments) {
    if (X.Slot == SlotId::None || llvm::is_contained(Slots, X.Slot))
      continue;
    const std::optional<MemoryUse> Use =
        ofCall(Call, [&](SlotId S) { return S == X.Slot; });
    if (!Use || Use->Writes)
      return false;
  }
  return true;
}

} // namespace spmd::rules::inference
