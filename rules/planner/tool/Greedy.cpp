//===- Greedy.cpp - The planner beside a greedy one and the bound ---------===//

#include "Report.h"

#include "spmd/planner/AllLayouts.h"
#include "spmd/planner/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>
#include <random>

using namespace llvm;

namespace spmd::planner {

namespace {

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

  void add(const Plan &Is, const Plan &Of) {
    constexpr double Rounding = 1 + 1e-9;
    Bytes += Is.Received > Of.Received * Rounding;
    Collectives += Is.Collectives > Of.Collectives;
    Time += Is.Seconds > Of.Seconds * Rounding;
    Peak += Is.Peak > Of.Peak;
  }
};

class Comparison {
public:
  Comparison(const Shape &S, const DeviceMesh &M, const ReportOptions &O,
             raw_ostream &OS)
      : S(S), M(M), O(O), OS(OS) {}

  void run(StringRef Title, const Pairs &All) {
    Score Ours, Baseline;
    Losses Balanced, OfLatency, OfBytes;
    Ratios Slower;
    // Where one thing is all that counts, there may be no more of it.
    const Link LatencyAlone = {1, 0}, BytesAlone = {0, 1};
    DeviceMesh Alike = M;
    for (DeviceMesh::Axis &A : Alike.All)
      A.Own.reset();
    for (const auto &[From, To] : All) {
      const Plan Mine = scored(
          Ours, From, To, [&] { return planRedistribution(From, To, S, M); });
      const Plan Theirs = scored(Baseline, From, To,
                                 [&] { return planGreedily(From, To, S, M); });
      Balanced.add(Mine, Theirs);
      if (Mine.Seconds > 0)
        Slower.add(Theirs.Seconds, Mine.Seconds);
      OfLatency.add(planRedistribution(From, To, S, Alike, LatencyAlone),
                    Theirs);
      OfBytes.add(planRedistribution(From, To, S, Alike, BytesAlone), Theirs);
    }
    OS << Title << ", " << All.size() << " pairs\n"
       << left_justify("", 10)
       << "bytes mean    worst  collectives  exchanges  peak mean    worst   "
          "needless"
       << (O.Times ? "   us/plan\n" : "\n");
    row("planned", Ours);
    row("greedy", Baseline);
    const auto Count = [&](unsigned Times, unsigned Alone) {
      OS << Times;
      if (Times)
        OS << " (" << Alone << " if all that counts)";
    };
    OS << "worse than greedy: time " << Balanced.Time << ", peak "
       << Balanced.Peak << ", bytes ";
    Count(Balanced.Bytes, OfBytes.Bytes);
    OS << ", collectives ";
    Count(Balanced.Collectives, OfLatency.Collectives);
    OS << format("\ntime of greedy: %.2f times as much, at most %.2f\n\n",
                 Slower.mean(), Slower.Worst);
  }

private:
  Plan scored(Score &Into, const Layout &From, const Layout &To,
              function_ref<Plan()> Run) const {
    // Of this process: others may use the machine.
    const std::clock_t Start = std::clock();
    Plan P = Run();
    Into.Seconds += static_cast<double>(std::clock() - Start) / CLOCKS_PER_SEC;
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
  const DeviceMesh Even{{{"x", 2}, {"y", 4}, {"z", 8}}};
  DeviceMesh Nodes = Even;
  Nodes.All[0].Own = Link{20e-6, 10 * Link().PerElement};
  const auto Run = [&](const DeviceMesh &M, std::int64_t Size, bool Partial,
                       StringRef Where) {
    const Shape S = {Size, Size, Size};
    const std::vector<Layout> All = allLayouts(3, M, Partial);
    Comparison Compare(S, M, O, OS);
    const std::string Of = formatv("{0} x {0} x {0}{1}{2}", Size, Where,
                                   Partial ? ", from partial too" : "");
    Compare.run(Of + ", axes in the order of the mesh", pairsInOrder(All));
    Compare.run(Of + ", any order", randomPairs(All, O.RandomPairs));
  };
  Run(Even, 512, false, "");
  Run(Even, 512, true, "");
  // Latency weighs more; without reductions there is nothing to weigh.
  Run(Even, 64, true, "");
  Run(Nodes, 512, true, ", x ten times slower");
  OS << "bytes: what the rank that receives most receives, as a multiple of "
        "the lower bound;\npeak: as a multiple of the larger of source and "
        "target; exchanges: collectives in which\na rank gets parts from "
        "several others; needless: plans with collectives where none is\n"
        "needed\n\n";
}

} // namespace spmd::planner
