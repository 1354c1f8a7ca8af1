//===- Search.cpp - All that unknowns may be ------------------------------===//

#include "Simulation.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::collectives {

/// Numbers of ranks that are tried, and the largest.
static constexpr unsigned MaxSizes = 12, MaxRanks = 64;
/// As many ranks as a program may be made for that does not ask their number.
static constexpr unsigned MostOfFew = 4;
/// Ways on which ranks do nothing on a communicator, before it is left.
static constexpr unsigned MaxIdleRuns = 8;

namespace {

/// One root on one communicator.
class Search {
public:
  Search(const EffectProgram &P, const Shape &Of, unsigned Root,
         Statistics &Stats, unsigned Least, Covered &Seen)
      : P(P), Of(Of), Number(Root), Root(P.Functions[Root]), Stats(Stats),
        Least(Least), Seen(Seen) {}

  void run(llvm::ArrayRef<unsigned> Given);
  std::vector<Finding> Found;
  bool AnyClear = false; ///< some run got to its end
  /// Some run had a call on the communicator that is tried.
  bool AnyCall = false;
  /// The communicator was left before all ways were tried, as none used it.
  bool IsLeftIdle = false;
  /// Some run means nothing on so many ranks.
  bool AnyNothing = false;
  /// Some run may be another one on another number of ranks.
  bool HangsOnRanks = false;
  /// There are more ways, or they are longer, than is looked at.
  bool IsTooMuch = false;
  /// Some run, on some number of ranks, got to its end.
  bool IsUnderstood = false;

private:
  /// By the branch, or the call: one finding each.
  using Findings = std::map<std::pair<unsigned, unsigned>, Failure>;

  /// What comes of some choices.
  struct Explored {
    Findings Found;
    /// No run gets anywhere: all end the program, or cannot be.
    bool IsNothing = false;
    /// What could make any of them another one.
    Reasons Matters = Reasons::all();
  };

  void runOn(const Base &On, llvm::ArrayRef<unsigned> Given);
  Explored runOnce(Simulation &S);
  Explored explore(const Base &On, unsigned Ranks, std::vector<bool> First,
                   unsigned Depth);
  Findings exploreAll(const Base &On, unsigned Ranks);
  static void merge(Findings &Into, Findings New);
  static Explored whicheverItIs(Explored A, Explored B);
  static Findings takeThoseWithin(Findings &Of, unsigned Choice);
  static bool isSure(const Findings &Of);
  void add(Findings New);
  void giveUp(GiveUp G) {
    G.Root = Number;
    IsTooMuch |= G.Why == GiveUpReason::Ways || G.Why == GiveUpReason::Steps;
    Stats.add(std::move(G));
  }

  const EffectProgram &P;
  const Shape &Of;
  const unsigned Number;
  const Function &Root;
  Statistics &Stats;
  const unsigned Least; ///< ranks
  Covered &Seen;
  Symbols Known;
  Choices Choose{Known};
  std::set<std::int64_t> Compared, Limits;
  std::set<Base> Bases;
  std::set<std::string> Reduced, NewlyReduced;
  std::map<const Stmt *, bool> Roots;
  unsigned RunsLeft = 0, StepsLeft = 0, StepsForOneOtherwise = 0;
};

} // namespace

static std::pair<unsigned, unsigned> keyOf(const Finding &F) {
  return {F.Branch.Id,
          F.Branch.Id && F.Kind != FindingKind::Metadata ? 0 : F.At.Id};
}

/// Two calls that wait for each other are one mistake, whichever comes first,
/// and so are a send and a receive, wherever the ranks part.
static bool areOfOneMistake(const Finding &F, const Finding &G) {
  return keyOf(F) == keyOf(G) ||
         (F.OfMessages && G.OfMessages && F.OtherAt.Id && F.At.Id == G.At.Id &&
          F.OtherAt.Id == G.OtherAt.Id) ||
         (F.OtherAt.Id && F.At.Id == G.OtherAt.Id && F.OtherAt.Id == G.At.Id);
}

