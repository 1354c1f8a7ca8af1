//===- Tables.cpp - A problem as a network of tables ----------------------===//

#include "spmd/sharding/Problem.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::sharding {

Network Problem::network(double PerByte, bool HasCosts, bool &Faithful) const {
  Network N;
  N.HasCosts = HasCosts;
  for (const Choice &C : Choices)
    N.Choices.push_back(static_cast<unsigned>(C.Options.size()));
  for (unsigned C = 0; C != Choices.size(); ++C) {
    CostTable &T = N.add({C});
    for (unsigned O = 0; O != T.Costs.size(); ++O)
      T.Costs[O] = unary(C, O, PerByte);
  }
  for (ValueId V = 0; V != G.Values.size(); ++V)
    if (Producer[V] && !Wants[V].empty())
      addUses(N, V, Faithful);
  if (const std::optional<ValueId> Next = nextInput()) {
    const unsigned In = *Producer[*Next];
    CostTable &T = N.add({In, *Result}); // inputs come first
    for (unsigned I = 0; HasCosts && I != N.Choices[In]; ++I)
      for (unsigned R = 0; R != N.Choices[*Result]; ++R)
        T.Costs[I * N.Choices[*Result] + R] = priceAgain(R, I);
  }
  return N;
}

void Problem::addUses(Network &N, ValueId V, bool &Faithful) const {
  const unsigned From = *Producer[V];
  llvm::SmallVector<unsigned, 4> Users;
  for (const Want &W : Wants[V])
    if (!llvm::is_contained(Users, W.Variable))
      Users.push_back(W.Variable);
  if (Users.size() > 2)
    return addRelays(N, V, Users, Faithful);
  llvm::SmallVector<unsigned, 4> Scope{From};
  Scope.append(Users.begin(), Users.end());
  CostTable &T = N.add(Scope);
  if (!N.HasCosts)
    return;
  // What each user wants, each option's types once.
  std::map<unsigned, std::vector<llvm::SmallVector<unsigned, 2>>> Of;
  for (unsigned U : Users)
    for (unsigned O = 0; O != N.Choices[U]; ++O)
      Of[U].push_back(wants(V, U, O));
  const auto WantedBy = [&](unsigned U,
                            unsigned O) -> llvm::ArrayRef<unsigned> {
    return Of[U][O];
  };
  llvm::SmallVector<unsigned, 3> At(T.Scope.size(), 0);
  for (double &Cost : T.Costs) {
    unsigned Made = 0;
    llvm::SmallVector<unsigned, 4> Wanted;
    for (std::size_t I = 0; I != At.size(); ++I)
      if (T.Scope[I] == From)
        Made = MadeAs[From][At[I]];
      else
        for (unsigned W : WantedBy(T.Scope[I], At[I]))
          if (!llvm::is_contained(Wanted, W))
            Wanted.push_back(W);
    for (unsigned W : Wanted)
      Cost += price(V, Made, W);
    for (std::size_t I = At.size();
         I-- != 0 && ++At[I] == N.Choices[T.Scope[I]];)
      At[I] = 0;
  }
}

/// With many users a table of all of them would be too large. In place of it,
/// each relay is a type that the value is redistributed to for all who want it
/// so; what others want is their own. Half as many relays as users say all.
void Problem::addRelays(Network &N, ValueId V, llvm::ArrayRef<unsigned> Users,
                        bool &Faithful) const {
  const unsigned From = *Producer[V];
  const std::size_t NumTypes = (*TypesOf)[ClassOf[V]].All.size();
  std::vector<bool> IsWanted(NumTypes, false);
  for (const Want &W : Wants[V])
    for (const auto &Option : WantedAs[W.Variable])
      IsWanted[Option[W.Operand]] = true;
  std::vector<unsigned> Kinds;
  for (unsigned T = 0; T != NumTypes; ++T)
    if (IsWanted[T])
      Kinds.push_back(T);

  constexpr std::size_t MostRelays = 2, MostEntries = std::size_t(1) << 22;
  std::size_t Most = 0;
  for (unsigned U : Users)
    Most = std::max<std::size_t>(Most, N.Choices[U]);
  std::size_t Count = std::min(Users.size() / 2, MostRelays);
  const std::size_t Ways = Kinds.size() + 1;
  while (Count > 1 && Ways * Ways * N.Choices[From] * Most > MostEntries)
    --Count;
  Faithful &= Count == Users.size() / 2;

  // A relay's choice 0 is that there is none.
  llvm::SmallVector<unsigned, 2> Relays;
  for (std::size_t I = 0; I != Count; ++I) {
    Relays.push_back(static_cast<unsigned>(N.Choices.size()));
    N.Choices.push_back(static_cast<unsigned>(Ways));
  }
  const std::size_t All = Count == 2 ? Ways * Ways : Ways;
  const auto RelayedBy = [&](std::size_t Combination, unsigned T) {
    for (std::size_t I = 0; I != Count; ++I, Combination /= Ways)
      if (const std::size_t K = Combination % Ways; K && Kinds[K - 1] == T)
        return true;
    return false;
  };
  {
    llvm::SmallVector<unsigned, 4> Scope{From};
    Scope.append(Relays.begin(), Relays.end());
    CostTable &T = N.add(Scope);
    for (unsigned M = 0; N.HasCosts && M != N.Choices[From]; ++M)
      for (std::size_t R = 0; R != All; ++R) {
        double Cost = 0;
        for (unsigned K : Kinds)
          if (RelayedBy(R, K))
            Cost += price(V, MadeAs[From][M], K);
        T.Costs[M * All + R] = Cost;
      }
  }
  for (unsigned U : Users) {
    llvm::SmallVector<unsigned, 4> Scope{From, U};
    Scope.append(Relays.begin(), Relays.end());
    CostTable &T = N.add(Scope);
    for (unsigned M = 0; N.HasCosts && M != N.Choices[From]; ++M)
      for (unsigned O = 0; O != N.Choices[U]; ++O) {
        const auto Mine = wants(V, U, O);
        // A loop's end comes before its begin, where what it makes is used.
        std::size_t Entry =
            (From < U ? M * N.Choices[U] + O : O * N.Choices[From] + M) * All;
        for (std::size_t R = 0; R != All; ++R) {
          double Cost = 0;
          for (unsigned W : Mine)
            if (!RelayedBy(R, W))
              Cost += price(V, MadeAs[From][M], W);
          T.Costs[Entry++] = Cost;
        }
      }
  }
}

} // namespace spmd::sharding
