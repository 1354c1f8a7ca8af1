//===- OtherFlags.cpp - Flags that have nothing to do with others ---------===//

#include "OtherFlags.h"

#include "spmd/inference/Limits.h"
#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::rules::inference {

const GivenNumber *givenFor(const CallFact &Call, std::uint32_t I) {
  const auto *At = llvm::find_if(
      Call.Numbers, [&](const GivenNumber &N) { return N.Argument == I; });
  return At == Call.Numbers.end() ? nullptr : At;
}

namespace {

/// Parameters by number, and whether they are true.
using Values = std::map<std::uint32_t, bool>;

/// Whether the flag that \p T tests is true where \p T is \p Is, or the other
/// way round.
bool valueOf(const BranchTest &T, bool Is) {
  return Is == (T.R == BranchTest::Relation::Unequal);
}

/// Adds that \p T, of a flag, is \p Is; false if that cannot be.
bool addValue(Values &To, const BranchTest &T, bool Is) {
  const bool Value = valueOf(T, Is);
  return To.try_emplace(index(T.Parameter), Value).first->second == Value;
}

bool mayBeGiven(const Module &M, const Function &F, const Values &Wanted,
                unsigned Depth);

/// Whether \p Call of \p G may give \p Wanted: as it says itself, or as others
/// say to \p G.
bool mayGive(const Module &M, const Function &G, const CallFact &Call,
             const Values &Wanted, unsigned Depth) {
  Values OfCaller;
  for (const auto &[Argument, Value] : Wanted) {
    const GivenNumber *Given = givenFor(Call, Argument);
    if (!Given)
      return false; // computed, of what the others may be, too
    if (Given->Same == SlotId::None) {
      if ((Given->Value != 0) != Value)
        return false;
    } else if (OfCaller.try_emplace(index(Given->Same), Value).first->second !=
               Value) {
      return false;
    }
  }
  return OfCaller.empty() || (Depth && mayBeGiven(M, G, OfCaller, Depth - 1));
}

bool mayBeGiven(const Module &M, const Function &F, const Values &Wanted,
                unsigned Depth) {
  bool Called = false;
  for (const auto &G : M.Functions)
    for (const CallFact &Call : factsOf<CallFact>(*G))
      if (Call.Callee == F.Symbol) {
        Called = true;
        if (mayGive(M, *G, Call, Wanted, Depth))
          return true;
      }
  return !Called;
}

} // namespace

bool isGivenFlag(const BranchTest &T) {
  return T.K == BranchTest::Kind::Flag && T.Parameter != SlotId::None &&
         T.To == 0 &&
         (T.R == BranchTest::Relation::Equal ||
          T.R == BranchTest::Relation::Unequal);
}

bool mayBeGiven(const Module &M, const Function &F, const Choice &Chosen) {
  Values Wanted;
  return llvm::all_of(Chosen,
                      [&](const auto &C) {
                        const BranchTest &T = *F.Blocks[C.first].Test;
                        return isGivenFlag(T) && addValue(Wanted, T, C.second);
                      }) &&
         mayBeGiven(M, F, Wanted, Limits::WayCallDepth);
}

/// Whether each call of \p F in sight says which number its parameter \p I is,
/// or each call of those that hand theirs on.
static bool isSaidByCalls(const Module &M, const Function &F, std::uint32_t I,
                          unsigned Depth) {
  bool Called = false;
  for (const auto &G : M.Functions)
    for (const CallFact &Call : factsOf<CallFact>(*G)) {
      if (Call.Callee != F.Symbol)
        continue;
      Called = true;
      const GivenNumber *Given = givenFor(Call, I);
      if (!Given ||
          (Given->Same != SlotId::None &&
           (!Depth || !isSaidByCalls(M, *G, index(Given->Same), Depth - 1))))
        return false;
    }
  return Called;
}

bool isSaidByCalls(const Module &M, const Function &F, const Choice &Chosen) {
  return llvm::all_of(Chosen, [&](const auto &C) {
    const BranchTest &T = *F.Blocks[C.first].Test;
    return isGivenFlag(T) &&
           isSaidByCalls(M, F, index(T.Parameter), Limits::WayCallDepth);
  });
}

/// All that the blocks \p On decide where their flag leaves out collectives;
/// empty where it does not do so, or does so either way.
static Choice
leftOut(const Function &F, llvm::ArrayRef<std::uint32_t> On,
        llvm::function_ref<bool(std::uint32_t, bool)> Communicates) {
  std::optional<bool> Flag;
  for (const std::uint32_t B : On) {
    const BranchTest &T = *F.Blocks[B].Test;
    if (!isGivenFlag(T))
      return {};
    for (const bool Is : {true, false})
      if (Communicates(B, !Is)) {
        const bool Value = valueOf(T, Is);
        if (Flag.value_or(Value) != Value)
          return {};
        Flag = Value;
      }
  }
  Choice Out;
  if (Flag)
    for (const std::uint32_t B : On)
      Out.emplace_back(B, valueOf(*F.Blocks[B].Test, *Flag));
  return Out;
}

std::vector<Choice>
withoutBoth(const Module &M, const Function &F,
            llvm::ArrayRef<std::vector<std::uint32_t>> Numbers,
            llvm::function_ref<bool(std::uint32_t, bool)> Communicates) {
  std::vector<Choice> Without, Out;
  for (const std::vector<std::uint32_t> &On : Numbers)
    if (Choice Of = leftOut(F, On, Communicates); !Of.empty()) {
      for (const Choice &Other : Without) {
        Choice Both = Other;
        llvm::append_range(Both, Of);
        llvm::sort(Both);
        if (mayBeGiven(M, F, Both))
          Out.push_back(std::move(Both));
      }
      Without.push_back(std::move(Of));
    }
  return Out;
}

std::optional<Choice> decideAnyway(const Module &M, const Function &F,
                                   const Choice &Chosen,
                                   const llvm::BitVector &Others,
                                   std::uint32_t At) {
  const ControlFlow Flow(F);
  Choice Out, All;
  // What is cut tests the contrary where it was not so.
  for (const auto &[Block, Is] : Chosen)
    All.emplace_back(Block, true);
  for (const std::uint32_t C : Others.set_bits()) {
    if (!F.Blocks[C].Test || F.Blocks[C].Successors.size() != 2)
      return std::nullopt;
    const bool IfTrue = Flow.onlyThrough(C, 0).test(At),
               IfFalse = Flow.onlyThrough(C, 1).test(At);
    if (IfTrue == IfFalse)
      return std::nullopt;
    Out.emplace_back(C, IfTrue);
  }
  llvm::append_range(All, Out);
  return mayBeGiven(M, F, All) ? std::optional(Out) : std::nullopt;
}

} // namespace spmd::rules::inference
