//===- Eliminate.cpp - The least sum of tables over choices ---------------===//

#include "spmd/sharding/Network.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <set>

namespace spmd::sharding {

CostTable &Network::add(llvm::SmallVector<unsigned, 4> Scope) {
  llvm::sort(Scope);
  std::size_t Entries = 1;
  for (unsigned V : Scope)
    Entries *= Choices[V];
  return Tables.emplace_back(CostTable{
      std::move(Scope), std::vector<double>(HasCosts ? Entries : 0, 0)});
}

static std::size_t indexOf(const CostTable &T,
                           const std::vector<unsigned> &Choice,
                           const std::vector<unsigned> &Choices) {
  std::size_t Index = 0;
  for (unsigned V : T.Scope)
    Index = Index * Choices[V] + Choice[V];
  return Index;
}

double Network::cost(const std::vector<unsigned> &Choice) const {
  double Out = 0;
  for (const CostTable &T : Tables)
    Out += T.Costs[indexOf(T, Choice, Choices)];
  return Out;
}

namespace {

/// Which variables share a table, while some go.
class Neighbours {
public:
  explicit Neighbours(const Network &N) : Of(N.Choices.size()) {
    for (const CostTable &T : N.Tables)
      connect(T.Scope);
  }

  const std::set<unsigned> &of(unsigned V) const { return Of[V]; }
  void remove(unsigned V) {
    connect(std::vector<unsigned>(Of[V].begin(), Of[V].end()));
    for (unsigned W : Of[V])
      Of[W].erase(V);
    Of[V].clear();
  }
  unsigned fill(unsigned V) const {
    unsigned Out = 0;
    for (unsigned A : Of[V])
      for (unsigned B : Of[V])
        Out += A < B && !Of[A].contains(B);
    return Out;
  }

private:
  void connect(llvm::ArrayRef<unsigned> Clique) {
    for (unsigned A : Clique)
      for (unsigned B : Clique)
        if (A != B)
          Of[A].insert(B);
  }

  std::vector<std::set<unsigned>> Of;
};

} // namespace

EliminationOrder orderOf(const Network &N) {
  EliminationOrder Out;
  Neighbours Near(N);
  for (const CostTable &T : N.Tables) {
    double Entries = 1;
    for (unsigned V : T.Scope)
      Entries *= N.Choices[V];
    Out.Filled += Entries;
  }
  std::set<unsigned> Left;
  for (unsigned V = 0; V != N.Choices.size(); ++V)
    Left.insert(V);
  while (!Left.empty()) {
    const auto Entries = [&](unsigned V) {
      double Size = 1;
      for (unsigned W : Near.of(V))
        Size *= N.Choices[W];
      return Size;
    };
    unsigned Best = *Left.begin();
    std::pair<unsigned, double> Least{~0u, 0};
    for (unsigned V : Left)
      if (const std::pair Key(Near.fill(V), Entries(V)); Key < Least) {
        Least = Key;
        Best = V;
      }
    Out.Largest = std::max(Out.Largest, Entries(Best));
    Out.Read += Entries(Best) * N.Choices[Best] * 3; // tables, about
    Out.Variables.push_back(Best);
    Near.remove(Best);
    Left.erase(Best);
  }
  return Out;
}

namespace {

/// What was best for an eliminated variable, by the others' choices.
struct Decision {
  unsigned Variable;
  llvm::SmallVector<unsigned, 4> Scope;
  std::vector<std::uint16_t> Best;
};

class Elimination {
public:
  explicit Elimination(const Network &N) : N(N), Tables(N.Tables) {}

  Assignment run(llvm::ArrayRef<unsigned> Order) {
    std::vector<Decision> Decisions;
    for (unsigned V : Order)
      Decisions.push_back(eliminate(V));
    Assignment Out;
    Out.Choice.resize(N.Choices.size());
    for (const Decision &D : llvm::reverse(Decisions)) {
      std::size_t Index = 0;
      for (unsigned V : D.Scope)
        Index = Index * N.Choices[V] + Out.Choice[V];
      Out.Choice[D.Variable] = D.Best[Index];
    }
    Out.Cost = N.cost(Out.Choice);
    return Out;
  }

private:
  Decision eliminate(unsigned V) {
    std::vector<CostTable> Mine, Others;
    for (CostTable &T : Tables)
      (llvm::is_contained(T.Scope, V) ? Mine : Others).push_back(std::move(T));
    Tables = std::move(Others);
    Decision Out{V, {}, {}};
    for (const CostTable &T : Mine)
      for (unsigned W : T.Scope)
        if (W != V && !llvm::is_contained(Out.Scope, W))
          Out.Scope.push_back(W);
    llvm::sort(Out.Scope);
    CostTable Made{Out.Scope, {}};
    std::size_t Entries = 1;
    for (unsigned W : Out.Scope)
      Entries *= N.Choices[W];
    Made.Costs.reserve(Entries);
    Out.Best.reserve(Entries);

    // For each of my tables: where the current combination lies in it with V's
    // first choice, how far V's next one is, and those of the scope.
    std::vector<std::size_t> Base(Mine.size(), 0), Step(Mine.size(), 0);
    std::vector<std::vector<std::size_t>> Strides(Mine.size());
    for (std::size_t I = 0; I != Mine.size(); ++I) {
      Strides[I].assign(Out.Scope.size(), 0);
      std::size_t Stride = 1;
      for (unsigned W : llvm::reverse(Mine[I].Scope)) {
        if (W == V)
          Step[I] = Stride;
        else
          Strides[I][static_cast<std::size_t>(llvm::find(Out.Scope, W) -
                                              Out.Scope.begin())] = Stride;
        Stride *= N.Choices[W];
      }
    }
    std::vector<unsigned> At(Out.Scope.size(), 0);
    for (std::size_t Entry = 0; Entry != Entries; ++Entry) {
      double Best = 0;
      unsigned BestChoice = 0;
      for (unsigned C = 0; C != N.Choices[V]; ++C) {
        double Cost = 0;
        for (std::size_t I = 0; I != Mine.size(); ++I)
          Cost += Mine[I].Costs[Base[I] + C * Step[I]];
        if (C == 0 || Cost < Best) {
          Best = Cost;
          BestChoice = C;
        }
      }
      Made.Costs.push_back(Best);
      Out.Best.push_back(static_cast<std::uint16_t>(BestChoice));
      for (std::size_t D = At.size(); D-- != 0;) {
        const bool Carries = ++At[D] == N.Choices[Out.Scope[D]];
        for (std::size_t I = 0; I != Mine.size(); ++I)
          Base[I] += Strides[I][D];
        if (!Carries)
          break;
        for (std::size_t I = 0; I != Mine.size(); ++I)
          Base[I] -= Strides[I][D] * At[D];
        At[D] = 0;
      }
    }
    if (!Made.Scope.empty())
      Tables.push_back(std::move(Made));
    return Out;
  }

  const Network &N;
  std::vector<CostTable> Tables;
};

} // namespace

Assignment eliminate(const Network &N, const EliminationOrder &Order) {
  return Elimination(N).run(Order.Variables);
}

} // namespace spmd::sharding
