//===- Search.cpp - The best choices for a problem ------------------------===//
//
// Exact where the tables fit. Else a beam: of each variable the options that
// would be best with the best neighbours, fewer and fewer until the tables of
// these fit. Around what that finds, the same again with the options that are
// best beside it, as long as that helps; then one variable at a time is
// changed. A memory limit is a price per byte, as low as will do (Lagrange):
// what is found at one is the best for the memory that it takes.
//
//===----------------------------------------------------------------------===//

#include "spmd/sharding/Search.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::sharding {

namespace {

/// By elimination, where tables fit and there is budget.
std::optional<std::vector<unsigned>> best(const Problem &P, double PerByte,
                                          const SearchLimits &Limits, Need N,
                                          bool &Faithful) {
  constexpr double Small = 1e9;
  const EliminationOrder Order = orderOf(P.network(PerByte, false, Faithful));
  const double Steps = Order.Filled * Budget::PerEntry + Order.Read;
  if (Order.Largest > static_cast<double>(Limits.MaxEntries) ||
      Order.Filled > Limits.MaxFilled)
    return std::nullopt;
  const bool IsFree = N == Need::Begins && Steps < Small;
  if (!IsFree && !P.budget().allows(Steps))
    return std::nullopt;
  P.budget().spend(Steps);
  std::vector<unsigned> Out =
      eliminate(P.network(PerByte, true, Faithful), Order).Choice;
  Out.resize(P.choices().size()); // without relays
  return Out;
}

class Searcher {
public:
  Searcher(const Problem &P, const CostModel &Costs, const SearchLimits &Limits)
      : P(P), Costs(Costs), Limits(Limits),
        ByAxes(P.mostOptions() > Limits.MaxOptions) {}

  Solution run() {
    if (!Costs.MemoryBytes)
      return at(0);
    const double Later = P.budget().halve();
    Solution Fastest = at(0);
    if (fits(Fastest))
      return Fastest;
    P.budget().add(Later);
    return withinMemory(std::move(Fastest));
  }

private:
  bool fits(const Solution &S) const {
    return P.memoryOf(S.Choice) <= *Costs.MemoryBytes;
  }

  Solution at(double PerByte,
              const std::vector<unsigned> *Start = nullptr) const {
    Solution Out;
    if (ByAxes) {
      Out.IsExact = false;
      Out.Choice = searchByAxes(P, Costs, PerByte, Limits, Start);
    } else if (auto Best =
                   best(P, PerByte, Limits, Need::Improves, Out.IsExact)) {
      Out.Choice = std::move(*Best);
    } else {
      Out.IsExact = false;
      Out.Choice = P.oneByOne(PerByte);
      const auto Consider = [&](std::optional<std::vector<unsigned>> Found) {
        if (Found && costOf(*Found, PerByte) < costOf(Out.Choice, PerByte))
          Out.Choice = std::move(*Found);
      };
      if (Start)
        Consider(*Start);
      Consider(bestDataParallel(P, Costs, PerByte, Limits));
      if (!P.budget().isSpent())
        Consider(beam(PerByte));
      descend(Out.Choice, PerByte);
    }
    Out.Seconds = P.timeOf(Out.Choice);
    return Out;
  }

  double costOf(const std::vector<unsigned> &C, double PerByte) const {
    return P.timeOf(C) + PerByte * P.memoryOf(C);
  }

  /// The options of each variable in the order of \p CostsOf.
  std::vector<std::vector<unsigned>>
  ranked(llvm::function_ref<std::vector<double>(unsigned)> CostsOf) const {
    std::vector<std::vector<unsigned>> Out;
    for (unsigned C = 0; C != P.choices().size(); ++C) {
      std::vector<std::pair<double, unsigned>> Order;
      for (const double Cost : CostsOf(C))
        Order.emplace_back(Cost, static_cast<unsigned>(Order.size()));
      llvm::sort(Order);
      Out.emplace_back();
      for (const auto &[Seconds, O] : Order)
        Out.back().push_back(O);
    }
    return Out;
  }

  using Names = std::vector<std::vector<unsigned>>;

  /// The best among \p Kept; nothing when the tables of these are too large.
  std::optional<std::vector<unsigned>> among(const Names &Kept,
                                             double PerByte) const {
    return bestAmong(
        P, PerByte, Limits, Need::Improves,
        [&](unsigned C, unsigned O) { return llvm::is_contained(Kept[C], O); });
  }

  /// The first \p Width of each.
  static void take(const Names &Ranked, std::size_t Width, Names &Into) {
    Into.resize(Ranked.size());
    for (std::size_t C = 0; C != Ranked.size(); ++C)
      Into[C].insert(Into[C].end(), Ranked[C].begin(),
                     Ranked[C].begin() + std::min(Width, Ranked[C].size()));
  }

