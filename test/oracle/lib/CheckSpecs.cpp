//===- CheckSpecs.cpp - Shape rules, by numbers ---------------------------===//

#include "SpecTrial.h"

#include "spmd/oracle/NamedReference.h"

#include "spmd/oracle/CheckSpecs.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>

using namespace spmd::rules;

namespace spmd::oracle {

SpecCounts &SpecCounts::operator+=(const SpecCounts &O) {
  Calls += O.Calls;
  Assignments += O.Assignments;
  Accepted += O.Accepted;
  Wrong += O.Wrong;
  Rejected += O.Rejected;
  Imprecise += O.Imprecise;
  Undecided += O.Undecided;
  Gradients += O.Gradients;
  return *this;
}

llvm::StringRef kindName(SpecViolation::Kind K) {
  constexpr llvm::StringLiteral Names[] = {
      "rank",        "dimension",     "size",   "contraction",
      "addend",      "missing",       "order",  "repeated",
      "needs whole", "across a view", "uneven", "not partial"};
  return Names[static_cast<int>(K)];
}

namespace {

class Checker {
public:
  Checker(const SpecLimits &Limits, SpecCheck &Out)
      : Limits(Limits), Out(Out) {}

  void run(const SpecScenario &X, const DeviceMesh &M) {
    const SpecCounts Before = Out.Counts;
    ++Out.Counts.Calls;
    std::deque<SpecTrial> Trials;
    for (const std::vector<Shape> &Sizes : X.Sizes)
      Trials.emplace_back(X, Sizes, M);
    std::vector<std::vector<planner::Layout>> Choices;
    std::size_t All = 1;
    for (const Shape &S : X.Sizes[0]) {
      Choices.push_back(allLayouts(static_cast<unsigned>(S.size()), M));
      All *= Choices.back().size();
    }
    // An odd step, so that all operands come to have all of their layouts.
    const std::size_t Step =
        All <= Limits.Assignments ? 1 : All / Limits.Assignments | 1;
    for (std::size_t Code = 0; Code < All; Code += Step) {
      llvm::SmallVector<const planner::Layout *, 4> Layouts;
      std::size_t Rest = Code;
      for (const std::vector<planner::Layout> &C : Choices) {
        Layouts.push_back(&C[Rest % C.size()]);
        Rest /= C.size();
      }
      for (unsigned Wrapped = 0; Wrapped != 4; ++Wrapped) {
        DimAxes OutPartial;
        for (AxisId A = 0; A != 2; ++A)
          if (Wrapped >> A & 1)
            OutPartial.push_back(A);
        if (X.AsksForSizes)
          resized(X, M, Trials, Layouts, OutPartial);
        else
          judge(X, X.Call, M, Trials, Layouts, OutPartial);
      }
    }
    for (const SpecTrial &T : Trials)
      Out.Counts.Gradients += T.gradients();
    if (X.Call.Known && Out.Counts.Accepted == Before.Accepted &&
        Trials.front().isCall())
      wrong(X.Call.str() + " by \"" + printShapeRule(*X.Call.Op->Shape) +
            "\" is never accepted");
  }

  void wrong(std::string Text) {
    ++Out.Counts.Wrong;
    if (Out.Wrong.size() < 4)
      Out.Wrong.push_back(std::move(Text));
  }

private:
  /// What the first rank may ask for.
  void resized(const SpecScenario &X, const DeviceMesh &M,
               std::deque<SpecTrial> &Trials,
               llvm::ArrayRef<const planner::Layout *> Layouts,
               llvm::ArrayRef<AxisId> OutPartial) {
    for (std::size_t V = 0; V != Trials.size(); ++V) {
      const Tensor Local =
          shardOf(Tensor::zeros(X.Sizes[V][0]), *Layouts[0], M, 0);
      SpecCall Call = X.Call;
      const OpRule &Op = X.Call.Known ? *X.Call.Known : *X.Call.Op;
      const auto Asked = sizesToAskFor(*Op.Shape, Local.Dims);
      const std::size_t Step = Asked.size() / 12 + 1;
      for (std::size_t I = 0; I < Asked.size(); I += Step) {
        Call.Arguments = Asked[(I + V) % Asked.size()];
        judge(X, Call, M, Trials, Layouts, OutPartial, V);
      }
    }
  }

