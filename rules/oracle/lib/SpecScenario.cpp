//===- SpecScenario.cpp - Calls to try a shape rule with ------------------===//
//
// Length: one table of operands, sizes and arguments for each shape term.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/SpecScenario.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <limits>
#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

using T = ShapeTerm;
using Arguments = llvm::SmallVector<OpArgument, 2>;

OpArgument argument(llvm::StringRef Names, std::int64_t N) {
  return {Names.split('|').first.str(), SizeValue{N, {}, 1}};
}
OpArgument argument(llvm::StringRef Names, const Index &List) {
  SizeList Out;
  for (int N : List)
    Out.push_back(SizeValue{N, {}, 1});
  return {Names.split('|').first.str(), std::move(Out)};
}
OpArgument flag(llvm::StringRef Names, bool Set) {
  return {Names.split('|').first.str(), Set};
}

/// All ways to name dims in a call on a tensor of one rank.
class ArgumentSets {
public:
  ArgumentSets(const ShapeRule &S, int Rank) : S(S), Rank(Rank) {}

  std::vector<Arguments> all() {
    switch (S.Term) {
    case T::Sum:
    case T::Fold:
      reductions();
      break;
    case T::Swap:
      pairs(/*AsLists=*/false);
      break;
    case T::Move:
      pairs(/*AsLists=*/true);
      if (Rank == 3)
        add({argument(name(0), Index{0, 1}), argument(name(1), Index{1, 2})});
      break;
    case T::Permute:
      permutations();
      break;
    case T::Flatten:
      if (name(0).empty())
        break;
      add({});
      pairs(/*AsLists=*/false);
      break;
    case T::Repeat:
      repeats();
      break;
    case T::Batch:
      if (!name(0).empty())
        for (int N = 1; N <= Rank; ++N)
          add({argument(name(0), Index(static_cast<std::size_t>(N), 1))});
      break;
    case T::Loss:
      for (int R : {0, 1, 2})
        add({argument(name(0), R)});
      break;
    case T::Pad:
      add({argument(name(0), Index{1, 1})});
      if (Rank > 1)
        add({argument(name(0), Index{1, 0, 0, 2})});
      break;
    case T::Part:
      parts();
      break;
    default:
      oneDim();
    }
    if (Out.empty())
      Out.emplace_back();
    return std::move(Out);
  }

private:
  llvm::StringRef name(unsigned P) const {
    return P < S.Parameters.size() ? llvm::StringRef(S.Parameters[P].Name)
                                   : llvm::StringRef();
  }
  bool hasDefault(unsigned P) const {
    return P < S.Parameters.size() && S.Parameters[P].Default;
  }
  void add(Arguments A) { Out.push_back(std::move(A)); }

  void oneDim() {
    if (name(0).empty())
      return;
    const int Count = Rank + (S.Term == T::Insert);
    for (int D = 0; D != Count; ++D)
      add({argument(name(0), D)});
    if (Count)
      add({argument(name(0), -1)});
    if (hasDefault(0) || numRequiredParameters(S.Term) == 0)
      add({});
    if (S.Term == T::Along && Rank > 1)
      add({argument(name(0), Index{0, -1})});
  }

  void reductions() {
    std::vector<Arguments> Dims;
    if (!name(0).empty()) {
      for (int D = -1; D != Rank; ++D)
        Dims.push_back({argument(name(0), D)});
      if (Rank > 1)
        Dims.push_back({argument(name(0), Index{0, Rank - 1})});
    }
    Dims.emplace_back();
    for (Arguments &A : Dims) {
      if (!name(1).empty() && !A.empty()) {
        Arguments Keep = A;
        Keep.push_back(flag(name(1), true));
        add(std::move(Keep));
      }
      add(std::move(A));
    }
  }

  void pairs(bool AsLists) {
    if (name(0).empty() || name(1).empty())
      return;
    for (int X = 0; X != Rank; ++X)
      for (int Y = 0; Y != Rank; ++Y) {
        if (S.Term == T::Flatten && X > Y)
          continue;
        if (AsLists)
          add({argument(name(0), Index{X}), argument(name(1), Index{Y})});
        else
          add({argument(name(0), X), argument(name(1), Y - Rank)});
      }
  }

  void permutations() {
    Index Order;
    for (int D : llvm::seq(Rank))
      Order.push_back(D);
    do
      add({argument(name(0), Order)});
    while (std::next_permutation(Order.begin(), Order.end()));
  }

