//===- Ways.cpp - What holds on one way through a function ----------------===//

#include "spmd/inference/Ways.h"

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <limits>
#include <set>
#include <tuple>

namespace spmd::rules {

namespace {

/// What is known of a number on a way.
class NumberRange {
public:
  std::optional<bool> decides(const BranchTest &T) const {
    using Relation = BranchTest::Relation;
    const auto IfNot = [](std::optional<bool> X) {
      return X ? std::optional(!*X) : X;
    };
    switch (T.R) {
    case Relation::Unequal:
      return IfNot(decides({T.IsFlag, T.Of, Relation::Equal, T.To}));
    case Relation::Equal:
      if (Low == T.To && High == T.To)
        return true;
      return T.To < Low || T.To > High || llvm::is_contained(Not, T.To)
                 ? std::optional(false)
                 : std::nullopt;
    case Relation::Less:
      return High < T.To   ? std::optional(true)
             : Low >= T.To ? std::optional(false)
                           : std::nullopt;
    case Relation::Greater:
      return Low > T.To     ? std::optional(true)
             : High <= T.To ? std::optional(false)
                            : std::nullopt;
    }
    return std::nullopt;
  }
  void assume(const BranchTest &T, bool Is) {
    using Relation = BranchTest::Relation;
    const bool Equal =
        (T.R == Relation::Equal && Is) || (T.R == Relation::Unequal && !Is);
    if (Equal)
      Low = High = T.To;
    else if (T.R == Relation::Equal || T.R == Relation::Unequal)
      Not.push_back(T.To);
    else if (T.R == Relation::Less)
      Is ? void(High = std::min(High, T.To - 1))
         : void(Low = std::max(Low, T.To));
    else
      Is ? void(Low = std::max(Low, T.To + 1))
         : void(High = std::min(High, T.To));
  }

private:
  std::int64_t Low = std::numeric_limits<std::int64_t>::min();
  std::int64_t High = std::numeric_limits<std::int64_t>::max();
  llvm::SmallVector<std::int64_t, 4> Not;
};

/// Whether the way on which \p T is \p Is may matter: a number up to one may be
/// that of ranks or elements, and then there is nothing to reduce.
bool counts(const BranchTest &T, bool Is) {
  using Relation = BranchTest::Relation;
  if (T.IsFlag)
    return true;
  switch (T.R) {
  case Relation::Equal:
    return !Is || T.To > 1;
  case Relation::Unequal:
    return Is || T.To > 1;
  case Relation::Less:
    return !Is || T.To > 2;
  case Relation::Greater:
    return Is || T.To > 1;
  }
  return true;
}

/// "'stage' is not 2"
std::string say(const BranchTest &T, bool Is) {
  using Relation = BranchTest::Relation;
  const std::string Of = "'" + T.Of + "' is ";
  if (T.IsFlag && T.To == 0)
    return Of + (Is == (T.R == Relation::Unequal) ? "true" : "false");
  const auto Words = [&]() -> const char * {
    switch (T.R) {
    case Relation::Equal:
      return Is ? "" : "not ";
    case Relation::Unequal:
      return Is ? "not " : "";
    case Relation::Less:
      return Is ? "less than " : "at least ";
    case Relation::Greater:
      return Is ? "more than " : "at most ";
    }
    return "";
  };
  return Of + Words() + std::to_string(T.To);
}

/// The branches of a function that one number decides, and how on one way.
using Choice = std::vector<std::pair<std::uint32_t, bool>>;

/// All that the blocks \p On may decide together.
void chooseAll(const Function &F, llvm::ArrayRef<std::uint32_t> On,
               const llvm::StringMap<NumberRange> &Known, Choice &Sofar,
               std::vector<Choice> &Out) {
  if (On.empty()) {
    Out.push_back(Sofar);
    return;
  }
  const BranchTest &T = *F.Blocks[On.front()].Test;
  const std::optional<bool> Decided = Known.lookup(T.Of).decides(T);
  for (const bool Is : {true, false}) {
    if (Decided ? *Decided != Is : !counts(T, Is))
      continue;
    llvm::StringMap<NumberRange> Then = Known;
    Then[T.Of].assume(T, Is);
    Sofar.emplace_back(On.front(), Is);
    chooseAll(F, On.drop_front(), Then, Sofar, Out);
    Sofar.pop_back();
  }
}

/// Cuts the branches of a function while it lives.
class CutBranches {
public:
  CutBranches(Function &F, const Choice &Chosen) : F(F) {
    for (const auto &[Block, Is] : Chosen) {
      auto &Next = F.Blocks[Block].Successors;
      Before.emplace_back(Block, Next);
      Next = {Next[Is ? 0 : 1]};
    }
  }
  CutBranches(const CutBranches &) = delete;
  ~CutBranches() {
    for (auto &[Block, Next] : Before)
      F.Blocks[Block].Successors = std::move(Next);
  }

private:
  Function &F;
  std::vector<std::pair<std::uint32_t, llvm::SmallVector<BlockId, 2>>> Before;
};

/// The blocks that decide whether another one is reached.
class Deciders {
public:
  explicit Deciders(const Function &F) : F(F), Flow(F) {}

