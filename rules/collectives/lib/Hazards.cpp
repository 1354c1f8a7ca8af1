//===- Hazards.cpp - What comes too early on some way ---------------------===//

#include "Asynchrony.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace spmd::collectives {

/// Numbers of ranks that are tried, and the largest.
static constexpr unsigned MaxSizes = 6, MaxRanks = 8;

namespace {

/// One root, on one rank after the other.
class HazardSearch {
public:
  HazardSearch(const EffectProgram &P, const Shape &Of, unsigned Root,
               Statistics &Stats)
      : P(P), Of(Of), Number(Root), Root(P.Functions[Root]), Stats(Stats) {}

  std::vector<Finding> run();
  /// There are more ways, or they are longer, than is looked at.
  bool IsTooMuch = false;

private:
  void explore(unsigned Rank, unsigned Ranks, std::vector<bool> First);
  void exploreOneOtherwise(unsigned Rank, unsigned Ranks);
  void once(unsigned Rank, unsigned Ranks, std::vector<bool> First);
  void onRank(unsigned Rank, unsigned Ranks);
  void giveUp(GiveUp G) {
    G.Root = Number;
    G.OfAsynchrony = true;
    IsTooMuch |= G.Why == GiveUpReason::Ways || G.Why == GiveUpReason::Steps;
    Stats.add(std::move(G));
  }

  const EffectProgram &P;
  const Shape &Of;
  const unsigned Number;
  const Function &Root;
  Statistics &Stats;
  Symbols Known;
  Choices Choose{Known};
  std::set<std::int64_t> Compared, Limits;
  std::set<std::string> Reduced, NewlyReduced;
  std::map<Pair, Hazard> Found;
  std::set<Pair> InTime;
  /// Calls of a group that touch the same on one way, and do not on another.
  std::set<Pair> Apart;
  bool AsksWorld = false, EndsGroup = false;
  unsigned RunsLeft = 0, StepsLeft = MaxAllWatchedSteps;
};

} // namespace

void HazardSearch::once(unsigned Rank, unsigned Ranks,
                        std::vector<bool> First) {
  --RunsLeft;
  ++Stats.Runs;
  Choose.restart(std::move(First));
  const unsigned Steps = std::min(MaxWatchedSteps, StepsLeft);
  World W{P,     Of,       Known,  Choose,  Ranks,
          Steps, Compared, Limits, Reduced, NewlyReduced};
  Asynchrony A(W, Rank, Root);
  A.run();
  StepsLeft -= Steps - W.StepsLeft;
  Stats.Steps += Steps - W.StepsLeft;
  AsksWorld |= A.AsksWorld;
  EndsGroup |= A.EndsGroup;
  if (!Choose.isPossible())
    return;
  llvm::for_each(A.GivenUp, [this](const GiveUp &G) { giveUp(G); });
  InTime.insert(A.InTime.begin(), A.InTime.end());
  for (const Pair &Of : A.InOneGroup)
    if (!A.Found.count(Of))
      Apart.insert(Of);
  Found.merge(A.Found);
}

/// Where calls of one group meet is computed: what an unknown makes them do
/// that they do not otherwise, it may never be.
void HazardSearch::onRank(unsigned Rank, unsigned Ranks) {
  std::map<Pair, Hazard> Before = std::exchange(Found, {});
  Apart.clear();
  explore(Rank, Ranks, {});
  if (RunsLeft == 0)
    exploreOneOtherwise(Rank, Ranks);
  for (const Pair &Of : Apart)
    Found.erase(Of);
  Before.merge(Found);
  Found = std::move(Before);
}

/// All ways that begin with \p First.
void HazardSearch::explore(unsigned Rank, unsigned Ranks,
                           std::vector<bool> First) {
  if (RunsLeft == 0 || StepsLeft == 0) {
    giveUp({RunsLeft ? GiveUpReason::Steps : GiveUpReason::Ways, {}, {}});
    return;
  }
  once(Rank, Ranks, First);
  std::vector<bool> Answers;
  for (const Choices::Choice &C : Choose.made())
    Answers.push_back(C.Answer);
  while (Answers.size() > First.size()) {
    Answers.back() = !Answers.back();
    explore(Rank, Ranks, Answers);
    Answers.pop_back();
  }
}

