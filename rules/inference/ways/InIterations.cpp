//===- InIterations.cpp - What holds in some iterations of a loop ------===//

#include "spmd/inference/InIterations.h"

#include "CollectiveCallers.h"
#include "Deciders.h"
#include "KnownFindings.h"
#include "MovingElements.h"
#include "PeeledIteration.h"

#include "engine/Memory.h"
#include "passes/EachIteration.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/Sequence.h"

namespace spmd::rules {

using namespace inference;

namespace {

class IterationFinder {
public:
  IterationFinder(Module &M, const InferenceOptions &Options,
                  InferenceResult &Found)
      : M(M), Options(Options), Found(Found), Collected(M), Known(Found),
        Remembered(memoryOf(Found)),
        FactsLeft(std::size_t(Found.FactsVisited) + LeastFacts) {
    this->Options.FindRedundant = false;
    this->Options.Strict = false;
    this->Options.OnlyFindings = true;
  }

  std::vector<Violation> run() {
    for (Function *F : functionsInOrder(M))
      if (!F->Trusted)
        inFunction(*F);
    return std::move(Out);
  }

private:
  using Then = PeeledIteration::Then;

  /// So that a small module has all its loops looked at.
  static constexpr std::size_t LeastFacts = 100'000;

  void inFunction(Function &F) {
    if (!Collected.isDoneIn(F, llvm::seq<unsigned>(F.Blocks.size())))
      return;
    const Loops Cycles(F, [](std::uint32_t) { return true; });
    std::vector<const Function *> Roots =
        Collected.rootsOf(F, Options.Caps.WayCallers);
    if (Roots.size() > Options.Caps.WayCallers)
      Roots.resize(Options.Caps.WayCallers);
    for (std::uint32_t Head = 0; Head != F.Blocks.size(); ++Head)
      if (hasCollectiveInEach(F, Cycles, Head))
        for (const Function *Root : Roots) {
          inLoop(F, Cycles, Head, *Root, Then::NothingAfterFirst);
          inLoop(F, Cycles, Head, *Root, Then::NothingAfterOnlyFirst);
        }
  }

  /// A loop inside, over parameters say, is taken to run.
  bool hasCollectiveInEach(const Function &F, const Loops &Cycles,
                           std::uint32_t Head) const {
    for (std::uint32_t B = Head; Cycles.beginsAt(Head) && B != F.Blocks.size();
         ++B)
      if (!Cycles.leaves(Head, B) && Collected.isDoneIn(F, llvm::ArrayRef(B)) &&
          comesToEach(F, Cycles, Head, B))
        return true;
    return false;
  }
  void inLoop(Function &F, const Loops &Cycles, std::uint32_t Head,
              const Function &Root, Then What) {
    const bool IsFirst = What == Then::NothingAfterOnlyFirst;
    const WayStep Step{{&F, F.Blocks[Head].Condition.At},
                       IsFirst ? "in the first iteration"
                               : "in iterations after the first"};
    if (!FactsLeft)
      return Found.GivenUp.push_back({&F, Step.Where.At, Limit::WayFacts});
    std::vector<std::pair<Violation, std::uint32_t>> New;
    {
      const PeeledIteration Peeled(F, Head, What);
      Options.Only = &Root;
      InferenceResult Here =
          inferAgain(M, Options, {Remembered, Collected.thatLeadTo({&F})});
      FactsLeft -= std::min<std::size_t>(FactsLeft, Here.FactsVisited);
      for (Violation &V : Here.Violations) {
        const std::optional<std::uint32_t> At = blockIn(F, V);
        if (V.isPossible() || V.as<LossType>() || isOfZeros(V) ||
            isOfUnwritten(V) || Known.contains(V) || !At ||
            (V.In == &F && !Peeled.contains(*At)) ||
            (IsFirst && !isReachedWithin(F, V)))
          continue;
        if (V.In == &F)
          V.Cause = Peeled.original(V.Cause);
        if (const auto Was = Peeled.originalOf(*At))
          New.emplace_back(std::move(V), *Was);
      }
    }
    const MovingElements Elements(F, Cycles);
    for (auto &[V, Block] : New)
      // What a loop inside meets later, earlier iterations may have left, but
      // for what was in a sum before that loop.
      if ((IsFirst || isOfEarlierSum(V) ? comesToEach(F, Cycles, Head, Block)
                                        : isInEach(F, Cycles, Head, Block)) &&
          (IsFirst || !isOfOtherElement(F, Elements, Head, Block, V)) &&
          Known.add(V)) {
        V.Way.push_back(Step);
        Out.push_back(std::move(V));
      }
  }