  llvm::BitVector of(std::uint32_t Block) const {
    llvm::BitVector Out(size());
    llvm::SmallVector<std::uint32_t, 8> Work{Block};
    while (!Work.empty()) {
      const std::uint32_t X = Work.pop_back_val();
      for (std::uint32_t C = 0; C != F.Blocks.size(); ++C)
        if (!Out.test(C) && decides(C, X)) {
          Out.set(C);
          Work.push_back(C);
        }
    }
    return Out;
  }
  /// A loop that has a round comes to what it repeats, whatever else decides.
  bool repeats(std::uint32_t Loop, std::uint32_t Block) const {
    return comesTo(Block, Loop) && comesTo(Loop, Block);
  }

private:
  unsigned size() const { return static_cast<unsigned>(F.Blocks.size()); }
  bool alwaysFollows(std::uint32_t Block, std::uint32_t From) const {
    for (unsigned I = 0; From < size() && I != size(); ++I) {
      if (From == Block)
        return true;
      From = Flow.meetingOf(From);
    }
    return false;
  }
  bool decides(std::uint32_t C, std::uint32_t X) const {
    const auto Next = Flow.next(C);
    return Next.size() > 1 && (C == X || !alwaysFollows(X, C)) &&
           llvm::any_of(Next,
                        [&](std::uint32_t N) { return alwaysFollows(X, N); });
  }
  bool comesTo(std::uint32_t From, std::uint32_t To) const {
    llvm::BitVector Seen(size());
    llvm::SmallVector<std::uint32_t, 8> Work(Flow.next(From).begin(),
                                             Flow.next(From).end());
    while (!Work.empty()) {
      const std::uint32_t X = Work.pop_back_val();
      if (X == To)
        return true;
      if (X < size() && !Seen.test(X)) {
        Seen.set(X);
        llvm::append_range(Work, Flow.next(X));
      }
    }
    return false;
  }

  const Function &F;
  ControlFlow Flow;
};

/// The functions that do some collective, and those that call them.
class Collectives {
public:
  explicit Collectives(const Module &M) {
    for (const auto &F : M.Functions)
      for (const CallFact &Call : factsOf<CallFact>(*F))
        Callers[Call.Callee].insert(F.get());
    std::vector<const Function *> Work;
    const auto Add = [&](const Function &F) {
      if (Symbols.insert(F.Symbol).second)
        Work.push_back(&F);
    };
    for (const auto &F : M.Functions)
      if (llvm::any_of(factsOf<TransferFact>(*F),
                       [](const TransferFact &T) { return moves(T.K); }))
        Add(*F);
    while (!Work.empty()) {
      const Function &F = *Work.back();
      Work.pop_back();
      for (const Function *Caller : callersOf(F))
        Add(*Caller);
    }
  }

  std::set<const Function *> callersOf(const Function &F) const {
    return Callers.lookup(F.Symbol);
  }
  /// Whether one of the blocks \p Among does one.
  bool isDoneIn(const Function &F, const llvm::BitVector &Among) const {
    return llvm::any_of(Among.set_bits(), [&](unsigned B) {
      return B < F.Blocks.size() &&
             llvm::any_of(
                 F.Blocks[B].Facts,
                 [&](const Fact &X) {
                   const auto *T = std::get_if<TransferFact>(&X);
                   const auto *Call = std::get_if<CallFact>(&X);
                   return T ? moves(T->K)
                            : Call && Symbols.contains(Call->Callee);
                 });
    });
  }

private:
  static bool moves(TransferKind K) {
    return K != TransferKind::Reinterpret && K != TransferKind::Convert &&
           K != TransferKind::OutPartial;
  }

  llvm::StringMap<std::set<const Function *>> Callers;
  llvm::StringSet<> Symbols;
};

class WayFinder {
public:
  WayFinder(Module &M, const InferenceOptions &Options, InferenceResult &Found)
      : M(M), Options(Options), Found(Found), Collected(M),
        FactsLeft(MostOfBase * std::size_t(Found.FactsVisited) + LeastFacts) {
    this->Options.FindRedundant = false;
    this->Options.Strict = false;
    for (const Violation &V : Found.Violations)
      if (!V.Possible)
        Known.insert(keyOf(V));
  }

