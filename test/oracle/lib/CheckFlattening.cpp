//===- CheckFlattening.cpp - Two axes as one ------------------------------===//

#include "spmd/oracle/CheckFlattening.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// The values of the ranks First, First + Step, …
Ranks every(const Ranks &X, int First, int Step, int Count) {
  Ranks Out;
  for (int I = 0; I != Count; ++I)
    Out.push_back(X[static_cast<std::size_t>(First + I * Step)]);
  return Out;
}

/// One operator on the inner axis or on the outer one, in each of its groups.
Ranks step(const FlattenedCell &C, bool OnInner, const Ranks &X) {
  const int Groups = OnInner ? C.Outer : C.Inner;
  const int Size = OnInner ? C.Inner : C.Outer;
  const int Step = OnInner ? 1 : C.Inner;
  Ranks Out(X.size());
  for (int G = 0; G != Groups; ++G) {
    const int First = OnInner ? G * C.Inner : G;
    const Ranks Part = apply(C.Flat.Row.Op, C.Flat.Src, C.Flat.Dst,
                             every(X, First, Step, Size));
    for (int I = 0; I != Size; ++I)
      Out[static_cast<std::size_t>(First + I * Step)] =
          Part[static_cast<std::size_t>(I)];
  }
  return Out;
}

bool dividesEvenly(const Layout &L, const FlattenedCell &C) {
  return L.Type != LocalType::V ||
         (L.ShardDim &&
          C.Flat.Meaning[static_cast<std::size_t>(*L.ShardDim)] % C.Flat.N ==
              0);
}

/// An exchange on one axis at a time leaves the pieces in another order, and
/// pieces of uneven pieces are others.
bool hasSteps(const FlattenedCell &C) {
  return C.Flat.Row.Op != OperatorKind::AllToAll &&
         dividesEvenly(C.Flat.Src, C) && dividesEvenly(C.Flat.Dst, C);
}

} // namespace

std::string FlattenedCell::str() const {
  const std::string Row = Flat.str();
  return Row.substr(0, Row.rfind(',')) + ", " + std::to_string(Outer) + " x " +
         std::to_string(Inner) + " ranks";
}

std::vector<FlattenedCell> flattenedCells() {
  std::vector<FlattenedCell> Out;
  for (auto [Outer, Inner] : {std::pair{1, 2}, {2, 1}, {2, 2}, {2, 3}, {3, 2}})
    for (TransitionCell &C : transitionCells(Outer * Inner))
      Out.push_back({std::move(C), Outer, Inner});
  return Out;
}

Tensor meaningOnBoth(const Layout &L, const Ranks &X, int Outer) {
  const int Inner = static_cast<int>(X.size()) / Outer;
  Ranks Rows;
  for (int G = 0; G != Outer; ++G)
    Rows.push_back(denotation(L, every(X, G * Inner, 1, Inner)));
  Tensor Out = denotation(L, Rows);
  if (L.Type == LocalType::V && !L.ShardDim) {
    Out.Dims.erase(Out.Dims.begin());
    Out.Dims.front() = static_cast<int>(X.size());
  }
  return Out;
}

std::string checkFlattening(const FlattenedCell &C) {
  const TransitionCell &F = C.Flat;
  for (const Ranks &X : basis(F.Src, F.Meaning, F.N)) {
    const Ranks Y = apply(F.Row.Op, F.Src, F.Dst, X);
    for (const auto &[L, Value] : {std::pair{F.Src, &X}, {F.Dst, &Y}})
      if (!(meaningOnBoth(L, *Value, C.Outer) == denotation(L, *Value)))
        return C.str() + ": " + print(*Value) + " as " + L.str() +
               " means something else on the flattened axis";
    if (!hasSteps(C))
      continue;
    // What is put together is so from the inside, what is cut from the outside.
    const bool InnerFirst = F.Dst.Type != LocalType::V;
    const Ranks Steps = step(C, !InnerFirst, step(C, InnerFirst, X));
    if (Steps != Y)
      return C.str() + ": " + print(X) + " becomes " + print(Y) +
             ", and axis by axis " + print(Steps);
  }
  return {};
}

} // namespace spmd::oracle