  std::vector<unsigned> beam(double PerByte) const {
    const auto WithMemory = [&](unsigned C, std::vector<double> Seconds) {
      for (unsigned O = 0; O != Seconds.size(); ++O)
        Seconds[O] += PerByte * P.choices()[C].Options[O].KeptBytes;
      return Seconds;
    };
    const Names Promising =
        ranked([&](unsigned C) { return WithMemory(C, P.promises(C)); });
    std::optional<std::vector<unsigned>> Best;
    std::size_t Width = 25;
    while (!Best && --Width != 1) {
      Names Kept;
      take(Promising, Width, Kept);
      Best = among(Kept, PerByte);
    }
    if (!Best) {
      Best.emplace();
      for (const std::vector<unsigned> &Mine : Promising)
        Best->push_back(Mine.front());
    }
    for (unsigned Round = 0; Round != 20; ++Round) {
      const Names Beside = ranked([&](unsigned C) {
        std::vector<double> Out;
        for (unsigned O = 0; O != P.choices()[C].Options.size(); ++O)
          Out.push_back(P.promise(C, O, *Best));
        return WithMemory(C, std::move(Out));
      });
      std::optional<std::vector<unsigned>> Next;
      for (std::size_t W = Width; !Next && W != 0; --W) {
        Names Kept;
        take(Beside, (W + 1) / 2, Kept);
        take(Promising, W / 2, Kept);
        for (std::size_t C = 0; C != Kept.size(); ++C)
          Kept[C].push_back((*Best)[C]);
        Next = among(Kept, PerByte);
      }
      if (!Next || costOf(*Next, PerByte) >= costOf(*Best, PerByte))
        break;
      Best = std::move(Next);
    }
    return *Best;
  }

  void descend(std::vector<unsigned> &C, double PerByte) const {
    double Best = costOf(C, PerByte);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (unsigned X = 0; X != C.size(); ++X)
        for (unsigned O = 0; O != P.choices()[X].Options.size(); ++O) {
          if (P.budget().isSpent())
            return;
          P.budget().spend(Budget::PerEntry * static_cast<double>(C.size()));
          const unsigned Was = std::exchange(C[X], O);
          const double Cost = costOf(C, PerByte);
          if (Cost < Best) {
            Best = Cost;
            Changed = true;
          } else {
            C[X] = Was;
          }
        }
    }
  }

  Solution withinMemory(Solution Fastest) const {
    double Low = 0, High = 0;
    std::optional<Solution> Best;
    double Bound = Fastest.IsExact ? Fastest.Seconds : 0;
    // From a price at which memory matters as much as time.
    double Try = Fastest.Seconds / *Costs.MemoryBytes;
    for (unsigned Round = 0; Round != 24; ++Round) {
      Solution Here = at(Try, &Fastest.Choice);
      if (Here.IsExact)
        Bound = std::max(Bound,
                         costOf(Here.Choice, Try) - Try * *Costs.MemoryBytes);
      if (fits(Here)) {
        if (!Best || Here.Seconds < Best->Seconds)
          Best = Here;
        High = Try;
      } else {
        Low = Try;
      }
      Try = High == 0 ? Try * 8 : (Low + High) / 2;
      if (P.budget().isSpent())
        break;
    }
    Solution Out = Best ? std::move(*Best) : at(Try, &Fastest.Choice);
    Out.FitsMemory = fits(Out);
    if (Out.FitsMemory)
      Out.LowerBound = Bound;
    Out.IsExact = Out.FitsMemory && Out.Seconds <= Bound * (1 + 1e-9);
    return Out;
  }

  const Problem &P;
  const CostModel &Costs;
  const SearchLimits &Limits;
  bool ByAxes;
};

} // namespace

std::optional<std::vector<unsigned>>
bestAmong(const Problem &P, double PerByte, const SearchLimits &Limits, Need N,
          llvm::function_ref<bool(unsigned, unsigned)> Keep) {
  if (N == Need::Improves && P.budget().isSpent())
    return std::nullopt;
  Problem Narrow = P.narrowed(Keep);
  if (llvm::any_of(Narrow.choices(),
                   [](const Choice &C) { return C.Options.empty(); }))
    return std::nullopt;
  Narrow.removeDominated();
  bool Faithful = true;
  auto Best = best(Narrow, PerByte, Limits, N, Faithful);
  if (!Best)
    return std::nullopt;
  // Narrow's originals are of the problem that P itself comes from.
  std::vector<unsigned> Out;
  for (unsigned C = 0; C != P.choices().size(); ++C) {
    unsigned O = 0;
    while (P.original(C, O) != Narrow.original(C, (*Best)[C]))
      ++O;
    Out.push_back(O);
  }
  return Out;
}

Solution search(const Problem &P, const CostModel &Costs,
                const SearchLimits &Limits) {
  return Searcher(P, Costs, Limits).run();
}

} // namespace spmd::sharding
