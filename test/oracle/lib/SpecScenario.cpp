//===- SpecScenario.cpp - Calls to try a shape rule with ------------------===//

#include "LayerScenario.h"
#include "SpecArguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using T = ShapeTerm;
//===--- Shapes -----------------------------------------------------------===//

/// Sizes of factors. All ranks have the same of the first; of the others, some
/// have more, less or nothing.
std::vector<Shape> factorSizes(int Ranks) {
  return {{Ranks, Ranks, Ranks, Ranks, Ranks, Ranks, Ranks, Ranks},
          {3, 5, 2, 4, 3, 2, 2, 2},
          {5, 2, 3, 3, 2, 4, 2, 2}};
}

class Scenarios {
public:
  Scenarios(const OpRule &Rule, int Ranks)
      : Rule(Rule), S(*Rule.Shape), Variants(factorSizes(Ranks)) {}

  std::vector<SpecScenario> all() {
    if (!S.Notations.empty())
      notation();
    else
      term();
    // A call without tensors has no specs.
    llvm::erase_if(
        Out, [](const SpecScenario &X) { return X.Call.FormalOf.empty(); });
    return std::move(Out);
  }

private:
  /// The position of a formal in the alternative.
  std::optional<unsigned> positionOf(unsigned Formal) const {
    if (S.Of.empty())
      return Formal;
    for (unsigned P = 0; P != S.Of.size(); ++P)
      if (S.Of[P].Name == Rule.Formals[Formal].Name)
        return P;
    return std::nullopt;
  }

  //===--- Notations ------------------------------------------------------===//

  void notation() {
    const FactorNotation &N = S.Notations.front();
    for (int Batch : {0, 1, 2}) {
      if (Batch && llvm::none_of(N.Operands, hasBatch))
        continue;
      notation(N, Batch, std::nullopt);
      // Operands that are repeated along a dim that another one has.
      for (unsigned P = 0; P != N.Operands.size(); ++P)
        for (unsigned D = 0; D != N.Operands[P].size(); ++D)
          if (isShared(N, P, N.Operands[P][D], Batch))
            notation(N, Batch, std::pair(P, D));
    }
  }
  static bool isShared(const FactorNotation &N, unsigned P, const FactorDim &D,
                       int Batch) {
    if (D.K == FactorDim::Kind::One || D.Factors.size() > 1 ||
        (D.K == FactorDim::Kind::Ellipsis && Batch == 0))
      return false;
    for (unsigned O = 0; O != N.Operands.size(); ++O)
      if (O != P && llvm::is_contained(N.Operands[O], D))
        return true;
    return false;
  }
  static bool hasBatch(const FactorTensor &T) {
    return llvm::any_of(
        T, [](const FactorDim &D) { return D.K == FactorDim::Kind::Ellipsis; });
  }

  void notation(const FactorNotation &N, int Batch,
                std::optional<std::pair<unsigned, unsigned>> One) {
    SpecScenario X;
    X.Call.Op = &Rule;
    X.Sizes.resize(Variants.size());
    std::map<std::string, unsigned> Ids;
    for (unsigned F = 0; F != Rule.Formals.size(); ++F) {
      const auto P = positionOf(F);
      if (!P || *P >= N.Operands.size()) {
        if (P || Rule.Formals[F].Optional)
          continue;
        operand(X, F, {}, {}); // plays some part
        continue;
      }
      const FactorTensor &Dims = N.Operands[*P];
      if (Dims.empty() && Rule.Formals[F].Optional)
        continue;
      for (std::size_t V = 0; V != Variants.size(); ++V) {
        Shape Sizes;
        for (const FactorDim &D : Dims) {
          const bool IsOne =
              One == std::pair(*P, static_cast<unsigned>(&D - Dims.data()));
          if (D.K == FactorDim::Kind::Ellipsis) {
            for (int B = 0; B != Batch; ++B)
              Sizes.push_back(
                  IsOne && B == 0 ? 1 : Variants[V][static_cast<unsigned>(B)]);
            continue;
          }
          Sizes.push_back(1);
          for (const FactorUse &U : D.Factors) {
            const unsigned Id =
                Ids.try_emplace(U.Name,
                                static_cast<unsigned>(Batch + Ids.size()))
                    .first->second;
            // The inner part of a dim is what the reference takes it for.
            const bool Inner = &U != D.Factors.begin();
            const bool Small = Inner || (U.Mark && Dims.size() > 4);
            Sizes.back() *= IsOne ? 1 : Small ? 2 : Variants[V][Id % 8];
          }
        }
        // More would be too many elements.
        if (Sizes.size() > (N.Operands.size() == 1 ? 5 : 4))
          return;
        X.Sizes[V].push_back(std::move(Sizes));
      }
      X.Call.FormalOf.push_back(F);
      X.PositionsOf.emplace_back();
    }
    Out.push_back(std::move(X));
  }

