//===- Choices.cpp - What unknown values may be ---------------------------===//

#include "Choices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace spmd::collectives {

void Choices::restart(std::vector<bool> Answers) {
  First = std::move(Answers);
  Made.clear();
  Ranges.clear();
  Seen.clear();
  AskedBy.clear();
  Possible = true;
}

Relation Choices::resolved(Relation R) const {
  while (R.Symbol != ~0u && Known[R.Symbol].Says) {
    const std::optional<Relation> &Says = Known[R.Symbol].Says;
    // The symbol is 0 or 1.
    const bool AtZero = R.K == Relation::Kind::Equal ? R.To == 0 : 0 < R.To;
    const bool AtOne = R.K == Relation::Kind::Equal ? R.To == 1 : 1 < R.To;
    if (AtZero == AtOne) // holds, or does not, whatever it is
      return {~0u, Relation::Kind::Equal, AtZero ? 1 : 0, R.Negated};
    Relation Next = *Says;
    Next.Negated ^= R.Negated ^ AtZero;
    R = Next;
  }
  return R;
}

std::optional<bool> Choices::implied(Relation R) const {
  R = resolved(R);
  if (R.Symbol == ~0u)
    return (R.To == 1) != R.Negated;
  const auto It = Ranges.find(R.Symbol);
  return implied(It == Ranges.end() ? any(R.Symbol) : It->second, R);
}

std::optional<bool> Choices::isKnownTo(unsigned Lane, Relation R) const {
  R = resolved(R);
  if (R.Symbol == ~0u)
    return (R.To == 1) != R.Negated;
  const auto It = Seen.find({Lane, R.Symbol});
  return implied(It == Seen.end() ? any(R.Symbol) : It->second, R);
}

Choices::Range Choices::any(unsigned Symbol) const {
  Range Out;
  if (Known[Symbol].IsSize)
    Out.Low = 0;
  return Out;
}

std::optional<bool> Choices::implied(const Range &Of, const Relation &R) {
  std::optional<bool> Holds;
  if (R.K == Relation::Kind::Equal) {
    if (R.To < Of.Low || R.To > Of.High || Of.Not.count(R.To))
      Holds = false;
    else if (Of.Low == Of.High)
      Holds = true;
  } else if (Of.High < R.To) {
    Holds = true;
  } else if (Of.Low >= R.To) {
    Holds = false;
  }
  return Holds ? std::optional(*Holds != R.Negated) : std::nullopt;
}

bool Choices::narrow(Range &Of, const Relation &R, bool Holds) {
  bool Possible = true;
  if (R.K == Relation::Kind::Equal) {
    if (Holds) {
      Possible = R.To >= Of.Low && R.To <= Of.High && !Of.Not.count(R.To);
      Of.Low = Of.High = R.To;
    } else {
      Of.Not.insert(R.To);
    }
  } else if (Holds) {
    Of.High = std::min(Of.High, R.To - 1);
  } else {
    Of.Low = std::max(Of.Low, R.To);
  }
  while (Of.Not.count(Of.Low))
    ++Of.Low;
  while (Of.Not.count(Of.High))
    --Of.High;
  return Possible && Of.Low <= Of.High;
}

bool Choices::answer(Relation R, unsigned Lane, bool FirstTry) {
  R = resolved(R);
  if (R.Symbol != ~0u) {
    llvm::SmallBitVector &Lanes = AskedBy[R.Symbol];
    if (Lane >= Lanes.size())
      Lanes.resize(Lane + 1);
    Lanes.set(Lane);
  }
  std::optional<bool> Answer = implied(R);
  if (!Answer) {
    Answer = Made.size() < First.size() ? First[Made.size()] : FirstTry;
    Range &Of = rangeOf(R.Symbol);
    Of.By |= Reasons::choice(Made.size());
    Made.push_back({R, *Answer});
    Possible &= narrow(Of, R, *Answer != R.Negated);
  }
  if (R.Symbol != ~0u)
    narrow(Seen.try_emplace({Lane, R.Symbol}, any(R.Symbol)).first->second, R,
           *Answer != R.Negated);
  return *Answer;
}

void Choices::assume(Relation R, bool Answer) {
  R = resolved(R);
  if (R.Symbol == ~0u)
    Possible &= ((R.To == 1) != R.Negated) == Answer;
  else
    Possible &= narrow(rangeOf(R.Symbol), R, Answer != R.Negated);
}

Reasons Choices::reasonsFor(Relation R) const {
  const auto It = Ranges.find(resolved(R).Symbol);
  return It == Ranges.end() ? Reasons() : It->second.By;
}

bool Choices::isAskedByAll(const Choice &C, unsigned Lanes) const {
  const auto It = AskedBy.find(C.About.Symbol);
  return It != AskedBy.end() && It->second.count() == Lanes;
}

bool Choices::isFree(const Choice &C, unsigned Lanes) const {
  if (Known[C.About.Symbol].Trust != Trust::Unknown)
    return true;
  const auto It = AskedBy.find(C.About.Symbol);
  if (It == AskedBy.end())
    return false;
  const auto &Here = It->second;
  // It can only follow from what the others know if they know anything.
  return llvm::all_of(AskedBy, [&](const auto &Asked) {
    return Asked.second.count() == Lanes ||
           Known[Asked.first].Trust != Trust::Unknown ||
           !Asked.second.test(Here);
  });
}

} // namespace spmd::collectives
