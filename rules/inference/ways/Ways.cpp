//===- Ways.cpp - What holds on one way through a function ----------------===//

#include "spmd/inference/Ways.h"

#include "CallersOnWay.h"
#include "CollectiveCallers.h"
#include "CountersOfLoops.h"
#include "CutBranches.h"
#include "DecidingNumbers.h"
#include "EarlierSums.h"
#include "KnownFindings.h"
#include "LoopsAround.h"
#include "OtherFlags.h"
#include "PeeledIteration.h"
#include "RanksAsked.h"

#include "engine/Memory.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>

namespace spmd::rules {

using namespace inference;

namespace {

class WayFinder {
public:
  WayFinder(Module &M, const InferenceOptions &Options, InferenceResult &Found)
      : M(M), Options(Options), Found(Found), Collected(M), Owners(M),
        FactsLeft(Options.Caps.WayFacts * std::size_t(Found.FactsVisited) +
                  LeastFacts),
        Known(Found), Remembered(memoryOf(Found)) {
    this->Options.FindRedundant = false;
    this->Options.Strict = false;
    this->Options.OnlyFindings = true;
    findDoubted();
  }

  std::vector<Violation> run() {
    std::vector<Deciding> OfCollectives, OfTypes;
    for (Function *F : functionsInOrder(M))
      if (Deciding Here = F->Trusted
                              ? Deciding()
                              : decidingIn(*F, Collected, Doubted.contains(F));
          Here.F)
        (Here.OfCollectives ? OfCollectives : OfTypes)
            .push_back(std::move(Here));
    onWaysOf(OfCollectives);
    // Of those there are many, and few are wrong.
    FactsLeft =
        std::min<std::size_t>(FactsLeft, Found.FactsVisited + LeastFacts);
    onWaysOf(OfTypes);
    return std::move(Out);
  }

private:
  /// So that a small module has all its ways.
  static constexpr std::size_t LeastFacts = 300'000;

  /// Where ways with values of several types meet, something may be wrong: in
  /// the functions of which that is said, or in those that they call.
  void findDoubted() {
    InferenceOptions Strict = Options;
    Strict.Strict = Strict.OnlyDoubts = true;
    std::vector<const Function *> Work;
    for (const Violation &V : inferModule(M, Strict).Violations)
      Work.push_back(V.In);
    while (!Work.empty()) {
      const Function *F = Work.back();
      Work.pop_back();
      if (F && Doubted.insert(F).second)
        for (const CallFact &Call : factsOf<CallFact>(*F))
          Work.push_back(M.find(Call.Callee));
    }
  }

  /// First what is found of a function and what it calls, then of what its
  /// callers see: what a contract leaves open, such as what a buffer holds
  /// afterwards.
  void onWaysOf(llvm::ArrayRef<Deciding> Of) {
    for (const Deciding &X : Of)
      inFunction(X, Collected.rootsOf(*X.F, Options.Caps.WayCallers));
    for (const Deciding &X : Of)
      if (X.F->hasContract())
        inFunction(X, Collected.callersBeyond(*X.F, Options.Caps.WayCallers));
  }

