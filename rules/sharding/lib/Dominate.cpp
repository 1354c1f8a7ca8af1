//===- Dominate.cpp - Options that are never needed -----------------------===//
//
// An option goes when another one of its variable is no worse whatever all
// other variables choose: by what it costs itself and the least that it can
// gain at each redistribution. Some best assignment is always left.
//
//===----------------------------------------------------------------------===//

#include "spmd/sharding/Problem.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::sharding {

/// The least of what \p FromA costs more than \p FromB, over what \p W wants.
double Problem::least(ValueId V, const Want &W, unsigned FromA,
                      unsigned FromB) const {
  double Out = Forbidden;
  for (const auto &Option : WantedAs[W.Variable])
    Out = std::min(Out, price(V, FromA, Option[W.Operand]) -
                            price(V, FromB, Option[W.Operand]));
  return Out;
}

bool Problem::dominates(unsigned C, unsigned B, unsigned A) const {
  double Gain = unary(C, A, 0) - unary(C, B, 0);
  // What each option stores counts when memory is short.
  if (Costs.MemoryBytes && memory(C, A) < memory(C, B))
    return false;
  const Choice &X = Choices[C];
  const std::optional<ValueId> Made = X.Stored   ? X.Stored
                                      : X.NodeId ? G.Nodes[*X.NodeId].Result
                                                 : std::nullopt;
  if (Made && MadeAs[C][A] != MadeAs[C][B]) {
    const std::vector<Want> &Users = Wants[*Made];
    for (const Want &W : Users) {
      const double Here = least(*Made, W, MadeAs[C][A], MadeAs[C][B]);
      Gain += Users.size() == 1 ? Here : std::min(0.0, Here);
      if (Gain < 0 && Users.size() != 1)
        return false;
    }
    if (nextInput() == Made) {
      double Least = Forbidden;
      for (const Strategy &S : Choices[*Result].Options) {
        const auto Cost = [&](unsigned Option) {
          const auto Again = P.redistribution(
              G.Values[*G.Returned], S.Wanted[0], X.Options[Option].Made);
          return Again ? Again->total() : Forbidden;
        };
        Least = std::min(Least, Cost(A) - Cost(B));
      }
      Gain += Least;
    }
  }
  for (ValueId V = 0; V != G.Values.size(); ++V)
    for (const Want &W : Wants[V]) {
      if (W.Variable != C)
        continue;
      const unsigned WantsA = WantedAs[C][A][W.Operand],
                     WantsB = WantedAs[C][B][W.Operand];
      if (WantsA == WantsB)
        continue;
      double Least = Forbidden;
      for (unsigned From : MadeAs[*Producer[V]])
        // What A wants may be there for another user anyway.
        Least = std::min(Least,
                         (Wants[V].size() == 1 ? price(V, From, WantsA) : 0) -
                             price(V, From, WantsB));
      Gain += Least;
    }
  if (Result == C)
    if (const std::optional<ValueId> Next = nextInput()) {
      double Least = Forbidden;
      for (const Strategy &S : Choices[*Producer[*Next]].Options) {
        const auto Cost = [&](unsigned Option) {
          const auto Again = P.redistribution(
              G.Values[*G.Returned], X.Options[Option].Wanted[0], S.Made);
          return Again ? Again->total() : Forbidden;
        };
        Least = std::min(Least, Cost(A) - Cost(B));
      }
      Gain += Least;
    }
  return Gain >= 0;
}

void Problem::removeDominated() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned C = 0; C != Choices.size(); ++C) {
      std::vector<bool> Gone(Choices[C].Options.size(), false);
      // Of equals the first one stays.
      for (unsigned A = static_cast<unsigned>(Gone.size()); A-- != 0;)
        for (unsigned B = 0; B != Gone.size() && !Gone[A]; ++B)
          if (A != B && !Gone[B] && dominates(C, B, A))
            Gone[A] = true;
      if (!llvm::is_contained(Gone, true))
        continue;
      Changed = true;
      keepOnly([&](unsigned X, unsigned O) { return X != C || !Gone[O]; });
    }
  }
}

double Problem::promise(unsigned C, unsigned Option) const {
  double Out = unary(C, Option, 0);
  for (ValueId V = 0; V != G.Values.size(); ++V) {
    if (!Producer[V])
      continue;
    for (const Want &W : Wants[V]) {
      double Least = Forbidden;
      if (*Producer[V] == C)
        for (const auto &Other : WantedAs[W.Variable])
          Least =
              std::min(Least, price(V, MadeAs[C][Option], Other[W.Operand]));
      else if (W.Variable == C)
        for (unsigned From : MadeAs[*Producer[V]])
          Least =
              std::min(Least, price(V, From, WantedAs[C][Option][W.Operand]));
      else
        continue;
      Out += Least;
    }
  }
  return Out;
}

double Problem::promise(unsigned Variable, unsigned Option,
                        const std::vector<unsigned> &C) const {
  double Out = unary(Variable, Option, 0);
  for (ValueId V = 0; V != G.Values.size(); ++V) {
    if (!Producer[V])
      continue;
    const unsigned From = *Producer[V];
    for (const Want &W : Wants[V])
      if (From == Variable || W.Variable == Variable)
        Out += price(V, MadeAs[From][From == Variable ? Option : C[From]],
                     WantedAs[W.Variable]
                             [W.Variable == Variable ? Option : C[W.Variable]]
                             [W.Operand]);
  }
  return Out;
}

} // namespace spmd::sharding