/// Of too many ways, those that make one choice otherwise than the first one
/// does: the first choices as well as the last.
void HazardSearch::exploreOneOtherwise(unsigned Rank, unsigned Ranks) {
  RunsLeft = MaxWatchedRuns;
  once(Rank, Ranks, {});
  std::vector<bool> Answers;
  for (const Choices::Choice &C : Choose.made())
    Answers.push_back(C.Answer);
  for (std::size_t I = 0; I != Answers.size() && RunsLeft && StepsLeft; ++I) {
    std::vector<bool> First(Answers.begin(), Answers.begin() + I);
    First.push_back(!Answers[I]);
    once(Rank, Ranks, std::move(First));
  }
}

std::vector<Finding> HazardSearch::run() {
  // An odd number, too: the last rank may be an even one.
  std::set<unsigned> Sizes = {2, 3, 4}, Done;
  while (Done.size() < MaxSizes) {
    const auto Next =
        llvm::find_if(Sizes, [&](unsigned N) { return !Done.count(N); });
    if (Next == Sizes.end())
      break;
    const unsigned Ranks = *Next;
    Done.insert(Ranks);
    for (unsigned Rank = 0; Rank != Ranks; ++Rank) {
      // One is as good as another where nobody asks.
      if ((Rank || Ranks > 2) && !AsksWorld)
        continue;
      RunsLeft = MaxWatchedRuns;
      onRank(Rank, Ranks);
    }
    for (const std::set<std::int64_t> *Of : {&Compared, &Limits})
      for (const std::int64_t C : *Of)
        for (const std::int64_t N : {C, C + 1, C + 2})
          if (N >= 2 && N <= MaxRanks)
            Sizes.insert(N);
  }
  std::vector<Finding> Out;
  for (auto &[At, H] : Found) {
    Finding &F = H.What;
    // A group may be another function's to end, if this one only begins it.
    // What was begun on one way and not completed on another may never go
    // together.
    if (F.Hazard == HazardKind::Leaked)
      F.Kind = FindingKind::Leak;
    if (F.Hazard == HazardKind::OpenGroup ? !EndsGroup && !H.UnderChoice
                                          : H.UnderChoice && InTime.count(At))
      continue;
    if (!InTime.count(At))
      F.Branch = {};
    // One finding for each operation.
    if (llvm::none_of(Out, [&](const Finding &G) {
          return G.OtherAt.Line == F.OtherAt.Line;
        }))
      Out.push_back(std::move(F));
  }
  return Out;
}

std::vector<Finding> findHazards(const EffectProgram &P, Statistics &Stats) {
  const Shape Of(P);
  std::vector<Finding> Out;
  std::vector<unsigned> Roots = P.Roots;
  Statistics OfParts; // that not all was seen is said of the whole
  for (std::size_t I = 0; I != Roots.size(); ++I) {
    if (!Of.mayGoOn(Roots[I]))
      continue;
    HazardSearch S(P, Of, Roots[I], I < P.Roots.size() ? Stats : OfParts);
    for (Finding &F : S.run())
      if (llvm::none_of(Out, [&](const Finding &G) {
            return G.OtherAt.Line == F.OtherAt.Line && G.At.Line == F.At.Line;
          }))
        Out.push_back(std::move(F));
    // Of a main function that is too much, what it calls says something, too.
    if (S.IsTooMuch)
      for (const unsigned Part : Of.callees(P.Functions[Roots[I]]))
        if (!llvm::is_contained(Roots, Part))
          Roots.push_back(Part);
  }
  Stats.Runs += OfParts.Runs;
  Stats.Steps += OfParts.Steps;
  return Out;
}

} // namespace spmd::collectives
