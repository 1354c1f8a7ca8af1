//===- ReshardTogether.cpp - Repairs that move several operands -----------===//

#include "ReshardTogether.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

namespace {

class Together {
public:
  Together(const Violation &V, const OperandLayouts &S, const AxisLinks &Links,
           const ReshardTrial &Trial, Candidates &All, Candidates &Progress)
      : V(V), S(S), Links(Links), Trial(Trial), All(All), Progress(Progress),
        Values(All.values()) {}

  /// What gets whole is \p Whole.
  void add(LocalType As) {
    Whole = As;
    const std::size_t Before = All.count();
    addAlike();
    if (All.count() != Before)
      return;
    findOptions();
    TriesLeft = 4000;
    for (unsigned Count = 2; Count <= Values.size() && All.count() == Before;
         ++Count) {
      ReshardTrial::Changes Now(Values.size());
      choose(0, Count, Now);
    }
  }

private:
  /// The axis that is wrong, and one that shards the same factor.
  llvm::SmallVector<AxisId, 2> ofFactor() const {
    llvm::SmallVector<AxisId, 2> Out = {*Op.Axis};
    const FactorRule &Rule = Op.Rule;
    for (unsigned I = 0; Op.Factor && I != Values.size(); ++I)
      for (unsigned D = 0; Values[I] && D != Rule.Operands[I].size(); ++D)
        if (hasFactor(I, D))
          for (AxisId A : Values[I]->axes(D))
            if (Out.size() < 2 && !llvm::is_contained(Out, A) &&
                llvm::is_contained(S.Global, A))
              Out.push_back(A);
    return Out;
  }

  bool hasFactor(unsigned I, unsigned Dim) const {
    return !Op.Factor ||
           llvm::is_contained(Op.Rule.Operands[I][Dim], *Op.Factor);
  }
  /// As each of what is put together has.
  bool hasWholeFactor(unsigned I, unsigned Dim) const {
    return llvm::any_of(Op.Rule.Operands[I][Dim],
                        [&](unsigned F) { return Op.Rule.Factors[F].Whole; });
  }

  /// All operands of which the axis shards the factor, or another that must be
  /// whole, in one way: whole, or in one other dim.
  void addAlike() {
    const AxisId A = *Op.Axis;
    std::vector<Placement> Moved;
    llvm::SmallVector<unsigned, 4> Who;
    for (unsigned I = 0; I != Values.size(); ++I)
      if (const auto D = Values[I] ? Values[I]->Spec.dimOf(A) : std::nullopt;
          D && isMovable(I) && (hasFactor(I, *D) || hasWholeFactor(I, *D))) {
        Who.push_back(I);
        Moved.push_back(*Values[I]);
        Moved.back().unshard(A, Whole);
      }
    if (Who.size() < 2)
      return;
    const std::vector<Placement> Gathered = Moved;
    ReshardTrial::Changes Now(Values.size());
    for (std::size_t N = 0; N != Who.size(); ++N)
      Now[Who[N]] = &Moved[N];
    consider(Now);
    for (unsigned D = 0; llvm::all_of(
             Gathered, [&](const Placement &P) { return D < P.Spec.rank(); });
         ++D) {
      for (std::size_t N = 0; N != Who.size(); ++N) {
        Moved[N] = Gathered[N];
        Moved[N].shard(A, D);
      }
      consider(Now);
    }
  }

  bool isMovable(unsigned I) const {
    const auto &Fact = std::get<OpFact>(*V.Cause);
    return Values[I] && !Fact.Operands[I].Scalar && !V.Operands[I].Written;
  }

  void findOptions() {
    Options.assign(Values.size(), {});
    for (unsigned I = 0; I != Values.size(); ++I) {
      if (!isMovable(I))
        continue;
      llvm::SmallVector<AxisId, 2> Over;
      for (AxisId A : ofFactor())
        if (const auto Is = Values[I]->typeOn(A); Is && *Is != LocalType::P)
          Over.push_back(A);
      for (Placement &To : placementsOn(*Values[I], Over, Whole))
        if (!To.sameAs(*Values[I]))
          Options[I].push_back(std::move(To));
    }
  }

  /// Of the operands from \p I on, \p Count change.
  void choose(unsigned I, unsigned Count, ReshardTrial::Changes &Now) {
    if (Options.size() - I < Count || TriesLeft == 0)
      return;
    if (Count == 0) {
      --TriesLeft;
      return consider(Now);
    }
    choose(I + 1, Count, Now);
    for (const Placement &To : Options[I]) {
      Now[I] = &To;
      choose(I + 1, Count - 1, Now);
    }
    Now[I] = nullptr;
  }

  void consider(const ReshardTrial::Changes &Now) {
    const bool IsRight = Trial.isRight(Now);
    if (!IsRight && !Trial.isRightOnAxis(Now))
      return;
    Candidates &Into = IsRight ? All : Progress;
    const std::vector<Candidate> Best = partsOf(Now, /*StepByStep=*/false);
    if (!Best.empty())
      Into.addTogether(Best);
    // What goes at once takes a mesh that the function can name.
    if (llvm::any_of(Best, [](const Candidate &C) { return !!C.R.FromType; }))
      if (const auto Steps = partsOf(Now, /*StepByStep=*/true); !Steps.empty())
        Into.addTogether(Steps);
  }

  /// The best way for each operand; none if there is none for one of them.
  std::vector<Candidate> partsOf(const ReshardTrial::Changes &Now,
                                 bool StepByStep) const {
    std::vector<Candidate> Parts;
    for (unsigned I = 0; I != Now.size(); ++I) {
      if (!Now[I])
        continue;
      Candidate C;
      C.R.Operand = I;
      C.Invariant = Whole == LocalType::I;
      Candidates One(V, S, Links);
      One.add(std::move(C), *One.values()[I], *Now[I]);
      auto Best = One.best(StepByStep);
      if (!Best)
        return {};
      Parts.push_back(std::move(*Best));
    }
    return Parts;
  }

  const Violation &V;
  const SpecViolation &Op = *shardsOfOp(V);
  const OperandLayouts &S;
  const AxisLinks &Links;
  const ReshardTrial &Trial;
  Candidates &All, &Progress;
  llvm::ArrayRef<std::optional<Placement>> Values;
  LocalType Whole = LocalType::R;
  std::vector<std::vector<Placement>> Options; ///< by operand
  unsigned TriesLeft = 0;
};

} // namespace

void addTogether(const Violation &V, const OperandLayouts &S,
                 const AxisLinks &Links, const ReshardTrial &Trial,
                 Candidates &All, Candidates &Progress) {
  Together Search(V, S, Links, Trial, All, Progress);
  Search.add(LocalType::R);
  Search.add(LocalType::I);
}

} // namespace spmd::fixits