void Search::add(Findings New) {
  for (auto &[Key, F] : New) {
    const auto Same = llvm::find_if(
        Found, [&](const Finding &G) { return areOfOneMistake(F, G); });
    if (Same == Found.end())
      Found.push_back(std::move(F));
    else if (F.OfMessages && F.Branch.Id && !Same->Branch.Id)
      *Same = std::move(F); // which tells more
  }
}

/// What is wrong for sure counts more than a message that misses a partner.
void Search::merge(Findings &Into, Findings New) {
  for (auto &[Key, F] : New) {
    const auto [Old, IsNew] = Into.try_emplace(Key, F);
    Old->second.KnowsNumber |= F.KnowsNumber;
    if (!IsNew && Old->second.MissesPartner && !F.MissesPartner)
      Old->second = std::move(F);
  }
}

/// Whether anything is wrong whatever other numbers of ranks say.
bool Search::isSure(const Findings &Of) {
  return llvm::any_of(Of, [](const auto &F) { return !F.second.IfOnAllSizes; });
}

/// Of an unknown that some ranks never ask for, and that may follow from what
/// the others know: it must go wrong whatever it is.
Search::Explored Search::whicheverItIs(Explored A, Explored B) {
  if (A.IsNothing)
    return B;
  if (B.IsNothing)
    return A;
  if (A.Found.empty() || B.Found.empty() || isSure(A.Found) != isSure(B.Found))
    return {};
  merge(A.Found, std::move(B.Found));
  return A;
}

/// What goes wrong in a loop of which \p Choice only says that it has another
/// round.
Search::Findings Search::takeThoseWithin(Findings &Of, unsigned Choice) {
  Findings Out;
  for (auto At = Of.begin(); At != Of.end();)
    if (Reasons::isTold(Choice) &&
        At->second.Entered.meets(Reasons::choice(Choice)))
      Out.insert(Of.extract(At++));
    else
      ++At;
  return Out;
}

Search::Explored Search::runOnce(Simulation &S) {
  const Outcome Is = S.run();
  Bases.insert(S.Others.begin(), S.Others.end());
  for (const auto &[At, Fits] : S.Roots)
    Roots[At] |= Fits;
  if (Is == Outcome::Unclear && S.givenUp() && Choose.isPossible())
    giveUp(*S.givenUp());
  AnyNothing |= Is == Outcome::Unclear && !S.givenUp() && Choose.isPossible();
  AnyNothing |= llvm::any_of(S.failures(),
                             [](const Failure &F) { return F.IfOnAllSizes; });
  AnyClear |= Is == Outcome::Fine || Is == Outcome::Failed;
  AnyCall |= S.hasCalls() || !S.failures().empty();
  Explored Out;
  Out.IsNothing = Is == Outcome::Stopped || !Choose.isPossible();
  if (Is == Outcome::Fine)
    Out.Matters = S.matters();
  else if (Is == Outcome::Failed)
    Out.Matters = S.matters() | S.mattersToUnseen();
  HangsOnRanks |= Out.Matters.meets(Reasons::rank() | Reasons::numberOfRanks());
  const auto &Made = Choose.made();
  for (unsigned I = 0; I != Made.size(); ++I)
    HangsOnRanks |= Out.Matters.meets(Reasons::choice(I)) &&
                    !Choose.isAskedByAll(Made[I], S.numRanks());
  if (Is == Outcome::Failed)
    for (const Failure &F : S.failures())
      Out.Found.try_emplace(keyOf(F), F);
  return Out;
}