  /// First those of each number, then those of numbers that are tested within
  /// each other.
  std::vector<Choice> choicesOf(const Function &F, const Tests &Numbers,
                                const Deciders &Of) {
    std::vector<Choice> Out;
    Tests Together;
    for (const std::vector<std::uint32_t> &On : Numbers) {
      llvm::append_range(Out, choicesOf(F, On));
      // With others they would be still more.
      if (On.size() > Options.Caps.WayConditions)
        continue;
      std::vector<std::uint32_t> With = On;
      for (const std::uint32_t B : On) {
        const llvm::BitVector Around = Of.of(B);
        for (const std::vector<std::uint32_t> &Other : Numbers)
          if (&Other != &On && llvm::any_of(Other, [&](std::uint32_t X) {
                return Around.test(X);
              }))
            llvm::append_range(With, Other);
      }
      llvm::append_range(With, testsOfSameElements(F, Numbers, On));
      llvm::sort(With);
      With.erase(llvm::unique(With), With.end());
      if (With.size() == On.size())
        continue;
      if (With.size() <= Options.Caps.WayConditions)
        Together.push_back(std::move(With));
      else
        giveUp(F, On.front(), Limit::WayConditions);
    }
    for (const std::vector<std::uint32_t> &On : Together)
      llvm::append_range(Out, choicesOf(F, On));
    const ControlFlow Flow(F);
    llvm::append_range(
        Out, withoutBoth(M, F, Numbers, [&](std::uint32_t Block, bool Is) {
          return isDoneIf(F, Flow, Block, Is);
        }));
    return Out;
  }
  std::vector<Choice> choicesOf(const Function &F,
                                llvm::ArrayRef<std::uint32_t> On) const {
    const ControlFlow Flow(F);
    return inference::choicesOf(F, On, [&](std::uint32_t Block, bool Is) {
      return isDoneIf(F, Flow, Block, Is);
    });
  }
  bool isDoneIf(const Function &F, const ControlFlow &Flow, std::uint32_t Block,
                bool Is) const {
    return Collected.isDoneIn(F,
                              Flow.onlyThrough(Block, Is ? 0 : 1).set_bits());
  }

  void giveUp(const Function &F, std::uint32_t Block, Limit Which) {
    Found.GivenUp.push_back({&F, F.Blocks[Block].Condition.At, Which});
  }

  void inFunction(const Deciding &Of, llvm::ArrayRef<const Function *> Roots) {
    Function &F = *Of.F;
    if (Roots.empty())
      return;
    if (Roots.size() > Options.Caps.WayCallers) {
      giveUp(F, Of.Numbers.front().front(), Limit::WayCallers);
      Roots = Roots.take_front(Options.Caps.WayCallers);
    }
    WaysLeft = Options.Caps.Ways;
    // Those about collectives come first: of the others there are many.
    std::set<Choice> Done;
    onNumbers(F, {Of.Numbers.begin(), Of.Numbers.begin() + Of.OfCollectives},
              Roots, Done);
    if (Of.OfCollectives != Of.Numbers.size())
      onNumbers(F, Of.Numbers, Roots, Done);
  }

  /// On the ways that \p Numbers choose between, but for those that are \p
  /// Done.
  void onNumbers(Function &F, Tests Numbers,
                 llvm::ArrayRef<const Function *> Roots,
                 std::set<Choice> &Done) {
    const auto IsNew = [&](const Choice &X) { return Done.insert(X).second; };
    const auto OfIterations = llvm::partition(Numbers, [&](const auto &On) {
      return F.Blocks[On.front()].Test->K != BranchTest::Kind::Iterations;
    });
    {
      const Deciders Uncut(F);
      std::vector<Choice> Choices =
          choicesOf(F, {Numbers.begin(), OfIterations}, Uncut);
      llvm::erase_if(Choices, [&](const Choice &X) { return !IsNew(X); });
      onWays(F, Choices, Roots, Uncut, nullptr);
    }
    for (const auto &On : llvm::make_range(Numbers.begin(), OfIterations))
      inFirstIteration(F, On, Roots);
    for (const auto &On : llvm::make_range(OfIterations, Numbers.end()))
      if (IsNew({{On.front(), true}})) {
        inIterations(F, On, Roots);
        withEarlierSums(F, On, {Numbers.begin(), OfIterations}, Roots);
      }
  }

  /// The same in one iteration of a loop, whose number the blocks \p On test,
  /// and what that leaves behind where the function ends.
  void inIterations(Function &F, llvm::ArrayRef<std::uint32_t> On,
                    llvm::ArrayRef<const Function *> Roots) {
    using Then = PeeledIteration::Then;
    const std::uint32_t Loop = index(F.Blocks[On.front()].Test->Loop);
    for (const Then What : {Then::Nothing, Then::Others}) {
      const PeeledIteration Peeled(F, Loop, What);
      const Deciders Uncut(F);
      onWays(F, choicesOf(F, Peeled.inIteration(On)), Roots, Uncut, &Peeled);
    }
    // The last of several iterations is not the first.
    if (tellsFirst(F, On)) {
      const PeeledIteration Last(F, Loop, Then::Exit);
      const Deciders Uncut(F);
      Choice Later;
      for (const std::uint32_t B : Last.inIteration(On))
        Later.emplace_back(B, !F.Blocks[B].Test->holdsFor(0));
      onWays(F, Later, Roots, Uncut, &Last);
    }
  }