  std::vector<Violation> run() {
    for (const auto &F : M.Functions)
      if (!F->Trusted)
        inFunction(*F);
    return std::move(Out);
  }

private:
  /// Beside what the module itself took.
  static constexpr std::size_t MostOfBase = 4, LeastFacts = 100'000;
  static constexpr std::size_t MostRoots = 4, MostTogether = 6;

  using Key = std::tuple<const Function *, PlaceId, ViolationKind, std::string>;
  static Key keyOf(const Violation &V) { return {V.In, V.At, V.Kind, V.Axis}; }

  /// By number: the blocks that test it, if it decides about a collective.
  std::vector<std::vector<std::uint32_t>> numbersOf(const Function &F) const {
    std::vector<std::vector<std::uint32_t>> Tests;
    llvm::StringMap<std::size_t> Of;
    for (std::uint32_t B = 0; B != F.Blocks.size(); ++B) {
      const Block &Here = F.Blocks[B];
      if (!Here.Test || Here.Successors.size() != 2)
        continue;
      const auto [It, New] = Of.try_emplace(Here.Test->Of, Tests.size());
      if (New)
        Tests.emplace_back();
      Tests[It->second].push_back(B);
    }
    if (Tests.empty())
      return Tests;
    const ControlFlow Flow(F);
    llvm::erase_if(Tests, [&](const std::vector<std::uint32_t> &On) {
      return llvm::none_of(On, [&](std::uint32_t B) {
        return Collected.isDoneIn(F, Flow.partingAt(B).Between);
      });
    });
    return Tests;
  }

