//===- RepairInIR.cpp - What repairs do to the IR -------------------------===//

#include "spmd/fixits/RepairInIR.h"

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"

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

/// The value that the variable \p Of begins with, its only one, goes through
/// \p R.
bool convertInIR(Function &F, std::size_t BlockIndex, std::size_t &FactIndex,
                 SlotId Of, const Repair &R, const std::string &Axis) {
  const Slot &Variable = F.Slots[index(Of)];
  if (Variable.Kind != SlotKind::Local || Variable.Declared)
    return false;
  std::optional<std::pair<std::size_t, std::size_t>> Begins;
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I)
      if (llvm::is_contained(defs(F.Blocks[B].Facts[I]), Of)) {
        if (Begins)
          return false;
        Begins = {B, I};
      }
  if (!Begins)
    return false;
  Block &B = F.Blocks[Begins->first];
  auto *Bind = std::get_if<BindFact>(&B.Facts[Begins->second]);
  if (!Bind || Bind->Refers || Bind->Joins || Bind->Src.Slot == SlotId::None)
    return false;
  FactBuilder Facts(F, Bind->Src.At);
  Bind->Src.Slot = Facts.steps(Bind->Src, R, Axis);
  const std::size_t Had = B.Facts.size();
  Facts.insertAt(B, Begins->second, /*After=*/false);
  if (Begins->first == BlockIndex && Begins->second < FactIndex)
    FactIndex += B.Facts.size() - Had;
  return true;
}

/// Takes an operand of the fact at \p FactIndex, which moves, through \p R.
bool wrapInIR(Function &F, std::size_t BlockIndex, std::size_t &FactIndex,
              const Violation &V, const Repair &R) {
  Block &B = F.Blocks[BlockIndex];
  const PlaceId At = V.Operands[R.Operand].At;
  Operand *Wrapped = nullptr;
  const auto Operands = operandsOf(B.Facts[FactIndex]);
  // All operands of the op, in order.
  if (shardsOfOp(V) || Operands.size() == 1)
    Wrapped = Operands[Operands.size() == 1 ? 0 : R.Operand];
  // Of several, without a place, nobody knows which one is meant.
  for (Operand *O : Operands)
    if (!Wrapped && At != PlaceId::None && O->Slot != SlotId::None &&
        O->At == At)
      Wrapped = O;
  if (!Wrapped)
    return false;
  if (R.AtVariable)
    return convertInIR(F, BlockIndex, FactIndex, Wrapped->Slot, R, V.Axis);
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
  return wrapInIR(F, BlockIndex, FactIndex, V, R);
}

bool makeAllInIR(Function &F, std::size_t BlockIndex, std::size_t FactIndex,
                 const Violation &V, const Repair &R) {
  return makeInIR(F, BlockIndex, FactIndex, V, R) &&
         llvm::all_of(R.Also, [&](const Repair &Other) {
           return makeInIR(F, BlockIndex, FactIndex, V, Other);
         });
}

/// Leaves out a call of the function that does one collective, of which \p V
/// says that its operand needs none.
bool removeCallInIR(Function &F, std::size_t BlockIndex, std::size_t FactIndex,
                    const Violation &V) {
  Block &B = F.Blocks[BlockIndex];
  const auto &Call = std::get<CallFact>(B.Facts[FactIndex]);
  const auto *T = V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
  // What needs none in a later iteration may need it in the first.
  const auto At = static_cast<std::uint32_t>(BlockIndex);
  if (!T || comesTo(F, At, At))
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
void shortcutInIR(const Function &F, Function &Changed,
                  const RedundantChain &Found) {
  for (std::size_t B = 0; B != F.Blocks.size(); ++B)
    for (std::size_t I = 0; I != F.Blocks[B].Facts.size(); ++I) {
      const auto *T = std::get_if<TransferFact>(&F.Blocks[B].Facts[I]);
      if (!T || !llvm::is_contained(Found.Chain, T))
        continue;
      Fact &Out = Changed.Blocks[B].Facts[I];
      if (T != Found.Chain.front() || !Found.Instead) {
        Out = BindFact{T->Dst, T->Src, T->At};
        continue;
      }
      auto &First = std::get<TransferFact>(Out);
      First.K = rules::transferOf(Found.Instead->Op);
      First.To = Found.To;
      First.Expert = false;
    }
}

/// The same function, as one of \p M's own.
Function *ownOf(Module &M, const Function *F) {
  const auto Of = llvm::find_if(
      M.Functions, [&](const auto &Own) { return Own.get() == F; });
  return Of == M.Functions.end() ? nullptr : Of->get();
}

} // namespace

std::optional<ChangedFunction> changedBy(Module &M, const Violation &V,
                                         const Repair &R) {
  const bool OfCall = R.A == Repair::Action::RemoveCall;
  Function *F = ownOf(M, OfCall ? V.CalledFrom[R.Call].In : V.In);
  if (!F)
    return std::nullopt;
  if (R.A == Repair::Action::Shortcut) {
    ChangedFunction Out{F, *F};
    shortcutInIR(*F, Out.As, *V.as<RedundantChain>());
    return Out;
  }
  for (std::size_t B = 0; B != F->Blocks.size(); ++B)
    for (std::size_t I = 0; I != F->Blocks[B].Facts.size(); ++I) {
      const Fact &Here = F->Blocks[B].Facts[I];
      const auto *Call = std::get_if<CallFact>(&Here);
      if (OfCall ? !Call || Call->At != V.CalledFrom[R.Call].At
                 : &Here != V.Cause)
        continue;
      ChangedFunction Out{F, *F};
      const bool Made = OfCall ? removeCallInIR(Out.As, B, I, V)
                               : makeAllInIR(Out.As, B, I, V, R);
      if (!Made)
        return std::nullopt;
      return Out;
    }
  return std::nullopt;
}

bool makeRepair(Module &M, const Violation &V, const Repair &R) {
  auto Made = changedBy(M, V, R);
  if (Made)
    *Made->F = std::move(Made->As);
  return Made.has_value();
}

} // namespace spmd::fixits
