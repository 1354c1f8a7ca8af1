//===- CollectiveCallers.h - Who does collectives ---------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_COLLECTIVECALLERS_H
#define SPMD_INFERENCE_WAYS_COLLECTIVECALLERS_H

#include "Choices.h"

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules::inference {

/// The functions that do some collective, and those that call them.
class CollectiveCallers {
public:
  explicit CollectiveCallers(const Module &M) {
    for (const Function *F : functionsInOrder(M))
      for (const CallFact &Call : factsOf<CallFact>(*F))
        Callers[Call.Callee].insert(F);
    std::vector<const Function *> Done;
    for (const auto &F : M.Functions)
      if (llvm::any_of(factsOf<TransferFact>(*F),
                       [](const TransferFact &T) { return communicates(T.K); }))
        Done.push_back(F.get());
    Symbols = thatLeadTo(std::move(Done));
  }

  llvm::ArrayRef<const Function *> callersOf(const Function &F) const {
    const auto Of = Callers.find(F.Symbol);
    if (Of == Callers.end())
      return {};
    return Of->second.getArrayRef();
  }
  /// The functions whose own analysis comes through \p F; one more than \p
  /// AtMost if there are more.
  std::vector<const Function *> rootsOf(const Function &F,
                                        unsigned AtMost) const {
    std::vector<const Function *> Roots, Work{&F};
    llvm::DenseSet<const Function *> Seen{&F};
    while (!Work.empty() && Roots.size() <= AtMost) {
      const Function *X = Work.back();
      Work.pop_back();
      const llvm::ArrayRef<const Function *> By = callersOf(*X);
      if (X->hasContract() || By.empty()) {
        Roots.push_back(X);
        continue;
      }
      for (const Function *Caller : By)
        if (Seen.insert(Caller).second)
          Work.push_back(Caller);
    }
    return Roots;
  }
  /// Those that see what \p F leaves, beyond its contract: who calls it, and
  /// who calls others with a contract that lead to it.
  std::vector<const Function *> callersBeyond(const Function &F,
                                              unsigned AtMost) const {
    std::vector<const Function *> Out(callersOf(F));
    llvm::DenseSet<const Function *> Seen{&F};
    Seen.insert_range(Out);
    for (std::size_t I = 0; I != Out.size() && Out.size() <= AtMost; ++I)
      for (const Function *Caller : callersOf(*Out[I]))
        if (Seen.insert(Caller).second)
          Out.push_back(Caller);
    llvm::erase_if(Out, [&](const Function *X) {
      return !llvm::is_contained(callersOf(F), X) && !callersOf(*X).empty() &&
             !X->hasContract();
    });
    return Out;
  }
  /// The symbols of the functions \p Work and of all that call them, themselves
  /// or by others.
  llvm::StringSet<> thatLeadTo(std::vector<const Function *> Work) const {
    llvm::StringSet<> Out;
    while (!Work.empty()) {
      const Function &F = *Work.back();
      Work.pop_back();
      if (Out.insert(F.Symbol).second)
        llvm::append_range(Work, callersOf(F));
    }
    return Out;
  }
  /// Whether one of the blocks \p Among does one.
  template <typename Blocks>
  bool isDoneIn(const Function &F, const Blocks &Among) const {
    return llvm::any_of(Among, [&](unsigned B) {
      return B < F.Blocks.size() &&
             llvm::any_of(
                 F.Blocks[B].Facts,
                 [&](const Fact &X) {
                   const auto *T = std::get_if<TransferFact>(&X);
                   const auto *Call = std::get_if<CallFact>(&X);
                   return T ? communicates(T->K)
                            : Call && Symbols.contains(Call->Callee);
                 });
    });
  }
  /// Whether an amount, or whose turn it is, leaves one out on the way that is
  /// \p Chosen: who has frozen something says so by a flag.
  bool areLeftOut(const Function &F, const Choice &Chosen) const {
    const ControlFlow Flow(F);
    return llvm::any_of(Chosen, [&](const auto &C) {
      const BranchTest &T = *F.Blocks[C.first].Test;
      const bool IsAmount =
          T.K == BranchTest::Kind::Number && (T.To > 1 || T.To < -1);
      const bool IsTurn = T.K == BranchTest::Kind::Flag &&
                          llvm::StringRef(T.Of).contains(" % ");
      return (IsAmount || IsTurn) &&
             isDoneIn(F,
                      Flow.onlyThrough(C.first, C.second ? 1 : 0).set_bits());
    });
  }

private:
  llvm::StringMap<llvm::SmallSetVector<const Function *, 4>> Callers;
  llvm::StringSet<> Symbols;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_COLLECTIVECALLERS_H