  /// The functions whose own analysis comes through \p F.
  std::vector<const Function *> rootsOf(const Function &F) const {
    std::vector<const Function *> Roots, Work{&F};
    std::set<const Function *> Seen{&F};
    while (!Work.empty() && Roots.size() != MostRoots) {
      const Function *X = Work.back();
      Work.pop_back();
      const std::set<const Function *> By = Collected.callersOf(*X);
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

  /// First those of each number, then those of numbers that are tested within
  /// each other.
  static std::vector<Choice>
  choicesOf(const Function &F,
            const std::vector<std::vector<std::uint32_t>> &Numbers) {
    std::vector<Choice> Out;
    const Deciders Of(F);
    std::vector<std::vector<std::uint32_t>> Together;
    for (const std::vector<std::uint32_t> &On : Numbers) {
      Choice Sofar;
      chooseAll(F, On, {}, Sofar, Out);
      std::vector<std::uint32_t> With = On;
      for (const std::uint32_t B : On)
        for (const std::vector<std::uint32_t> &Other : Numbers)
          if (&Other != &On &&
              llvm::any_of(Other, [&, Around = Of.of(B)](std::uint32_t X) {
                return Around.test(X);
              }))
            With.insert(With.end(), Other.begin(), Other.end());
      llvm::sort(With);
      With.erase(llvm::unique(With), With.end());
      if (With.size() != On.size() && With.size() <= MostTogether)
        Together.push_back(std::move(With));
    }
    for (const std::vector<std::uint32_t> &On : Together) {
      Choice Sofar;
      chooseAll(F, On, {}, Sofar, Out);
    }
    return Out;
  }

  void inFunction(Function &F) {
    const std::vector<Choice> Choices = choicesOf(F, numbersOf(F));
    if (Choices.empty())
      return;
    const std::vector<const Function *> Roots = rootsOf(F);
    for (std::size_t I = 0; I != Choices.size(); ++I) {
      if (I == Options.Caps.Ways || !FactsLeft) {
        Found.GivenUp.push_back(
            {&F, F.Blocks[Choices[I].front().first].Condition.At, Limit::Ways});
        return;
      }
      for (const Function *Root : Roots)
        onWay(F, Choices[I], *Root);
    }
  }

  void onWay(Function &F, const Choice &Chosen, const Function &Root) {
    const Deciders Before(F);
    const CutBranches Cut(F, Chosen);
    const Deciders Now(F);
    Options.Only = &Root;
    InferenceResult Here = inferModule(M, Options);
    FactsLeft -= std::min<std::size_t>(FactsLeft, Here.FactsVisited);
    for (Violation &V : Here.Violations)
      if (!V.Possible && V.Kind != ViolationKind::LossType &&
          !Known.contains(keyOf(V)) && holdsOn(F, V, Chosen, Before, Now)) {
        Known.insert(keyOf(V));
        for (const auto &[Block, Is] : Chosen)
          if (V.Way.empty() ||
              llvm::none_of(V.Way,
                            [&, Says = say(*F.Blocks[Block].Test, Is)](
                                const WayStep &S) { return S.Says == Says; }))
            V.Way.push_back({&F, F.Blocks[Block].Condition.At,
                             say(*F.Blocks[Block].Test, Is)});
        Out.push_back(std::move(V));
      }
  }

  /// The block of \p F in which \p V, or the call that leads to it, is; nothing
  /// where it is found elsewhere, as what called \p F may know more of the way.
  static std::optional<std::uint32_t> blockOf(const Function &F,
                                              const Violation &V) {
    PlaceId At = V.At;
    const Fact *Cause = V.Cause;
    if (V.In != &F) {
      const auto Of = llvm::find_if(
          V.CalledFrom, [&](const CallSite &C) { return C.In == &F; });
      if (Of == V.CalledFrom.end())
        return std::nullopt;
      At = Of->At;
      Cause = nullptr;
    }
    for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
      for (const Fact &X : F.Blocks[B].Facts)
        if (Cause ? &X == Cause : placeOf(X) == At)
          return B;
    return std::nullopt;
  }

  static bool isOfExit(const Violation &V) {
    switch (V.On) {
    case Annotated::ParameterOnExit:
    case Annotated::OutputOnExit:
    case Annotated::FieldOnExit:
    case Annotated::MemberOnExit:
      return V.Kind == ViolationKind::Contract;
    default:
      return false;
    }
  }

  /// Whether \p V is reached on the way whatever else decides: another
  /// condition may have to do with the first, so that nobody goes there on this
  /// way.
  static bool holdsOn(const Function &F, const Violation &V,
                      const Choice &Chosen, const Deciders &Before,
                      const Deciders &Now) {
    if (V.In == &F && isOfExit(V))
      return true;
    const std::optional<std::uint32_t> At = blockOf(F, V);
    if (!At)
      return false;
    llvm::BitVector Others = Now.of(*At);
    for (const auto &[Block, Is] : Chosen)
      Others.reset(Before.of(Block));
    return llvm::all_of(Others.set_bits(),
                        [&](std::uint32_t C) { return Now.repeats(C, *At); });
  }

  Module &M;
  InferenceOptions Options;
  InferenceResult &Found;
  const Collectives Collected;
  std::size_t FactsLeft;
  std::set<Key> Known;
  std::vector<Violation> Out;
};

/// Whether only names and results are handed on there.
bool isIdle(const Block &B) {
  return llvm::all_of(B.Facts, [](const Fact &X) {
    const auto *O = std::get_if<OpFact>(&X);
    return O ? O->WritesTo == SlotId::None
             : std::holds_alternative<DefineFact>(X) ||
                   std::holds_alternative<ReturnFact>(X) ||
                   std::holds_alternative<AssertFact>(X);
  });
}

} // namespace

void cutIdleWays(Module &M) {
  const Collectives Collected(M);
  for (const auto &F : M.Functions) {
    if (llvm::none_of(F->Blocks, [](const Block &B) { return B.Test; }))
      continue;
    const ControlFlow Flow(*F);
    for (std::uint32_t I = 0; I != F->Blocks.size(); ++I) {
      Block &B = F->Blocks[I];
      if (!B.Test || B.Successors.size() != 2)
        continue;
      for (const unsigned Way : {0u, 1u}) {
        if (counts(*B.Test, Way == 0) || B.Successors.size() != 2)
          continue;
        const llvm::BitVector Idle = Flow.onlyThrough(I, Way);
        if (llvm::all_of(Idle.set_bits(),
                         [&](unsigned X) {
                           return X >= F->Blocks.size() || isIdle(F->Blocks[X]);
                         }) &&
            Collected.isDoneIn(*F, Flow.partingAt(I).Between))
          B.Successors = {B.Successors[1 - Way]};
      }
    }
  }
}

std::vector<Violation> inferWays(Module &M, const InferenceOptions &Options,
                                 InferenceResult &Found) {
  std::vector<Violation> Out = WayFinder(M, Options, Found).run();
  // What is surely wrong on some way is no longer what only may be wrong.
  llvm::erase_if(Found.Violations, [&](const Violation &V) {
    return V.Possible && llvm::any_of(Out, [&](const Violation &Sure) {
             return Sure.In == V.In && Sure.At == V.At && Sure.Axis == V.Axis;
           });
  });
  return Out;
}

} // namespace spmd::rules