  //===--- Terms ----------------------------------------------------------===//

  /// One operand with the factors \p Dims; -1 is a dim of size one.
  void operand(SpecScenario &X, unsigned Formal, const Index &Dims,
               std::optional<int> PositionsOf) {
    X.Sizes.resize(Variants.size());
    for (std::size_t V = 0; V != Variants.size(); ++V) {
      Shape Sizes;
      for (int D : Dims)
        Sizes.push_back(D < 0 ? 1 : Variants[V][static_cast<unsigned>(D)]);
      X.Sizes[V].push_back(std::move(Sizes));
    }
    X.Call.FormalOf.push_back(Formal);
    X.PositionsOf.push_back(PositionsOf);
  }

  /// The formals of a call, a list as two; spoken of or not.
  struct Actual {
    unsigned Formal;
    std::optional<unsigned> Position;
  };
  std::vector<Actual> actuals(bool WithOptional) const {
    const bool OfFirst = SpecCall{&Rule, {0}, {}}.spoken().size() == 1 &&
                         S.Of.empty() && isOfFirst();
    std::vector<Actual> All;
    for (unsigned F = 0; F != Rule.Formals.size(); ++F) {
      auto P = positionOf(F);
      if (OfFirst && F != 0)
        P = std::nullopt;
      const bool Asked = !S.Of.empty() && P && !S.Of[*P].Optional;
      if (Rule.Formals[F].Optional && !WithOptional && !Asked)
        continue;
      if (Rule.Formals[F].Optional && !P)
        continue;
      // The elements of lists go together: one stands for each.
      const bool IsList = Rule.Formals[F].Variadic && S.Term != T::Each;
      for (int Copy = 0; Copy != (IsList ? 2 : 1); ++Copy)
        All.push_back({F, P});
    }
    return All;
  }
  bool isOfFirst() const {
    return !llvm::is_contained(
        {T::Elementwise, T::Each, T::Concat, T::Insert, T::Gather, T::Lookup,
         T::Index, T::Put, T::Scatter, T::Batch, T::Like, T::Loss, T::Whole},
        S.Term);
  }

  void term() {
    if (S.Term == T::Index || S.Term == T::Put)
      return points();
    const std::vector<Actual> Required = actuals(false), All = actuals(true);
    for (int Rank = 1; Rank <= 3; ++Rank)
      for (const Arguments &A : argumentsOf(S, Rank))
        call(Required, Rank, A);
    if (All.size() != Required.size())
      for (const Arguments &A : argumentsOf(S, 2))
        call(All, 2, A);
  }

  static Index first(int Rank) {
    Index Out;
    for (int D : llvm::seq(Rank))
      Out.push_back(D);
    return Out;
  }

  SpecScenario begin(const Arguments &A) const {
    SpecScenario X;
    X.Call.Op = &Rule;
    X.Call.Arguments = A;
    X.AsksForSizes =
        llvm::is_contained({T::Reshape, T::Unflatten, T::Expand}, S.Term);
    return X;
  }

  void call(const std::vector<Actual> &Of, int Rank, const Arguments &A) {
    if (llvm::is_contained({T::Gather, T::Lookup, T::Scatter}, S.Term))
      return indexed(Of, Rank, A);
    const auto Spoken = llvm::count_if(
        Of, [](const Actual &X) { return X.Position.has_value(); });
    // Alike; then of fewer dims, and with a dim of size one.
    const bool Broadcasts = llvm::is_contained(
        {T::Elementwise, T::Each, T::Batch, T::Loss, T::Sum, T::Fold, T::Along},
        S.Term);
    const int Shapes = Spoken > 1 && Broadcasts ? 3 : 1;
    for (int Kind = 0; Kind != Shapes; ++Kind) {
      SpecScenario X = begin(A);
      bool First = true;
      for (const Actual &O : Of) {
        Index Dims = first(Rank);
        if (!O.Position)
          Dims = Of.size() < 3 ? Index{0} : Index{};
        else if (!First && Kind == 1)
          Dims.erase(Dims.begin());
        else if (!First && Kind == 2)
          Dims.front() = -1;
        else if (!First && (S.Term == T::Like))
          Dims = first(Rank);
        First &= !O.Position;
        operand(X, O.Formal, Dims, {});
      }
      Out.push_back(std::move(X));
    }
    // A dim of size one in the only operand.
    if (Spoken == 1 && Rank > 1) {
      SpecScenario X = begin(A);
      for (const Actual &O : Of) {
        Index Dims = first(Rank);
        Dims[1] = -1;
        operand(X, O.Formal, O.Position ? Dims : Index{}, {});
      }
      Out.push_back(std::move(X));
    }
  }