/// What goes wrong after the choices \p First, if at most \p Depth of those
/// that come then are made otherwise: more only where a finding hangs on them.
Search::Explored Search::explore(const Base &On, unsigned Ranks,
                                 std::vector<bool> First, unsigned Depth) {
  if (RunsLeft == 0 || StepsLeft == 0) {
    giveUp({RunsLeft ? GiveUpReason::Steps : GiveUpReason::Ways, {}, {}});
    return {};
  }
  --RunsLeft;
  ++Stats.Runs;
  Choose.restart(First);
  const unsigned Steps = std::min(MaxSteps, StepsLeft);
  World W{P,     Of,       Known,  Choose,  Ranks,
          Steps, Compared, Limits, Reduced, NewlyReduced};
  // Messages of different lengths are right where both ends know them.
  W.BelievesDeclared = !Of.hasMessages(Root);
  W.Seen = &Seen;
  if (!On.RankSymbol.empty())
    W.RankSymbols.insert(On.RankSymbol);
  if (!On.SizeSymbol.empty())
    W.SizeSymbols.insert(On.SizeSymbol);
  Simulation S(W, Root, On);
  Explored Out = runOnce(S);
  StepsLeft -= Steps - W.StepsLeft;
  Stats.Steps += Steps - W.StepsLeft;
  std::vector<bool> Answers, Free;
  for (const Choices::Choice &C : Choose.made()) {
    Answers.push_back(C.Answer);
    Free.push_back(
        Choose.isFree(C, Ranks) &&
        (!S.hasMessages() || Known[C.About.Symbol].Trust != Trust::Unknown));
  }
  while (Answers.size() > First.size()) {
    if (!AnyCall && RunsLeft + MaxIdleRuns < MaxRuns) {
      IsLeftIdle = true;
      return {};
    }
    if (!Out.Matters.meets(Reasons::choice(Answers.size() - 1))) {
      Answers.pop_back();
      continue;
    }
    Answers.back() = !Answers.back();
    const bool IsFree = Free[Answers.size() - 1];
    // Else nothing can come of it.
    const bool Counts = Out.IsNothing || !Out.Found.empty();
    if (Depth == 0 ? Out.IsNothing || (!IsFree && Counts)
                   : IsFree || Counts || RunsLeft > MaxRuns / 2) {
      Explored Else = explore(On, Ranks, Answers, Depth ? Depth - 1 : 0);
      const Reasons Matters = Out.Matters | Else.Matters;
      if (IsFree) {
        Out.IsNothing &= Else.IsNothing;
        merge(Out.Found, std::move(Else.Found));
      } else {
        Findings Within = takeThoseWithin(Out.Found, Answers.size() - 1);
        merge(Within, takeThoseWithin(Else.Found, Answers.size() - 1));
        Out = whicheverItIs(std::move(Out), std::move(Else));
        merge(Out.Found, std::move(Within));
      }
      Out.Matters = Matters;
    }
    Answers.pop_back();
  }
  return Out;
}

/// All ways, or, of too many, those that make one choice otherwise than the
/// first one does: the first choices as well as the last.
Search::Findings Search::exploreAll(const Base &On, unsigned Ranks) {
  constexpr unsigned All = ~0u;
  Findings Found = explore(On, Ranks, {}, All).Found;
  if (RunsLeft && StepsLeft)
    return Found;
  RunsLeft = MaxRuns;
  const unsigned Left = std::exchange(StepsLeft, StepsForOneOtherwise);
  merge(Found, explore(On, Ranks, {}, 1).Found);
  StepsForOneOtherwise = std::exchange(StepsLeft, Left);
  RunsLeft = 0;
  return Found;
}