  void repeats() {
    for (int D = 0; D != Rank + 1; ++D) {
      Index Times(static_cast<std::size_t>(Rank) + (D == Rank), 1);
      Times[static_cast<unsigned>(D == Rank ? 0 : D)] = 2;
      add({argument(name(0), Times)});
    }
    add({argument(name(0), Index(static_cast<std::size_t>(Rank), 1))});
  }

  void parts() {
    std::vector<Arguments> Dims;
    if (!name(0).empty())
      for (int D = -1; D != Rank; ++D)
        Dims.push_back({argument(name(0), D)});
    if (name(0).empty() || hasDefault(0))
      Dims.emplace_back();
    for (const Arguments &A : Dims) {
      add(A);
      for (const OpArgument &Size :
           {argument("length", 2), argument("chunks", 2)}) {
        Arguments With = A;
        With.push_back(Size);
        add(std::move(With));
      }
      Arguments All = A;
      All.push_back(argument("start", 0));
      All.push_back(argument("end", std::numeric_limits<std::int64_t>::max()));
      add(std::move(All));
    }
  }

  const ShapeRule &S;
  int Rank;
  std::vector<Arguments> Out;
};

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
            Sizes.back() *= IsOne ? 1 : Inner ? 2 : Variants[V][Id % 8];
          }
        }
        if (Sizes.size() > 4)
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
      for (int Copy = 0; Copy != (Rule.Formals[F].Variadic ? 2 : 1); ++Copy)
        All.push_back({F, P});
    }
    return All;
  }
  bool isOfFirst() const {
    return !llvm::is_contained({T::Elementwise, T::Each, T::Concat, T::Insert,
                                T::Gather, T::Lookup, T::Scatter, T::Batch,
                                T::Like, T::Loss},
                               S.Term);
  }

  void term() {
    const std::vector<Actual> Required = actuals(false), All = actuals(true);
    for (int Rank = 1; Rank <= 3; ++Rank)
      for (const Arguments &A : ArgumentSets(S, Rank).all())
        call(Required, Rank, A);
    if (All.size() != Required.size())
      for (const Arguments &A : ArgumentSets(S, 2).all())
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
        {T::Elementwise, T::Batch, T::Loss, T::Sum, T::Fold, T::Along}, S.Term);
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

/// All ways to write \p N as a product of \p Parts numbers.
void products(int N, int Parts, Index &Now, std::vector<Index> &Out) {
  if (Parts == 1) {
    Now.push_back(N);
    Out.push_back(Now);
    Now.pop_back();
    return;
  }
  for (int F = 1; F <= N; ++F)
    if (N % F == 0) {
      Now.push_back(F);
      products(N / F, Parts - 1, Now, Out);
      Now.pop_back();
    }
}

std::vector<Index> products(int N, int MaxParts) {
  std::vector<Index> Out;
  Index Now;
  for (int P = 1; P <= MaxParts; ++P)
    products(N, P, Now, Out);
  for (std::size_t I = 0, Size = Out.size(); I != Size; ++I) {
    Out.push_back(Out[I]);
    Out.back()[I % Out[I].size()] = -1;
  }
  return Out;
}

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
  return Scenarios(Rule, Ranks).all();
}

std::vector<llvm::SmallVector<OpArgument, 2>>
sizesToAskFor(const ShapeRule &S, const Shape &Local) {
  std::vector<Arguments> Out;
  const llvm::StringRef Name = S.Parameters[0].Name;
  const auto Size = static_cast<int>(sizeOf(Local));
  if (Size == 0)
    return Out;
  if (S.Term == T::Reshape)
    for (const Index &Sizes : products(Size, 3))
      Out.push_back({argument(Name, Sizes)});
  if (S.Term == T::Unflatten)
    for (std::size_t D = 0; D != Local.size(); ++D)
      for (const Index &Sizes : products(Local[D], 3))
        Out.push_back({argument(Name, static_cast<int>(D)),
                       argument(S.Parameters[1].Name, Sizes)});
  if (S.Term == T::Expand)
    for (int New = 0; New != 2; ++New)
      for (unsigned Code = 0; Code != 1u << Local.size(); ++Code) {
        Index Sizes(static_cast<std::size_t>(New), 3);
        for (std::size_t D = 0; D != Local.size(); ++D)
          Sizes.push_back(Code >> D & 1 ? -1 : Local[D] == 1 ? 3 : Local[D]);
        Out.push_back({argument(Name, Sizes)});
      }
  return Out;
}

} // namespace spmd::oracle