  /// One index or two. 3 and 4 are what they choose.
  void points() {
    using Indices = std::vector<Index>;
    for (const auto &[Rank, At] :
         {std::pair(2, Index{0}), std::pair(2, Index{1}),
          std::pair(3, Index{1}), std::pair(2, Index{0, 1}),
          std::pair(3, Index{0, 2}), std::pair(3, Index{1, 2})}) {
      points(Rank, At, Indices{{3}, {3}});
      points(Rank, At, Indices{{3, 4}, {4}});
      if (S.Term == T::Index) {
        points(Rank, At, Indices{{}, {3}});
        points(Rank, At, Indices{{-1, 4}, {3, -1}});
      }
    }
  }

  void points(int Rank, const Index &At, const std::vector<Index> &Chosen) {
    Index Asked = At;
    Asked.back() -= Rank; // one that counts from the last
    SpecScenario X = begin({argument(S.Parameters[0].Name, Asked)});
    operand(X, 0, first(Rank), {});
    for (std::size_t I = 0; I != At.size(); ++I)
      operand(X, 1, Chosen[I], At[I]);
    if (S.Term == T::Index)
      return Out.push_back(std::move(X));
    // What the first index chooses is what all of them do.
    Index Part;
    for (int D : first(Rank))
      if (!llvm::is_contained(At, D))
        Part.push_back(D);
    const bool InFront = At.back() - At.front() > 1;
    Part.insert(Part.begin() + (InFront ? 0 : At.front()), Chosen[0].begin(),
                Chosen[0].end());
    Index Repeated = Part;
    Repeated.front() = -1;
    for (const Index &Values : {Part, Repeated, Index{}}) {
      SpecScenario Y = X;
      operand(Y, 2, Values, {});
      Out.push_back(std::move(Y));
    }
  }

  void indexed(const std::vector<Actual> &Of, int Rank, const Arguments &A) {
    SpecScenario X = begin(A);
    const SpecCall Probe{&Rule, {}, A};
    const auto Named = Probe.numbers(0);
    const int At = !Named               ? 0
                   : Named->front() < 0 ? Named->front() + Rank
                                        : Named->front();
    for (int Fewer = 0; Fewer != 2; ++Fewer) {
      SpecScenario Y = X;
      for (const Actual &O : Of) {
        Index Dims = first(Rank);
        if (O.Position && *O.Position != 0) {
          if (S.Term == T::Lookup)
            Dims = Fewer ? Index{3, 4} : Index{3};
          else
            Dims[static_cast<unsigned>(At)] = 3;
          // Positions in fewer elements of another dim.
          if (S.Term != T::Lookup && Fewer)
            Dims[static_cast<unsigned>(At == 0 ? Rank - 1 : 0)] = -1;
        }
        operand(Y, O.Formal, O.Position ? Dims : Index{},
                O.Position == 1u ? std::optional(At) : std::nullopt);
      }
      Out.push_back(std::move(Y));
    }
  }

  const OpRule &Rule;
  const ShapeRule &S;
  std::vector<Shape> Variants;
  std::vector<SpecScenario> Out;
};

} // namespace

std::vector<OpRule> alternativesOf(const OpRule &Rule) {
  std::vector<OpRule> Out;
  const auto Add = [&](ShapeRule S) {
    S.Otherwise.clear();
    Out.push_back(Rule);
    Out.back().Shape = std::move(S);
  };
  const auto Each = [&](const ShapeRule &S) {
    if (S.Notations.empty())
      Add(S);
    for (const FactorNotation &N : S.Notations) {
      ShapeRule One = S;
      One.Notations = {N};
      Add(std::move(One));
    }
  };
  Each(*Rule.Shape);
  for (const ShapeRule &S : Rule.Shape->Otherwise)
    Each(S);
  return Out;
}

std::vector<SpecScenario> scenariosOf(const OpRule &Rule, int Ranks) {
  return isLayer(*Rule.Shape) ? layerScenariosOf(Rule, Ranks)
                              : Scenarios(Rule, Ranks).all();
}

} // namespace spmd::oracle