void Search::runOn(const Base &On, llvm::ArrayRef<unsigned> Given) {
  std::set<unsigned> Sizes(Given.begin(), Given.end());
  // Messages between pairs of ranks are made for even numbers.
  const unsigned Most = Of.hasMessages(Root) ? 6 : 5;
  if (Sizes.empty())
    for (unsigned N = Least; N <= std::max(Most, Least + 1); ++N)
      Sizes.insert(N);
  unsigned StepsOfAll = MaxAllSteps;
  std::set<unsigned> Done;
  Findings All;
  /// What is wrong if it is on all of them, and on how many it is.
  std::map<std::pair<unsigned, unsigned>, std::pair<Finding, unsigned>> Often;
  unsigned MostFine = 0;  ///< ranks on which nothing goes wrong
  unsigned NumLooked = 0; ///< numbers of ranks
  while (Done.size() < MaxSizes) {
    const auto Next =
        llvm::find_if(Sizes, [&](unsigned N) { return !Done.count(N); });
    if (Next == Sizes.end())
      break;
    Done.insert(*Next);
    RunsLeft = MaxRuns;
    // More ranks show what fewer do not: they have as many for all of them.
    const bool IsFirst = Done.size() == 1;
    const unsigned Share =
        IsFirst ? MaxAllSteps : StepsOfAll / (Sizes.size() - Done.size() + 1);
    StepsLeft = StepsForOneOtherwise = Share;
    AnyClear = AnyNothing = AnyCall = IsLeftIdle = HangsOnRanks = false;
    Findings Here = exploreAll(On, *Next);
    if (NewlyReduced.size() > Reduced.size()) {
      Reduced = NewlyReduced;
      merge(Here, exploreAll(On, *Next));
    }
    StepsOfAll -= IsFirst ? 0 : Share - StepsLeft;
    IsUnderstood |= AnyClear;
    NumLooked += !IsLeftIdle;
    if (AnyClear && !AnyNothing && !IsLeftIdle && Here.empty())
      MostFine = std::max(MostFine, *Next);
    for (auto At = Here.begin(); At != Here.end();) {
      const auto &[Key, F] = *At;
      if (F.IfOnAllSizes)
        ++Often.try_emplace(Key, F, 0).first->second.second;
      At = F.IfOnAllSizes ? Here.erase(At) : std::next(At);
    }
    if (Here.empty() && AnyClear && !AnyNothing && !HangsOnRanks && !IsLeftIdle)
      break;
    merge(All, std::move(Here));
    if (!Given.empty())
      continue;
    const auto Limit =
        llvm::find_if(Limits, [](std::int64_t L) { return L > 5; });
    for (const std::int64_t C : Compared)
      for (const std::int64_t N : {C, C + 1, C + 2})
        if (N >= Least && N <= MaxRanks &&
            (Limit == Limits.end() || N <= *Limit))
          Sizes.insert(N);
    if (Limit != Limits.end() && *Limit >= Least)
      Sizes.insert(*Limit);
  }
  // Messages that only miss a partner if there are more ranks are made for
  // fewer.
  for (const auto &[Key, F] : Often)
    if (F.second == NumLooked)
      All.try_emplace(Key, F.first);
  if (MostFine)
    std::erase_if(All, [&](const auto &F) {
      return F.second.MissesPartner &&
             (!F.second.KnowsNumber || MostFine >= MostOfFew);
    });
  add(std::move(All));
}

void Search::run(llvm::ArrayRef<unsigned> Given) {
  std::set<Base> Tried;
  Bases.insert(Base());
  while (Tried.size() < MaxBases) {
    const auto Next =
        llvm::find_if(Bases, [&](const Base &B) { return !Tried.count(B); });
    if (Next == Bases.end())
      break;
    const Base &On = *Next;
    Tried.insert(On);
    runOn(On, Given);
  }
  if (Tried.size() < Bases.size())
    giveUp({GiveUpReason::Communicators, {}, {}});
  for (const auto &[At, Fits] : Roots) {
    if (Fits)
      continue;
    Finding F;
    F.Kind = FindingKind::Argument;
    F.At = At->At;
    F.Call = At->What.Name;
    F.Argument = BadArgument::Root;
    Found.push_back(std::move(F));
  }
}

namespace {

/// All roots of a program, and parts of it that say something by themselves.
class ProgramSearch {
public:
  ProgramSearch(const EffectProgram &P, llvm::ArrayRef<unsigned> Sizes,
                Statistics &Stats, unsigned Least)
      : P(P), Of(P), Sizes(Sizes), Stats(Stats), Least(Least) {}

