//===- Search.cpp - The best choices for a problem ------------------------===//
//
// Exact where the tables fit. Else a beam: of each variable the options that
// would be best with the best neighbours, fewer and fewer until the tables of
// these fit; then, with all options again, one variable at a time is changed as
// long as that helps. A memory limit is a price per byte, as low as will do
// (Lagrange): what is found at one is the best for the memory that it takes.
//
//===----------------------------------------------------------------------===//

#include "spmd/sharding/Search.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace spmd::sharding {

namespace {

class Searcher {
public:
  Searcher(const Problem &P, const CostModel &Costs, std::size_t MaxEntries)
      : P(P), Costs(Costs), MaxEntries(MaxEntries) {}

  Solution run() {
    Solution Fastest = at(0);
    if (!Costs.MemoryBytes || fits(Fastest))
      return Fastest;
    return withinMemory(std::move(Fastest));
  }

private:
  bool fits(const Solution &S) const {
    return P.memoryOf(S.Choice) <= *Costs.MemoryBytes;
  }

  Solution at(double PerByte) const {
    Solution Out;
    const Network N = P.network(PerByte, Out.IsExact);
    std::optional<Assignment> Best = eliminate(N, MaxEntries);
    if (Best) {
      Out.Choice.assign(Best->Choice.begin(),
                        Best->Choice.begin() + P.choices().size());
    } else {
      Out.IsExact = false;
      Out.Choice = beam(PerByte);
      descend(Out.Choice, PerByte);
    }
    Out.Seconds = P.timeOf(Out.Choice);
    return Out;
  }

  double costOf(const std::vector<unsigned> &C, double PerByte) const {
    return P.timeOf(C) + PerByte * P.memoryOf(C);
  }

  /// Both the ranks of options and the networks are small next to exact ones.
  std::vector<unsigned> beam(double PerByte) const {
    std::vector<std::vector<unsigned>> Ranked;
    for (unsigned C = 0; C != P.choices().size(); ++C) {
      std::vector<std::pair<double, unsigned>> Order;
      for (unsigned O = 0; O != P.choices()[C].Options.size(); ++O)
        Order.emplace_back(
            P.promise(C, O) + PerByte * P.choices()[C].Options[O].KeptBytes, O);
      llvm::sort(Order);
      Ranked.emplace_back();
      for (const auto &[Cost, O] : Order)
        Ranked.back().push_back(O);
    }
    for (std::size_t Width = 24;; Width = Width * 2 / 3) {
      Problem Narrow = P;
      const std::size_t Kept = std::max<std::size_t>(Width, 1);
      std::vector<std::vector<unsigned>> Names;
      for (std::vector<unsigned> &Mine : Ranked) {
        Names.emplace_back(Mine.begin(),
                           Mine.begin() + std::min(Kept, Mine.size()));
        llvm::sort(Names.back());
      }
      Narrow.keepOnly([&](unsigned C, unsigned O) {
        return llvm::is_contained(Names[C], O);
      });
      bool Faithful = true;
      const Network N = Narrow.network(PerByte, Faithful);
      if (std::optional<Assignment> Best = eliminate(N, MaxEntries)) {
        std::vector<unsigned> Out;
        for (unsigned C = 0; C != Names.size(); ++C)
          Out.push_back(Names[C][Best->Choice[C]]);
        return Out;
      }
      if (Kept == 1) { // a table of single options has one entry
        std::vector<unsigned> Out;
        for (const std::vector<unsigned> &Mine : Names)
          Out.push_back(Mine.front());
        return Out;
      }
    }
  }

  void descend(std::vector<unsigned> &C, double PerByte) const {
    double Best = costOf(C, PerByte);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (unsigned X = 0; X != C.size(); ++X)
        for (unsigned O = 0; O != P.choices()[X].Options.size(); ++O) {
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
      Solution Here = at(Try);
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
    }
    Solution Out = Best ? std::move(*Best) : at(Try);
    Out.FitsMemory = fits(Out);
    if (Out.FitsMemory)
      Out.LowerBound = Bound;
    Out.IsExact = Out.FitsMemory && Out.Seconds <= Bound * (1 + 1e-9);
    return Out;
  }

  const Problem &P;
  const CostModel &Costs;
  std::size_t MaxEntries;
};

} // namespace

Solution search(const Problem &P, const CostModel &Costs,
                std::size_t MaxEntries) {
  return Searcher(P, Costs, MaxEntries).run();
}

} // namespace spmd::sharding