  /// An iteration that leaves out a sum, with what was before the loop in its
  /// place, for all elements that \p Others tell apart: what takes it then
  /// takes what an earlier iteration has summed.
  void withEarlierSums(Function &F, llvm::ArrayRef<std::uint32_t> On,
                       const Tests &Others,
                       llvm::ArrayRef<const Function *> Roots) {
    const std::uint32_t Loop = index(F.Blocks[On.front()].Test->Loop);
    for (const bool Is : {true, false}) {
      EarlierSums.emplace();
      addSumsLeftOut(F, On.front(), Is, *EarlierSums);
      for (const std::vector<std::uint32_t> &Of : withNothing(Others)) {
        if (On.size() != 1 || EarlierSums->empty() ||
            (!Of.empty() && !isOfElements(*F.Blocks[Of.front()].Test)))
          continue;
        const std::size_t Before = Out.size();
        {
          const PeeledIteration First(
              F, Loop, PeeledIteration::Then::NothingAfterOnlyFirst, Of);
          const Deciders Uncut(F);
          std::vector<Choice> Ways = Of.empty()
                                         ? std::vector<Choice>(1)
                                         : choicesOf(F, First.inIteration(Of));
          for (Choice &Way : Ways)
            Way.emplace_back(First.inIteration(On).front(), Is);
          onWays(F, Ways, Roots, Uncut, &First);
        }
        keepOfEach(F, Loop, Before);
      }
      EarlierSums.reset();
    }
  }
  static Tests withNothing(Tests Of) {
    Of.emplace(Of.begin());
    return Of;
  }

  /// The same of elements in the first iteration of a loop around those over
  /// them: what earlier ones have left of some is not there yet.
  void inFirstIteration(Function &F, llvm::ArrayRef<std::uint32_t> On,
                        llvm::ArrayRef<const Function *> Roots) {
    if (!isOfElements(*F.Blocks[On.front()].Test))
      return;
    for (const std::uint32_t Loop : loopsAround(F, On, Collected)) {
      const std::size_t Before = Out.size();
      {
        const PeeledIteration First(
            F, Loop, PeeledIteration::Then::NothingAfterOnlyFirst, On);
        const Deciders Uncut(F);
        onWays(F, choicesOf(F, First.inIteration(On)), Roots, Uncut, &First);
      }
      keepOfEach(F, Loop, Before);
    }
  }
  /// Of what is found from number \p Before on, what each iteration of \p Loop
  /// comes to: what only some do may not be done in the first.
  void keepOfEach(const Function &F, std::uint32_t Loop, std::size_t Before) {
    Out.erase(std::remove_if(Out.begin() + static_cast<std::ptrdiff_t>(Before),
                             Out.end(),
                             [&](const Violation &V) {
                               const auto At = blockOf(F, V);
                               return !At || !comesToEach(F, Loop, *At);
                             }),
              Out.end());
  }

  void onWays(Function &F, llvm::ArrayRef<Choice> Choices,
              llvm::ArrayRef<const Function *> Roots, const Deciders &Uncut,
              const PeeledIteration *In) {
    for (const Choice &Chosen : Choices) {
      if (Chosen.empty() || isOutsideOfNamed(M, F, Chosen))
        continue;
      if (!WaysLeft || !FactsLeft) {
        giveUp(F, Chosen.front().first,
               WaysLeft ? Limit::WayFacts : Limit::Ways);
        return;
      }
      --WaysLeft;
      const bool IsSaid = isSaidByCalls(M, F, Chosen);
      for (const Function *Root : Roots)
        if (!IsSaid || Root == &F)
          onWay(F, Chosen, *Root, Uncut, In);
    }
  }

