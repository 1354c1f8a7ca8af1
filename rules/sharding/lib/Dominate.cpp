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

/// The types that a variable's neighbours leave it, each once.
struct Problem::Surroundings {
  using Numbers = std::vector<unsigned>;
  std::optional<ValueId> Made;
  std::vector<Numbers> WantedBy; ///< by use of what it makes
  std::vector<Numbers> MadeFor;  ///< by operand
  std::size_t size() const {
    std::size_t Out = 1;
    for (const auto *All : {&WantedBy, &MadeFor})
      for (const Numbers &X : *All)
        Out += X.size();
    return Out;
  }
};

static void sortUnique(std::vector<unsigned> &X) {
  llvm::sort(X);
  X.erase(llvm::unique(X), X.end());
}

std::optional<ValueId> Problem::madeBy(unsigned C) const {
  if (const Choice &X = Choices[C]; !X.NodeId)
    return X.Stored;
  else
    return G.Nodes[*X.NodeId].Result;
}

Problem::Surroundings Problem::around(unsigned C) const {
  Surroundings Out;
  Out.Made = madeBy(C);
  if (Out.Made)
    for (const Want &W : Wants[*Out.Made]) {
      Out.WantedBy.emplace_back();
      for (const auto &Option : WantedAs[W.Variable])
        Out.WantedBy.back().push_back(Option[W.Operand]);
      sortUnique(Out.WantedBy.back());
    }
  for (const auto &[V, W] : Operands[C]) {
    Out.MadeFor.push_back(MadeAs[*Producer[V]]);
    sortUnique(Out.MadeFor.back());
  }
  return Out;
}

bool Problem::dominates(unsigned C, unsigned B, unsigned A,
                        const Surroundings &Near) const {
  double Gain = unary(C, A, 0) - unary(C, B, 0);
  // What each option stores counts when memory is short.
  if (Costs.MemoryBytes && memory(C, A) < memory(C, B))
    return false;
  if (Near.Made && MadeAs[C][A] != MadeAs[C][B]) {
    const bool IsOnly = Near.WantedBy.size() == 1;
    for (const auto &Wanted : Near.WantedBy) {
      double Least = Forbidden;
      for (unsigned To : Wanted)
        Least = std::min(Least, price(*Near.Made, MadeAs[C][A], To) -
                                    price(*Near.Made, MadeAs[C][B], To));
      Gain += IsOnly ? Least : std::min(0.0, Least);
      if (Gain < 0 && !IsOnly)
        return false;
    }
    if (Next == Near.Made) {
      double Least = Forbidden;
      for (unsigned R = 0; R != Choices[*Result].Options.size(); ++R)
        Least = std::min(Least, priceAgain(R, A) - priceAgain(R, B));
      Gain += Least;
    }
  }
  for (std::size_t I = 0; I != Near.MadeFor.size(); ++I) {
    const auto &[V, W] = Operands[C][I];
    const unsigned WantsA = WantedAs[C][A][W.Operand],
                   WantsB = WantedAs[C][B][W.Operand];
    if (WantsA == WantsB)
      continue;
    double Least = Forbidden;
    for (unsigned From : Near.MadeFor[I])
      // What A wants may be there for another user anyway.
      Least =
          std::min(Least, (Wants[V].size() == 1 ? price(V, From, WantsA) : 0) -
                              price(V, From, WantsB));
    Gain += Least;
  }
  if (Result == C && Next) {
    double Least = Forbidden;
    for (unsigned I = 0; I != Choices[*Producer[*Next]].Options.size(); ++I)
      Least = std::min(Least, priceAgain(A, I) - priceAgain(B, I));
    Gain += Least;
  }
  return Gain >= 0;
}

void Problem::removeDominated() {
  // Only where options near it went can more go.
  std::vector<bool> MayChange(Choices.size(), true);
  while (llvm::is_contained(MayChange, true))
    for (unsigned C = 0; C != Choices.size(); ++C) {
      if (!MayChange[C])
        continue;
      if (budget().isSpent())
        return;
      MayChange[C] = false;
      const Surroundings Near = around(C);
      double Compared = 0;
      std::vector<bool> Gone(Choices[C].Options.size(), false);
      // Of equals the first one stays.
      for (unsigned A = static_cast<unsigned>(Gone.size()); A-- != 0;)
        for (unsigned B = 0; B != Gone.size() && !Gone[A]; ++B)
          if (A != B && !Gone[B] && ++Compared && dominates(C, B, A, Near))
            Gone[A] = true;
      budget().spend(Compared * static_cast<double>(Near.size()));
      if (!llvm::is_contained(Gone, true))
        continue;
      keepOnlyOf(C, [&](unsigned O) { return !Gone[O]; });
      if (Near.Made)
        for (const Want &W : Wants[*Near.Made])
          MayChange[W.Variable] = true;
      for (const auto &[V, W] : Operands[C])
        MayChange[*Producer[V]] = true;
      if (Next && (Result == C || Producer[*Next] == C))
        MayChange[*Result] = MayChange[*Producer[*Next]] = true;
    }
}

std::vector<double> Problem::promises(unsigned C) const {
  const Surroundings Near = around(C);
  std::vector<double> Out;
  for (unsigned O = 0; O != Choices[C].Options.size(); ++O) {
    Out.push_back(unary(C, O, 0));
    for (const auto &Wanted : Near.WantedBy) {
      double Least = Forbidden;
      for (unsigned To : Wanted)
        Least = std::min(Least, price(*Near.Made, MadeAs[C][O], To));
      Out.back() += Least;
    }
    for (std::size_t I = 0; I != Near.MadeFor.size(); ++I) {
      const auto &[V, W] = Operands[C][I];
      double Least = Forbidden;
      for (unsigned From : Near.MadeFor[I])
        Least = std::min(Least, price(V, From, WantedAs[C][O][W.Operand]));
      Out.back() += Least;
    }
  }
  budget().spend(static_cast<double>(Out.size() * Near.size()));
  return Out;
}

std::vector<unsigned> Problem::oneByOne(double PerByte) const {
  std::vector<unsigned> Out(Choices.size(), 0);
  for (unsigned C = 0; C != Choices.size(); ++C) {
    double Least = 0;
    for (unsigned O = 0; O != Choices[C].Options.size(); ++O) {
      double Cost = unary(C, O, PerByte);
      for (const auto &[V, W] : Operands[C])
        if (const unsigned From = *Producer[V]; From < C)
          Cost += price(V, MadeAs[From][Out[From]], WantedAs[C][O][W.Operand]);
      if (Result == C && Next)
        Cost += priceAgain(O, Out[*Producer[*Next]]);
      if (O != 0 && Cost >= Least)
        continue;
      Least = Cost;
      Out[C] = O;
    }
  }
  return Out;
}

double Problem::promise(unsigned C, unsigned Option,
                        const std::vector<unsigned> &Choice) const {
  double Out = unary(C, Option, 0);
  for (const auto &[V, W] : Operands[C])
    if (*Producer[V] != C)
      Out += price(V, MadeAs[*Producer[V]][Choice[*Producer[V]]],
                   WantedAs[C][Option][W.Operand]);
  if (const std::optional<ValueId> Made = madeBy(C))
    for (const Want &W : Wants[*Made])
      Out += price(
          *Made, MadeAs[C][Option],
          WantedAs[W.Variable][W.Variable == C ? Option : Choice[W.Variable]]
                  [W.Operand]);
  return Out;
}

} // namespace spmd::sharding