  /// With operands of all sizes, or of those of variant \p Only.
  void judge(const SpecScenario &X, const SpecCall &Call, const DeviceMesh &M,
             std::deque<SpecTrial> &Trials,
             llvm::ArrayRef<const planner::Layout *> Layouts,
             llvm::ArrayRef<AxisId> OutPartial,
             std::optional<std::size_t> Only = std::nullopt) {
    std::string Example;
    bool AllRight = true;
    for (std::size_t V = 0; V != Trials.size(); ++V) {
      if (Only && V != *Only)
        continue;
      const Outcome O = Trials[V].run(Call, Layouts, OutPartial);
      if (O.K == Outcome::Nothing)
        continue;
      ++Out.Counts.Assignments;
      Out.Counts.Undecided += O.K == Outcome::Undecided;
      Out.Counts.Accepted += O.K == Outcome::Accepted || O.K == Outcome::Wrong;
      Out.Counts.Rejected += O.K == Outcome::Rejected;
      if (O.K == Outcome::Wrong) {
        wrong(text(X, Call, V, M, Layouts, OutPartial) + ": " + O.Why);
      }
      if (O.K != Outcome::Rejected)
        continue;
      AllRight &= O.Right;
      if (O.Right && Example.empty()) {
        Example = text(X, Call, V, M, Layouts, OutPartial) + ": " + O.Why;
        Kind = llvm::StringRef(O.Why).split(" though ").first.str();
      }
    }
    // What has one element has it whole on some rank.
    if (Example.empty() || !AllRight || shardsOne(X.Sizes[0], Layouts))
      return;
    ++Out.Counts.Imprecise;
    auto &[Count, One] = Out.Imprecise[Kind];
    if (Count++ == 0)
      One = Example;
  }

  static bool shardsOne(const std::vector<Shape> &Sizes,
                        llvm::ArrayRef<const planner::Layout *> Layouts) {
    for (std::size_t I = 0; I != Sizes.size(); ++I)
      for (std::size_t D = 0; D != Sizes[I].size(); ++D)
        if (Sizes[I][D] == 1 && !Layouts[I]->Dims[D].empty())
          return true;
    return false;
  }

  static std::string text(const SpecScenario &X, const SpecCall &Call,
                          std::size_t Variant, const DeviceMesh &M,
                          llvm::ArrayRef<const planner::Layout *> Layouts,
                          llvm::ArrayRef<AxisId> OutPartial) {
    std::string Out =
        Call.str() + " by \"" + printShapeRule(*Call.Op->Shape) + "\" of ";
    for (std::size_t I = 0; I != Layouts.size(); ++I)
      Out += (I ? ", " : "") + print(*Layouts[I], X.Sizes[Variant][I], M);
    for (AxisId A : OutPartial)
      Out += std::string(" out_partial ") + static_cast<char>('a' + A);
    return Out + " on " + std::to_string(M.All[0].Size) + " x " +
           std::to_string(M.All[1].Size);
  }

  const SpecLimits &Limits;
  SpecCheck &Out;
  std::string Kind;
};

} // namespace

std::string specKey(const OpRule &Rule) {
  std::string Out = Rule.TermText + " = " + printShapeRule(*Rule.Shape);
  for (const RuleFormal &F : Rule.Formals)
    Out += F.Name + (F.Optional ? "?" : F.Variadic ? "*" : ".");
  if (const NamedReference *Known = namedReference(Rule))
    Out += " as " + Known->Key;
  return Out;
}

namespace {

/// Calls of \p One that its only alternative speaks of.
std::vector<SpecScenario> callsOf(const OpRule &One, const DeviceMesh &M) {
  return whyNotRun(*One.Shape).empty() ? scenariosOf(One, M.ranks())
                                       : std::vector<SpecScenario>();
}

} // namespace

SpecCheck checkSpecs(const OpRule &Rule, const SpecLimits &Limits) {
  SpecCheck Out;
  Checker C(Limits, Out);
  const NamedReference *Reference = namedReference(Rule);
  Out.Known = Reference;
  OpRule Known = Rule;
  for (const DeviceMesh &M : Limits.Meshes) {
    // Where it is known which calls there are, the rule has to do with them.
    if (Reference && !Reference->Computes) {
      for (const ShapeRule &S : Reference->Alternatives) {
        Known.Shape = S;
        for (SpecScenario &X : callsOf(Known, M)) {
          X.Call.Op = &Rule;
          X.Call.Known = &Known;
          C.run(X, M);
        }
      }
      continue;
    }
    for (const OpRule &One : alternativesOf(Rule))
      for (SpecScenario &X : callsOf(One, M)) {
        X.Call.Computes = Reference ? Reference->Computes : nullptr;
        C.run(X, M);
      }
  }
  if (Reference && Out.Counts.Accepted == 0)
    C.wrong(Rule.Name + " by \"" + printShapeRule(*Rule.Shape) +
            "\": no call of the op is accepted");
  return Out;
}

} // namespace spmd::oracle
