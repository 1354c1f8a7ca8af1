//===- Simulate.cpp - A plan on simulated ranks ---------------------------===//

#include "spmd/planner/Plan.h"
#include "spmd/planner/Specs.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <random>

namespace spmd::planner {

namespace {

using Point = llvm::SmallVector<std::int64_t, 4>;
/// What one rank has, by element.
using Elements = std::map<Point, std::int64_t>;

void eachPoint(const Block &B, llvm::function_ref<void(const Point &)> Visit) {
  if (B.size() == 0)
    return;
  Point P;
  for (auto [Begin, End] : B.Dims)
    P.push_back(Begin);
  for (;;) {
    Visit(P);
    std::size_t D = P.size();
    while (D-- != 0) {
      if (++P[D] != B.Dims[D].second)
        break;
      P[D] = B.Dims[D].first;
    }
    if (D == static_cast<std::size_t>(-1))
      return;
  }
}

class Simulation {
public:
  Simulation(const Layout &From, const Shape &S, const DeviceMesh &M)
      : S(S), M(M), Now(From), Held(static_cast<std::size_t>(M.ranks())) {
    // A value depends on the element and on the axes on which it is a part of
    // a sum, and on no other.
    const Blocks B = blocksOf(From, S, M);
    for (int R = 0; R != M.ranks(); ++R)
      eachPoint(B[index(R)], [&](const Point &P) {
        std::uint64_t Seed = 1;
        for (std::int64_t X : P)
          Seed = Seed * 31 + static_cast<std::uint64_t>(X);
        for (AxisIndex A : From.Partial)
          Seed = Seed * 31 + static_cast<std::uint64_t>(M.coordinate(R, A));
        Held[index(R)][P] = static_cast<std::int64_t>(
            std::minstd_rand(static_cast<unsigned>(Seed))() % 1000);
      });
  }

  std::string run(const Step &X) {
    std::vector<Elements> Next(Held.size());
    const Blocks Wanted = blocksOf(X.After, S, M);
    std::int64_t Most = 0;
    for (int R = 0; R != M.ranks(); ++R) {
      std::int64_t Received = 0;
      std::string Wrong;
      eachPoint(Wanted[index(R)], [&](const Point &P) {
        if (!Wrong.empty())
          return;
        const auto V = value(X, R, P, Received);
        if (!V)
          Wrong = std::string(stepName(X.K)) + ": rank " + std::to_string(R) +
                  " finds no one with an element that it needs";
        else
          Next[index(R)][P] = *V;
      });
      if (!Wrong.empty())
        return Wrong;
      Most = std::max(Most, Received);
    }
    const bool Reduces =
        X.K == StepKind::ReduceScatter || X.K == StepKind::AllReduce;
    if (!Reduces && static_cast<double>(Most) != X.Received)
      return std::string(stepName(X.K)) + " receives " + std::to_string(Most) +
             " elements, not " + std::to_string(X.Received);
    Held = std::move(Next);
    Now = X.After;
    return {};
  }

  /// By element: what the ranks together mean, or nothing when replicas differ.
  std::optional<Elements> meaning() const {
    Elements Out;
    std::map<std::pair<Point, Point>, std::int64_t> Parts;
    for (int R = 0; R != M.ranks(); ++R)
      for (const auto &[P, V] : Held[index(R)]) {
        Point Part;
        for (AxisIndex A : Now.Partial)
          Part.push_back(M.coordinate(R, A));
        const auto [It, New] = Parts.try_emplace({P, Part}, V);
        if (!New && It->second != V)
          return std::nullopt;
      }
    for (const auto &[Key, V] : Parts)
      Out[Key.first] += V;
    return Out;
  }

  const Layout &layout() const { return Now; }

private:
  static std::size_t index(int R) { return static_cast<std::size_t>(R); }

  bool differOnlyOn(int A, int B, const Axes &Over) const {
    for (AxisIndex X = 0; X != M.All.size(); ++X)
      if (!llvm::is_contained(Over, X) &&
          M.coordinate(A, X) != M.coordinate(B, X))
        return false;
    return true;
  }

  std::optional<std::int64_t> at(int R, const Point &P) const {
    const auto It = Held[index(R)].find(P);
    return It == Held[index(R)].end() ? std::nullopt
                                      : std::optional(It->second);
  }

  std::optional<std::int64_t> value(const Step &X, int R, const Point &P,
                                    std::int64_t &Received) const {
    if (X.K == StepKind::ReduceScatter || X.K == StepKind::AllReduce) {
      std::int64_t Sum = 0;
      for (int Other = 0; Other != M.ranks(); ++Other)
        if (differOnlyOn(R, Other, X.Over)) {
          const auto V = at(Other, P);
          if (!V)
            return std::nullopt;
          Sum += *V;
        }
      return Sum;
    }
    if (X.K == StepKind::ToPartial) {
      // One of those with the same element keeps it.
      for (AxisIndex A : X.Over)
        if (!Now.shards(A) && M.coordinate(R, A) != 0)
          return 0;
      return at(R, P).value_or(0);
    }
    if (const auto Own = at(R, P))
      return Own;
    ++Received;
    for (int Other = 0; Other != M.ranks(); ++Other)
      if (differOnlyOn(R, Other, X.Over))
        if (const auto V = at(Other, P))
          return V;
    return std::nullopt;
  }

  const Shape &S;
  const DeviceMesh &M;
  Layout Now;
  std::vector<Elements> Held;
};

} // namespace

std::string simulate(const Plan &P, const Layout &From, const Layout &To,
                     const Shape &S, const DeviceMesh &M) {
  Simulation Run(From, S, M);
  const auto Before = Run.meaning();
  for (const Step &X : P.Steps)
    if (std::string Wrong = Run.run(X); !Wrong.empty())
      return Wrong;
  if (!(Run.layout() == To))
    return "ends at " + print(Run.layout(), S, M);
  const auto After = Run.meaning();
  if (!After)
    return "ranks with the same element hold different values";
  return *After == *Before ? "" : "the result means something else";
}

} // namespace spmd::planner
