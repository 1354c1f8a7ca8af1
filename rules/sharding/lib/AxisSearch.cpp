//===- AxisSearch.cpp - A few axes of many at a time ----------------------===//
//
// With three axes and more an op can be run in hundreds of ways, and the pairs
// of types that a value is redistributed between are tens of thousands. So a
// start is looked for among the assignments in which neighbouring axes do the
// same, as if they were one: one axis for all, then two. After that one axis,
// or two, are free beside what the others do, as long as that helps. Each of
// these is solved exactly.
//
//===----------------------------------------------------------------------===//

#include "spmd/sharding/Search.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::planner;

namespace spmd::sharding {

namespace {

/// Over all pairs of axes.
constexpr unsigned MostRounds = 4;

class AxisSearch {
public:
  AxisSearch(const Problem &P, const CostModel &Costs, double PerByte,
             const SearchLimits &Limits)
      : P(P), Costs(Costs), PerByte(PerByte), Limits(Limits) {
    for (AxisIndex A = 0; A != Costs.Mesh.All.size(); ++A)
      if (Costs.Mesh.All[A].Size > 1)
        Mine.push_back(A);
    for (const Choice &C : P.choices()) {
      Codes.emplace_back();
      for (const Strategy &S : C.Options)
        Codes.back().push_back(codesOf(S));
    }
  }

  std::vector<unsigned> run(const std::vector<unsigned> *Start) {
    if (Start) {
      Best = *Start;
      Cost = costOf(Best);
    } else {
      start();
    }
    improve(Start ? 1 : MostRounds);
    // Seldom the better start, but nobody wants less.
    if (!Start && consider(bestDataParallel(P, Costs, PerByte, Limits)))
      improve(MostRounds);
    return Best;
  }

private:
  /// By axis: what it does in each type of a strategy.
  using Code = llvm::SmallVector<std::uint8_t, 4>;
  std::vector<Code> codesOf(const Strategy &S) const {
    std::vector<Code> Out;
    for (AxisIndex A : Mine) {
      Code Here;
      const auto Add = [&](const ValueType &T) {
        for (std::size_t D = 0; D != T.Where.Dims.size(); ++D)
          if (llvm::is_contained(T.Where.Dims[D], A))
            return Here.push_back(static_cast<std::uint8_t>(8 + D));
        Here.push_back(static_cast<std::uint8_t>(T.on(A)));
      };
      llvm::for_each(S.Wanted, Add);
      Add(S.Made);
      Out.push_back(std::move(Here));
    }
    return Out;
  }
  const Code &code(unsigned C, unsigned O, std::size_t A) const {
    return Codes[C][O][A];
  }

  double costOf(const std::vector<unsigned> &C) const {
    return P.timeOf(C) + PerByte * P.memoryOf(C);
  }
  std::optional<std::vector<unsigned>>
  solve(llvm::function_ref<bool(unsigned, unsigned)> Keep) const {
    return bestAmong(P, PerByte, Limits,
                     Best.empty() ? Need::Begins : Need::Improves, Keep);
  }

  /// The first \p Split axes do the same, and so do the others: as far as
  /// annotations let them.
  void start() {
    for (std::size_t Split = 0; Split != Mine.size(); ++Split) {
      const auto Differ = [&](unsigned C, unsigned O) {
        unsigned Out = 0;
        for (std::size_t A = 1; A != Mine.size(); ++A)
          Out += A != Split && code(C, O, A) != code(C, O, A - 1);
        return Out;
      };
      std::vector<unsigned> Least;
      for (unsigned C = 0; C != Codes.size(); ++C) {
        Least.push_back(~0u);
        for (unsigned O = 0; O != Codes[C].size(); ++O)
          Least.back() = std::min(Least.back(), Differ(C, O));
      }
      consider(solve(
          [&](unsigned C, unsigned O) { return Differ(C, O) == Least[C]; }));
    }
    if (Best.empty() || Cost >= Forbidden)
      consider(P.oneByOne(PerByte));
  }

  void improve(unsigned Rounds) {
    for (unsigned Round = 0; Round != Rounds; ++Round) {
      while (freeEach())
        ;
      if (Rounds == 1 || !freePairs())
        break;
    }
  }

  bool consider(std::optional<std::vector<unsigned>> Found) {
    if (!Found)
      return false;
    const double Here = costOf(*Found);
    if (!Best.empty() && Here >= Cost * (1 - 1e-9))
      return false;
    Best = std::move(*Found);
    Cost = Here;
    return true;
  }

  /// The others as they are.
  bool free(std::size_t A, std::size_t B) {
    return consider(solve([&](unsigned C, unsigned O) {
      for (std::size_t X = 0; X != Mine.size(); ++X)
        if (X != A && X != B && code(C, O, X) != code(C, Best[C], X))
          return false;
      return true;
    }));
  }
  bool freeEach() {
    bool Any = false;
    for (std::size_t A = 0; A != Mine.size(); ++A)
      Any |= free(A, A);
    return Any;
  }
  bool freePairs() {
    bool Any = false;
    for (std::size_t A = 0; A != Mine.size(); ++A)
      for (std::size_t B = A + 1; B != Mine.size(); ++B)
        Any |= free(A, B);
    return Any;
  }

  const Problem &P;
  const CostModel &Costs;
  double PerByte;
  const SearchLimits &Limits;
  Axes Mine; ///< with more than one rank
  std::vector<std::vector<std::vector<Code>>> Codes;
  std::vector<unsigned> Best;
  double Cost = 0;
};

} // namespace

std::vector<unsigned> searchByAxes(const Problem &P, const CostModel &Costs,
                                   double PerByte, const SearchLimits &Limits,
                                   const std::vector<unsigned> *Start) {
  return AxisSearch(P, Costs, PerByte, Limits).run(Start);
}

} // namespace spmd::sharding