  void onWay(Function &F, const Choice &Chosen, const Function &Root,
             const Deciders &Before, const PeeledIteration *In) {
    CallersOnWay Callers(M, F, Chosen);
    std::vector<WayStep> Steps;
    for (const auto &[Block, Is] : Chosen)
      if (!isOtherCase(F, Chosen, Block))
        Steps.push_back(
            {{&F, F.Blocks[Block].Condition.At}, say(F, Block, Is)});
    // Without what earlier iterations have left.
    if (In && In->isFirst())
      Steps.push_back({{&F, In->place()},
                       EarlierSums ? "it is what an earlier iteration left"
                                   : "in the first iteration"});
    const bool MayBeZero =
        !Collected.areLeftOut(F, Chosen); // as long as it is uncut
    const llvm::StringSet<> Alone = otherAxesLeftOut(F, Chosen);
    const CutBranches Cut(M, F, Chosen);
    // A collective of one element, taken by itself, may be for one of the
    // others.
    const bool OfElements = llvm::any_of(Chosen, [&](const auto &C) {
      return isOfElements(*F.Blocks[C.first].Test);
    });
    const Deciders Now(F);
    // Whose object it is, has chosen; others are seldom given all of them.
    const bool IsOption = Callers.isOptionIn(Owners);
    const bool MayDiffer = Callers.mayDifferBetweenCalls();
    Options.Only = &Root;
    InferenceResult Here = inferAgain(
        M, Options, {Remembered, Collected.thatLeadTo(Cut.functions())});
    FactsLeft -= std::min<std::size_t>(FactsLeft, Here.FactsVisited);
    Choice Further;
    for (Violation &V : Here.Violations)
      if (!V.isPossible() && !V.as<LossType>() &&
          !(MayBeZero && isOfZeros(V)) && !isOfUnwritten(V) &&
          (!OfElements || !V.as<SrcType>()) && !Known.contains(V) &&
          !(MayDiffer && isOfEarlierSum(V)) &&
          (Alone.empty() || Alone.contains(V.Axis)) &&
          (!EarlierSums || takesEarlierSum(M, F, *EarlierSums, V)) &&
          (!IsOption || (V.In == &F && V.CalledFrom.empty())) &&
          (In && In->comesToExit()
               ? becameSoIn(*In, F, Root, V, Chosen, Before, Now, Callers)
               : holdsOn(F, Root, V, Chosen, Before, Now, Callers, In) ||
                     comesAnyway(F, V, Chosen, Before, Now, Further))) {
        Known.add(V);
        std::vector<WayStep> All = Steps;
        for (const auto &[Block, Is] : std::exchange(Further, {}))
          All.push_back(
              {{&F, F.Blocks[Block].Condition.At}, say(F, Block, Is)});
        for (const WayStep &Step : All)
          if (llvm::none_of(
                  V.Way, [&](const WayStep &S) { return S.Says == Step.Says; }))
            V.Way.push_back(Step);
        if (In && V.In == &F)
          V.Cause = In->original(V.Cause);
        Out.push_back(std::move(V));
      }
  }

  /// The block of \p F in which \p V, or the call that leads to it, is; nothing
  /// where it is found elsewhere.
  static std::optional<std::uint32_t> blockOf(const Function &F,
                                              const Violation &V) {
    PlaceId At = V.At;
    const Fact *Cause = V.Cause;
    if (V.In != &F) {
      const auto Of = llvm::find_if(V.CalledFrom,
                                    [&](const Site &C) { return C.In == &F; });
      if (Of == V.CalledFrom.end())
        return std::nullopt;
      At = Of->At;
      Cause = nullptr;
    }
    return inference::blockOf(F, At, Cause);
  }

