//===- main.cpp - The planner beside a greedy one and the bound -----------===//
//
//   spmd-planner report [--pairs=N] [--times]
//
// All pairs of layouts in the order of the mesh, and random pairs in any order.
//
//===----------------------------------------------------------------------===//

#include "spmd/planner/AllLayouts.h"
#include "spmd/planner/Plan.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>
#include <random>

using namespace llvm;
using namespace spmd::planner;

namespace {

using Clock = std::chrono::steady_clock;

struct Ratios {
  double LogSum = 0, Worst = 1;
  unsigned Count = 0;
  void add(double Is, double Of) {
    const double R = Is / Of;
    LogSum += std::log(R);
    Worst = std::max(Worst, R);
    ++Count;
  }
  double mean() const { return Count ? std::exp(LogSum / Count) : 1; }
};

struct Score {
  Ratios Bytes, Peak;
  double Collectives = 0, Seconds = 0;
  unsigned Plans = 0, Needless = 0;
};

using Planner = Plan (*)(const Layout &, const Layout &, const Shape &,
                         const DeviceMesh &);

std::int64_t largestBlock(const Layout &L, const Shape &S,
                          const DeviceMesh &M) {
  std::int64_t Out = 0;
  for (const Block &B : blocksOf(L, S, M))
    Out = std::max(Out, B.size());
  return Out;
}

void addTo(Score &Into, Planner Run, const Layout &From, const Layout &To,
           const Shape &S, const DeviceMesh &M) {
  const Clock::time_point Start = Clock::now();
  const Plan P = Run(From, To, S, M);
  Into.Seconds += std::chrono::duration<double>(Clock::now() - Start).count();
  ++Into.Plans;
  Into.Collectives += P.Collectives;
  const double Bound = lowerBound(From, To, S, M);
  if (Bound > 0)
    Into.Bytes.add(P.Received, Bound);
  else
    Into.Needless += P.Collectives > 0;
  Into.Peak.add(static_cast<double>(P.Peak),
                static_cast<double>(std::max(largestBlock(From, S, M),
                                             largestBlock(To, S, M))));
}

bool WithTimes = false;

void row(StringRef What, const Score &S) {
  outs() << left_justify(What, 10)
         << format("%10.3f %8.2f %12.2f %10.2f %8.2f %10u", S.Bytes.mean(),
                   S.Bytes.Worst, S.Collectives / S.Plans, S.Peak.mean(),
                   S.Peak.Worst, S.Needless);
  if (WithTimes)
    outs() << format(" %9.1f", 1e6 * S.Seconds / S.Plans);
  outs() << '\n';
}

void compare(StringRef Title, ArrayRef<std::pair<Layout, Layout>> Pairs,
             const Shape &S, const DeviceMesh &M) {
  Score Ours, Baseline;
  for (const auto &[From, To] : Pairs) {
    addTo(
        Ours,
        [](const Layout &A, const Layout &B, const Shape &Sizes,
           const DeviceMesh &On) {
          return planRedistribution(A, B, Sizes, On);
        },
        From, To, S, M);
    addTo(Baseline, planGreedily, From, To, S, M);
  }
  outs() << Title << ", " << Pairs.size() << " pairs\n"
         << left_justify("", 10)
         << "bytes mean    worst  collectives  peak mean    worst   needless"
         << (WithTimes ? "   us/plan\n" : "\n");
  row("planned", Ours);
  row("greedy", Baseline);
  outs() << '\n';
}

int report(unsigned Random) {
  const DeviceMesh M{{{"x", 2}, {"y", 4}, {"z", 8}}};
  const Shape S = {512, 512, 512};
  std::vector<Layout> InOrder, All;
  for (bool Partial : {false, true}) {
    All = allLayouts(3, M, Partial);
    InOrder.clear();
    for (const Layout &L : All)
      if (all_of(L.Dims, [](const Axes &D) { return is_sorted(D); }))
        InOrder.push_back(L);
    std::vector<std::pair<Layout, Layout>> Pairs;
    for (const Layout &A : InOrder)
      for (const Layout &B : InOrder)
        if (!(A == B) && (!Partial || B.Partial.empty()))
          Pairs.emplace_back(A, B);
    compare(Partial ? "from partial too, axes in the order of the mesh"
                    : "axes in the order of the mesh",
            Pairs, S, M);
    std::mt19937 Generator(1);
    Pairs.clear();
    while (Pairs.size() < Random) {
      const Layout &A = All[Generator() % All.size()];
      const Layout &B = All[Generator() % All.size()];
      if (!(A == B) && B.Partial.empty())
        Pairs.emplace_back(A, B);
    }
    compare(Partial ? "from partial too, any order" : "any order", Pairs, S, M);
  }
  outs() << "bytes: what the rank that receives most receives, as a multiple "
            "of the lower bound;\npeak: as a multiple of the larger of source "
            "and target; needless: plans with\ncollectives where none is "
            "needed\n";
  return 0;
}

} // namespace

int main(int Argc, char **Argv) {
  unsigned Random = 2000;
  bool Bad = Argc < 2 || StringRef(Argv[1]) != "report";
  for (int I = 2; I < Argc; ++I) {
    StringRef Option = Argv[I];
    if (Option == "--times")
      WithTimes = true;
    else
      Bad |=
          !Option.consume_front("--pairs=") || Option.getAsInteger(10, Random);
  }
  if (Bad) {
    errs() << "usage: spmd-planner report [--pairs=N] [--times]\n";
    return 2;
  }
  return report(Random);
}