  /// Whether \p V, at \p Block of \p F, is about what an earlier iteration has
  /// left of another element of a list.
  static bool isOfOtherElement(const Function &F,
                               const MovingElements &Elements,
                               std::uint32_t Head, std::uint32_t Block,
                               const Violation &V) {
    // What a contract says of an argument is as a collective's own.
    const auto *Clash = V.as<ContractClash>();
    const bool IsOfArgument = Clash && Clash->On == Annotated::Argument;
    if (!V.as<SrcType>() && !V.as<PartialAdd>() && !IsOfArgument)
      return false;
    const auto Call =
        llvm::find_if(V.CalledFrom, [&](const auto &C) { return C.In == &F; });
    const PlaceId Called =
        Call == V.CalledFrom.end() ? PlaceId::None : Call->At;
    // What is added to an earlier sum is what the next one takes, perhaps in a
    // loop inside.
    if (isOfEarlierSum(V)) {
      const Site &Sum = V.as<PartialAdd>()->Summed;
      const PlaceId At = Sum.In == &F ? Sum.At : Called;
      return At != PlaceId::None && sumsOtherElements(F, Elements, Head, At);
    }
    return llvm::any_of(F.Blocks[Block].Facts, [&](const Fact &X) {
      return (V.In == &F ? &X == V.Cause
                         : Called != PlaceId::None && placeOf(X) == Called) &&
             Elements.mentionsOne(Head, X);
    });
  }

  /// Whether the sum at \p At in \p F, or in what is called there, is of
  /// another struct of a list in each iteration of the loop at \p Head, or of
  /// one inside. Of other data, as of the batch, each may take another part.
  static bool sumsOtherElements(const Function &F,
                                const MovingElements &Elements,
                                std::uint32_t Head, PlaceId At) {
    const auto IsOfStruct = [&](SlotId S) {
      return F.slot(S).Kind == SlotKind::Field ||
             llvm::any_of(F.Slots, [&](const Slot &X) { return X.Base == S; });
    };
    bool Out = false;
    for (std::uint32_t B = Head; B != F.Blocks.size(); ++B)
      for (const Fact &X : F.Blocks[B].Facts)
        if (placeOf(X) == At)
          forEachSlot(X, [&](SlotId S, SlotAccess) {
            for (std::uint32_t In = Head; In <= B && IsOfStruct(S); ++In)
              Out |= Elements.isIn(In, B) && Elements.isOne(In, S);
          });
    return Out;
  }

  /// Whether the calls in \p F that lead to \p V come to it whatever decides
  /// there: what is done from the second iteration on is not in the first one.
  static bool isReachedWithin(const Function &F, const Violation &V) {
    if (V.In == &F)
      return true;
    const auto IsReached = [](const Function &G,
                              std::optional<std::uint32_t> At) {
      return At && Deciders(G).reachesAnyway(*At);
    };
    if (!IsReached(*V.In, blockOf(*V.In, V.At, V.Cause)))
      return false;
    for (const Site &S : V.CalledFrom) {
      if (S.In == &F)
        return true;
      if (!IsReached(*S.In, blockOf(*S.In, S.At, nullptr)))
        return false;
    }
    return false;
  }

  /// The block of \p F in which \p V, or the call that leads to it, is.
  static std::optional<std::uint32_t> blockIn(const Function &F,
                                              const Violation &V) {
    if (V.In == &F)
      return V.Cause ? blockOf(F, V.At, V.Cause) : std::nullopt;
    const auto Of =
        llvm::find_if(V.CalledFrom, [&](const Site &C) { return C.In == &F; });
    if (Of != V.CalledFrom.end())
      return blockOf(F, Of->At, nullptr);
    // What a callee has added is found where it is summed.
    const auto *Add = V.as<PartialAdd>();
    return Add && Add->Summed.In == &F ? blockOf(F, Add->Summed.At, nullptr)
                                       : std::nullopt;
  }

  Module &M;
  InferenceOptions Options;
  InferenceResult &Found;
  const CollectiveCallers Collected;
  KnownFindings Known;
  std::shared_ptr<Memory> Remembered;
  std::size_t FactsLeft;
  std::vector<Violation> Out;
};

} // namespace

std::vector<Violation> inferInIterations(Module &M,
                                         const InferenceOptions &Options,
                                         InferenceResult &Found) {
  return IterationFinder(M, Options, Found).run();
}

} // namespace spmd::rules