  /// Whether \p V is reached on the way whatever else decides: another
  /// condition may have to do with the first, so that nobody goes there on this
  /// way.
  static bool holdsOn(const Function &F, const Function &Root,
                      const Violation &V, const Choice &Chosen,
                      const Deciders &Before, const Deciders &Now,
                      CallersOnWay &Callers, const PeeledIteration *In) {
    if (In && In->isFirst()) {
      const auto Here = isOfExit(V) ? std::nullopt : blockOf(F, V);
      return Here && In->contains(*Here) && comesTo(*Here, Chosen, Before, Now);
    }
    // What holds at the root's exit may be told where it became so.
    if (isOfExit(V) && (V.In == &F || &Root == &F))
      return true;
    const std::optional<std::uint32_t> At = blockOf(F, V);
    if (!At)
      return isOfExit(V) ? Callers.followsAtExit(Root) : Callers.follows(V);
    return comesTo(*At, Chosen, Before, Now);
  }
  static bool comesTo(std::uint32_t At, const Choice &Chosen,
                      const Deciders &Before, const Deciders &Now) {
    // One condition on data may follow from another.
    const bool OnData = llvm::any_of(
        Chosen, [&](const auto &C) { return Now.isOnData(C.first); });
    llvm::BitVector Others = OnData ? Now.allOf(At) : Now.of(At);
    for (const auto &[Block, Is] : Chosen)
      Others.reset(OnData ? Before.allOf(Block) : Before.of(Block));
    return llvm::all_of(Others.set_bits(), [&](std::uint32_t C) {
      return Now.repeats(C, At) && !Now.isOnData(C);
    });
  }

  /// The same where no more than other flags decide about \p V, which have
  /// nothing to do with the first: \p Further is what they are. Two that choose
  /// how to communicate may exclude each other.
  bool comesAnyway(const Function &F, const Violation &V, const Choice &Chosen,
                   const Deciders &Before, const Deciders &Now,
                   Choice &Further) const {
    const auto At =
        isOfExit(V) || isOfCollective(V) ? std::nullopt : blockOf(F, V);
    if (!At)
      return false;
    llvm::BitVector Others = Now.of(*At);
    for (const auto &[Block, Is] : Chosen)
      Others.reset(Before.of(Block));
    for (const unsigned C : Others.set_bits())
      if (Now.repeats(C, *At) && !Now.isOnData(C))
        Others.reset(C);
    const auto How = decideAnyway(M, F, Chosen, Others, *At);
    Further = How.value_or(Choice());
    return How.has_value();
  }

  /// Whether \p V is of the exit of \p F or of who calls it, and the iteration
  /// \p In on the way comes to where it became so, whatever else decides.
  bool becameSoIn(const PeeledIteration &In, const Function &F,
                  const Function &Root, const Violation &V,
                  const Choice &Chosen, const Deciders &Before,
                  const Deciders &Now, CallersOnWay &Callers) const {
    const Origin &From = V.Operands.front().From;
    if (!isOfExit(V) || !From.In ||
        (V.In != &F && &Root != &F && !Callers.followsAtExit(Root)))
      return false;
    const llvm::StringSet<> Leads = Collected.thatLeadTo({From.In});
    for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
      for (const Fact &X : F.Blocks[B].Facts) {
        const auto *Call = std::get_if<CallFact>(&X);
        if (!In.contains(B))
          break;
        if (From.In == &F ? placeOf(X) == From.At
                          : Call && Leads.contains(Call->Callee))
          return comesTo(B, Chosen, Before, Now);
      }
    return false;
  }

  Module &M;
  InferenceOptions Options;
  InferenceResult &Found;
  const CollectiveCallers Collected;
  const OwnersChoices Owners;
  std::size_t FactsLeft, WaysLeft = 0;
  /// Of what an iteration leaves out, and nothing else is said.
  std::optional<llvm::SmallVector<SlotId, 2>> EarlierSums;
  KnownFindings Known;
  std::shared_ptr<Memory> Remembered;
  llvm::DenseSet<const Function *> Doubted;
  std::vector<Violation> Out;
};

} // namespace

static bool hasTests(const Function &F) {
  return llvm::any_of(F.Blocks, [](const Block &B) { return B.Test; });
}
static bool hasTests(const Module &M) {
  return llvm::any_of(M.Functions, [](const auto &F) { return hasTests(*F); });
}

std::vector<Violation> inferWays(Module &M, const InferenceOptions &Options,
                                 InferenceResult &Found) {
  if (!hasTests(M))
    return {};
  std::vector<Violation> Out = WayFinder(M, Options, Found).run();
  // What is surely wrong on some way is no longer what only may be wrong.
  llvm::erase_if(Found.Violations, [&](const Violation &V) {
    return V.isPossible() && llvm::any_of(Out, [&](const Violation &Sure) {
             return Sure.In == V.In && Sure.At == V.At && Sure.Axis == V.Axis;
           });
  });
  return Out;
}

} // namespace spmd::rules