  std::vector<Finding> run();

private:
  void look(unsigned Root, Statistics &Said);
  void addPart(unsigned Number);
  bool isSeen(unsigned Function) const;
  void findCandidates();
  std::optional<unsigned> notSeen();

  const EffectProgram &P;
  const Shape Of;
  const llvm::ArrayRef<unsigned> Sizes;
  Statistics &Stats;
  const unsigned Least;
  std::vector<unsigned> Roots; ///< in the order in which they are looked at
  Covered Seen;
  /// What may be looked at by itself, and what each of them calls.
  std::map<unsigned, std::set<unsigned>> Candidates;
  std::vector<Finding> Out;
};

} // namespace

void ProgramSearch::look(unsigned Root, Statistics &Said) {
  Seen.Functions.insert(Root);
  Search S(P, Of, Root, Said, Least, Seen);
  S.run(Sizes);
  // Of a main function that is too much, what it calls says something, too.
  if (S.IsTooMuch || !S.IsUnderstood)
    for (const unsigned Part : Of.callees(P.Functions[Root]))
      addPart(Part);
  for (Finding &F : S.Found)
    if (llvm::none_of(Out,
                      [&](const Finding &G) { return keyOf(G) == keyOf(F); }))
      Out.push_back(std::move(F));
}

/// But for messages, whose other end may be with another.
void ProgramSearch::addPart(unsigned Number) {
  if (!Of.hasMessages(P.Functions[Number]) &&
      !llvm::is_contained(Roots, Number))
    Roots.push_back(Number);
}

/// Whether some rank has come to it, and on some communicator whose ranks are
/// known.
bool ProgramSearch::isSeen(unsigned Number) const {
  if (!Seen.Functions.count(Number))
    return false;
  const std::vector<const Stmt *> Made = collectivesOf(P.Functions[Number]);
  return Made.empty() || llvm::any_of(Made, [this](const Stmt *S) {
           return Seen.Matched.count(S) != 0;
         });
}

void ProgramSearch::findCandidates() {
  const std::set<unsigned> Known(Roots.begin(), Roots.end());
  for (unsigned I = 0; I != P.Functions.size(); ++I)
    if (const Function &F = P.Functions[I];
        F.Body && F.MayBeRoot && !F.RunsFor && Of.hasEvents(I) &&
        !Known.count(I) && !Of.hasMessages(F))
      Candidates.emplace(I, Of.callees(F));
}

/// One that is called by code that is not seen, or where too many
/// communicators are; first those that call others.
std::optional<unsigned> ProgramSearch::notSeen() {
  std::erase_if(Candidates, [this](const auto &C) {
    return isSeen(C.first) || llvm::is_contained(Roots, C.first);
  });
  std::set<unsigned> Called;
  for (const auto &[I, Callees] : Candidates)
    for (const unsigned J : Callees)
      if (I != J)
        Called.insert(J);
  for (const auto &C : Candidates)
    if (!Called.count(C.first))
      return C.first;
  return Candidates.empty() ? std::nullopt
                            : std::optional(Candidates.begin()->first);
}

std::vector<Finding> ProgramSearch::run() {
  Roots = P.Roots;
  findCandidates();
  Statistics OfParts; // that not all was seen is said of the whole
  for (std::size_t I = 0; I != Roots.size(); ++I) {
    ++Stats.Roots;
    look(Roots[I], I < P.Roots.size() ? Stats : OfParts);
    if (I + 1 == Roots.size())
      if (const std::optional<unsigned> Part = notSeen())
        Roots.push_back(*Part);
  }
  Stats.Runs += OfParts.Runs;
  Stats.Steps += OfParts.Steps;
  return std::move(Out);
}

std::vector<Finding> findMismatches(const EffectProgram &P,
                                    llvm::ArrayRef<unsigned> Sizes,
                                    Statistics &Stats, unsigned Least) {
  return ProgramSearch(P, Sizes, Stats, Least).run();
}

} // namespace spmd::collectives
