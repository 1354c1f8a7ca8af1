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

namespace {

/// Ranks that differ from one on some axes of a dim alone.
struct Neighbours {
  struct Digit {
    int Size, Stride;
  };
  ShortVector<Digit, 3> Digits;
  ShortVector<int, 16> Offsets; ///< from the one that is 0 on those axes

  Neighbours(const DeviceMesh &M, const Axes &Of) : Offsets({0}) {
    for (AxisIndex A : Of) {
      Digit X{M.All[A].Size, 1};
      for (std::size_t I = A + 1; I != M.All.size(); ++I)
        X.Stride *= M.All[I].Size;
      const std::size_t Before = Offsets.size();
      for (int At = 1; At < X.Size; ++At)
        for (std::size_t I = 0; I != Before; ++I)
          Offsets.push_back(Offsets[I] + At * X.Stride);
      Digits.push_back(X);
    }
  }

  int first(int Rank) const {
    int Out = Rank;
    for (const Digit &X : Digits)
      Out -= Rank / X.Stride % X.Size * X.Stride;
    return Out;
  }
};

/// How many elements of \p Wanted, which is \p Rank's, none of its neighbours
/// has. An axis shards one dim: what they have together is a product.
std::int64_t lacking(int Rank, const std::vector<Neighbours> &ByDim,
                     const Block &Wanted, const Blocks &Held) {
  std::int64_t Found = 1;
  for (std::size_t D = 0; D != ByDim.size() && Found; ++D) {
    const auto [Begin, End] = Wanted.Dims[D];
    const int First = ByDim[D].first(Rank);
    std::int64_t InDim = 0;
    for (int Offset : ByDim[D].Offsets) {
      const auto &Has = Held[static_cast<std::size_t>(First + Offset)].Dims[D];
      InDim += std::max<std::int64_t>(0, std::min(Has.second, End) -
                                             std::max(Has.first, Begin));
    }
    Found *= InDim;
  }
  return Wanted.size() - Found;
}

} // namespace

double Costs::ofExchange(const Axes &Over, double Received, const Layout &Now,
                         const Blocks &Held, const Blocks &Next) const {
  if (Levels.size() == 1)
    return latency(Over) + of(0).PerElement * Received;
  // By level: who is reached on faster links than its own.
  std::vector<std::vector<Neighbours>> Near(Levels.size());
  Axes Faster;
  for (std::size_t L = Levels.size(); L-- > 0;) {
    for (const Axes &Of : Now.Dims) {
      Axes InDim;
      for (AxisIndex A : Of)
        if (contains(Faster, A))
          InDim.push_back(A);
      Near[L].emplace_back(M, InDim);
    }
    Faster.append(Levels[L].begin(), Levels[L].end());
  }
  double Most = 0;
  for (std::size_t R = 0; R != Next.size(); ++R) {
    double Seconds = 0;
    std::int64_t Slower = 0;
    for (std::size_t L = 0; L != Levels.size(); ++L) {
      const std::int64_t Lack =
          lacking(static_cast<int>(R), Near[L], Next[R], Held);
      Seconds +=
          of(Levels[L].front()).PerElement * static_cast<double>(Lack - Slower);
      Slower = Lack;
    }
    Most = std::max(Most, Seconds);
  }
  return latency(Over) + Most;
}

} // namespace spmd::planner
