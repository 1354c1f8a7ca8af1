//===- Cost.cpp - What a step takes on links of several speeds ------------===//

#include "Cost.h"

namespace spmd::planner {

Costs::Costs(const DeviceMesh &M, const Link &Everywhere)
    : M(M), Everywhere(Everywhere) {
  Axes All;
  for (AxisIndex A = 0; A != M.All.size(); ++A)
    All.push_back(A);
  std::sort(All.begin(), All.end(), [&](AxisIndex A, AxisIndex B) {
    return std::pair(of(B).PerElement, A) < std::pair(of(A).PerElement, B);
  });
  Levels.emplace_back();
  for (AxisIndex A : All) {
    if (!Levels.back().empty() &&
        of(Levels.back().front()).PerElement != of(A).PerElement)
      Levels.emplace_back();
    Levels.back().push_back(A);
  }
  Best = All.empty() ? Everywhere : of(All.front());
  for (AxisIndex A : All) {
    Best.Latency = std::min(Best.Latency, of(A).Latency);
    Best.PerElement = std::min(Best.PerElement, of(A).PerElement);
  }
}

double Costs::atLeast(double Received) const {
  return Best.Latency + Best.PerElement * Received;
}

const Link &Costs::of(AxisIndex A) const {
  return M.All[A].Own ? *M.All[A].Own : Everywhere;
}

double Costs::latency(const Axes &Over) const {
  double Out = 0;
  for (AxisIndex A : Over)
    Out = std::max(Out, of(A).Latency);
  return Out;
}

double Costs::ofRing(const Axes &Over, double Received) const {
  double Out = latency(Over);
  // Of the N - 1 parts that a rank gets, the slowest level brings one from
  // each of its other places, the next one as many more for each of those.
  const double Parts = M.sizeOf(Over) - 1;
  double Slower = 1;
  for (const Axes &Level : Levels) {
    double Size = 1;
    for (AxisIndex A : Level)
      if (contains(Over, A))
        Size *= M.All[A].Size;
    if (Size != 1)
      Out +=
          of(Level.front()).PerElement * Received * Slower * (Size - 1) / Parts;
    Slower *= Size;
  }
  return Out;
}

std::int64_t Costs::lacking(int Rank, std::size_t Level, const Block &Wanted,
                            const Layout &Now, const Blocks &Held) const {
  const auto IsFaster = [&](AxisIndex A) {
    return std::any_of(Levels.begin() + Level + 1, Levels.end(),
                       [&](const Axes &Faster) { return contains(Faster, A); });
  };
  // An axis shards one dim: what the ranks have together is a product.
  std::int64_t Found = 1;
  for (std::size_t D = 0; D != Now.Dims.size(); ++D) {
    std::int64_t InDim = 0;
    ShortVector<int, 16> Ranks = {Rank};
    for (AxisIndex A : Now.Dims[D]) {
      if (!IsFaster(A))
        continue;
      int Stride = 1;
      for (std::size_t I = A + 1; I != M.All.size(); ++I)
        Stride *= M.All[I].Size;
      for (std::size_t I = 0, E = Ranks.size(); I != E; ++I) {
        const int At = M.coordinate(Ranks[I], A);
        for (int Other = 0; Other != M.All[A].Size; ++Other)
          if (Other != At)
            Ranks.push_back(Ranks[I] + (Other - At) * Stride);
      }
    }
    for (int R : Ranks) {
      const auto [Begin, End] = Held[static_cast<std::size_t>(R)].Dims[D];
      InDim +=
          std::max<std::int64_t>(0, std::min(End, Wanted.Dims[D].second) -
                                        std::max(Begin, Wanted.Dims[D].first));
    }
    Found *= InDim;
  }
  return Wanted.size() - Found;
}

double Costs::ofExchange(const Axes &Over, double Received, const Layout &Now,
                         const Blocks &Held, const Blocks &Next) const {
  if (Levels.size() == 1)
    return latency(Over) + of(0).PerElement * Received;
  double Most = 0;
  for (std::size_t R = 0; R != Next.size(); ++R) {
    double Seconds = 0;
    std::int64_t Slower = 0;
    for (std::size_t L = 0; L != Levels.size(); ++L) {
      const std::int64_t Lack =
          lacking(static_cast<int>(R), L, Next[R], Now, Held);
      Seconds +=
          of(Levels[L].front()).PerElement * static_cast<double>(Lack - Slower);
      Slower = Lack;
    }
    Most = std::max(Most, Seconds);
  }
  return latency(Over) + Most;
}

} // namespace spmd::planner
