//===- Greedy.cpp - The planner beside a greedy one and the bound ---------===//

#include "Report.h"

#include "spmd/planner/AllLayouts.h"
#include "spmd/planner/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <random>

using namespace llvm;

namespace spmd::planner {

namespace {

using Clock = std::chrono::steady_clock;
using Pairs = std::vector<std::pair<Layout, Layout>>;

/// Of the plans of one planner.
struct Score {
  Ratios Bytes, Peak;
  double Collectives = 0, Seconds = 0;
  unsigned Plans = 0, Needless = 0, Exchanges = 0;
};

/// How often a plan is worse than a greedy one.
struct Losses {
  unsigned Bytes = 0, Collectives = 0, Time = 0, Peak = 0;

  void add(const Plan &Is, const Plan &Of, const CostModel &Cost) {
    constexpr double Rounding = 1 + 1e-9;
    Bytes += Is.Received > Of.Received * Rounding;
    Collectives += Is.Collectives > Of.Collectives;
    Time += Cost.of(Is) > Cost.of(Of) * Rounding;
    Peak += Is.Peak > Of.Peak;
  }
};

std::int64_t largestBlock(const Layout &L, const Shape &S,
                          const DeviceMesh &M) {
  std::int64_t Out = 0;
  for (const Block &B : blocksOf(L, S, M))
    Out = std::max(Out, B.size());
  return Out;
}

class Comparison {
public:
  Comparison(const Shape &S, const DeviceMesh &M, const ReportOptions &O,
             raw_ostream &OS)
      : S(S), M(M), O(O), OS(OS) {}

  void run(StringRef Title, const Pairs &All) {
    Score Ours, Baseline;
    Losses Balanced, Fewest;
    // Where latency is all that counts, there may be no more collectives.
    const CostModel LatencyAlone = {1, 0};
    for (const auto &[From, To] : All) {
      const auto Planned = [&](const CostModel &C) {
        return planRedistribution(From, To, S, M, C);
      };
      const Plan Mine =
          scored(Ours, From, To, [&] { return Planned(CostModel()); });
      const Plan Theirs = scored(Baseline, From, To,
                                 [&] { return planGreedily(From, To, S, M); });
      Balanced.add(Mine, Theirs, CostModel());
      Fewest.add(Planned(LatencyAlone), Theirs, LatencyAlone);
    }
    OS << Title << ", " << All.size() << " pairs\n"
       << left_justify("", 10)
       << "bytes mean    worst  collectives  exchanges  peak mean    worst   "
          "needless"
       << (O.Times ? "   us/plan\n" : "\n");
    row("planned", Ours);
    row("greedy", Baseline);
    OS << "worse than greedy: bytes " << Balanced.Bytes << ", time "
       << Balanced.Time << ", peak " << Balanced.Peak << ", collectives "
       << Balanced.Collectives;
    if (Balanced.Collectives)
      OS << " (planned for the fewest: " << Fewest.Collectives << ")";
    OS << "\n\n";
  }

private:
  Plan scored(Score &Into, const Layout &From, const Layout &To,
              function_ref<Plan()> Run) const {
    const Clock::time_point Start = Clock::now();
    Plan P = Run();
    Into.Seconds += std::chrono::duration<double>(Clock::now() - Start).count();
    ++Into.Plans;
    Into.Collectives += P.Collectives;
    Into.Exchanges += static_cast<unsigned>(count_if(
        P.Steps, [](const Step &X) { return X.K == StepKind::Exchange; }));
    const double Bound = lowerBound(From, To, S, M);
    if (Bound > 0)
      Into.Bytes.add(P.Received, Bound);
    else
      Into.Needless += P.Collectives > 0;
    Into.Peak.add(static_cast<double>(P.Peak),
                  static_cast<double>(std::max(largestBlock(From, S, M),
                                               largestBlock(To, S, M))));
    return P;
  }

  void row(StringRef What, const Score &X) const {
    OS << left_justify(What, 10)
       << format("%10.3f %8.2f %12.2f %10.2f %10.2f %8.2f %10u", X.Bytes.mean(),
                 X.Bytes.Worst, X.Collectives / X.Plans,
                 double(X.Exchanges) / X.Plans, X.Peak.mean(), X.Peak.Worst,
                 X.Needless);
    if (O.Times)
      OS << format(" %9.1f", 1e6 * X.Seconds / X.Plans);
    OS << '\n';
  }

  const Shape &S;
  const DeviceMesh &M;
  const ReportOptions &O;
  raw_ostream &OS;
};

/// Where nothing becomes partial: what does costs nothing.
Pairs pairsInOrder(const std::vector<Layout> &All) {
  std::vector<Layout> InOrder;
  for (const Layout &L : All)
    if (all_of(L.Dims, [](const Axes &D) { return is_sorted(D); }))
      InOrder.push_back(L);
  Pairs Out;
  for (const Layout &A : InOrder)
    for (const Layout &B : InOrder)
      if (!(A == B) && B.Partial.empty())
        Out.emplace_back(A, B);
  return Out;
}

Pairs randomPairs(const std::vector<Layout> &All, unsigned Count) {
  std::mt19937 Generator(1);
  Pairs Out;
  while (Out.size() < Count) {
    const Layout &A = All[Generator() % All.size()];
    const Layout &B = All[Generator() % All.size()];
    if (!(A == B) && B.Partial.empty())
      Out.emplace_back(A, B);
  }
  return Out;
}

} // namespace

void reportGreedy(const ReportOptions &O, raw_ostream &OS) {
  const DeviceMesh M{{{"x", 2}, {"y", 4}, {"z", 8}}};
  for (const std::int64_t Size : {512, 64}) {
    const Shape S = {Size, Size, Size};
    const std::string Of = formatv("{0} x {0} x {0}", Size).str();
    for (const bool Partial : {false, true}) {
      // Without reductions there is nothing to weigh at any size.
      if (Size != 512 && !Partial)
        continue;
      const std::vector<Layout> All = allLayouts(3, M, Partial);
      Comparison Compare(S, M, O, OS);
      const std::string From = Of + (Partial ? ", from partial too" : "");
      Compare.run(From + ", axes in the order of the mesh", pairsInOrder(All));
      Compare.run(From + ", any order", randomPairs(All, O.RandomPairs));
    }
  }
  OS << "bytes: what the rank that receives most receives, as a multiple of "
        "the lower bound;\npeak: as a multiple of the larger of source and "
        "target; exchanges: collectives in which\na rank gets parts from "
        "several others; needless: plans with collectives where none is\n"
        "needed\n\n";
}

} // namespace spmd::planner
