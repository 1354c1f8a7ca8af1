//===- ShrinkProgram.cpp - The least program that is still wrong ----------===//

#include "spmd/oracle/RandomProgram.h"

#include "NumberBlocks.h"

#include "spmd/ir/Walk.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// The slot whose value can stand in for what \p F defines.
SlotId sourceOf(const Fact &F) {
  if (const auto *O = std::get_if<OpFact>(&F))
    return O->Operands.empty() ? SlotId::None : O->Operands.front().Slot;
  if (const auto *T = std::get_if<TransferFact>(&F))
    return T->Src.Slot;
  return SlotId::None;
}

/// Returns how many there were.
unsigned replaceUses(Function &F, SlotId Old, SlotId New) {
  unsigned Uses = 0;
  for (Fact &X : factsOf(F))
    forEachSlot(X, [&](SlotId &S, SlotAccess Access) {
      if (S != Old || Access.Defines)
        return;
      S = New;
      ++Uses;
    });
  return Uses;
}

SlotId returned(const Function &F) {
  const auto Returns = factsOf<ReturnFact>(F);
  return Returns.empty() ? SlotId::None : (*Returns.begin()).Value.Slot;
}

TypedProgram copyOf(const TypedProgram &P) {
  TypedProgram Out;
  Out.M.Functions.push_back(std::make_unique<Function>(P.function()));
  Out.On = P.On;
  Out.Result = P.Result;
  Out.Branches = P.Branches;
  return Out;
}

/// Finds the result's types anew; false when the program is not accepted.
bool isAccepted(TypedProgram &P) {
  const SlotId Result = returned(P.function());
  bool Typed = false;
  const InferenceResult R =
      inferModule(P.M, optionsFor(P.Branches), [&](const TypedSlot &T) {
        if (T.Slot != Result)
          return;
        Typed = true;
        for (const auto &[Name, Type] : T.Types)
          if (const std::optional<unsigned> A = P.On.find(Name))
            P.Result[*A] = Type.Set;
      });
  return Typed && R.Violations.empty();
}

class Shrinker {
public:
  Shrinker(TypedProgram &P,
           llvm::function_ref<bool(const TypedProgram &)> IsWrong)
      : P(P), IsWrong(IsWrong) {}

  void run() {
    for (bool Changed = true; Changed;) {
      Changed = removeFacts();
      Changed |= removeBranches();
      Changed |= removeRanks();
    }
  }

private:
  /// Keeps the change when what is left is accepted and wrong.
  bool keep(TypedProgram Tried) {
    if (!isAccepted(Tried) || !IsWrong(Tried))
      return false;
    P = std::move(Tried);
    return true;
  }

  bool removeFacts() {
    bool Changed = false;
    for (std::size_t B = 0; B != P.function().Blocks.size(); ++B)
      for (std::size_t I = P.function().Blocks[B].Facts.size(); I-- != 0;) {
        const Fact &F = P.function().Blocks[B].Facts[I];
        // The result's types are those of one definition.
        if (std::holds_alternative<ReturnFact>(F) ||
            resultOf(F) == returned(P.function()))
          continue;
        TypedProgram Tried = copyOf(P);
        auto &Facts = Tried.function().Blocks[B].Facts;
        const SlotId Source = sourceOf(F);
        const SlotId Dst = resultOf(F);
        // A later assignment of a variable may go, its first one not.
        const bool Again = B != 0 && std::holds_alternative<BindFact>(F);
        const unsigned Uses =
            Again ? 0
                  : replaceUses(Tried.function(), Dst,
                                Source == SlotId::None ? Dst : Source);
        if (Uses && Source == SlotId::None)
          continue;
        Facts.erase(Facts.begin() + static_cast<std::ptrdiff_t>(I));
        Changed |= keep(std::move(Tried));
      }
    return Changed;
  }

  bool removeBranches() {
    bool Changed = false;
    const auto Ways = [&](std::size_t B) {
      const auto &Blocks = P.function().Blocks; // another function's after keep
      return B < Blocks.size() ? Blocks[B].Successors.size() : 0;
    };
    for (std::size_t B = 0; B < P.function().Blocks.size(); ++B)
      for (std::size_t I = 0; Ways(B) > 1 && I < Ways(B); ++I) {
        TypedProgram Tried = copyOf(P);
        Block &Goes = Tried.function().Blocks[B];
        Goes.Successors = {Goes.Successors[I]};
        Goes.Condition = {};
        numberBlocks(Tried.function());
        Changed |= keep(std::move(Tried));
      }
    return Changed;
  }

  bool removeRanks() {
    bool Changed = false;
    for (std::size_t A = 0; A != P.On.Axes.size(); ++A)
      if (P.On.Axes[A].Size > 2) {
        TypedProgram Tried = copyOf(P);
        Tried.On.Axes[A].Size = 2;
        Changed |= keep(std::move(Tried));
      }
    return Changed;
  }

  TypedProgram &P;
  llvm::function_ref<bool(const TypedProgram &)> IsWrong;
};

} // namespace

void shrink(TypedProgram &P,
            llvm::function_ref<bool(const TypedProgram &)> IsWrong) {
  Shrinker(P, IsWrong).run();
}

} // namespace spmd::oracle
