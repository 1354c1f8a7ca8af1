//===- CheckTransitions.cpp - The table of operators, by numbers ----------===//

#include "spmd/oracle/CheckTransitions.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// How a type's value may be laid out, given the shape of its meaning.
std::vector<Layout> layoutsOf(LocalType T, OperatorKind Op,
                              const Shape &Meaning, int N) {
  if (T != LocalType::V)
    return {{T, std::nullopt}};
  std::vector<Layout> Out;
  const int Rank = static_cast<int>(Meaning.size());
  // What gathers and scatters knows shards; to all others V is a tuple.
  if (Op == OperatorKind::AllGather || Op == OperatorKind::ReduceScatter ||
      Op == OperatorKind::AllToAll || Op == OperatorKind::Convert)
    for (int Dim = 0; Dim != Rank; ++Dim)
      Out.push_back({T, Dim});
  if (Op != OperatorKind::AllToAll && Meaning.front() == N)
    Out.push_back({T, std::nullopt});
  return Out;
}

std::vector<Shape> shapesFor(int N) {
  std::vector<Shape> Out = {{3}, {2, 3}, {2, 1, 3}};
  for (const Shape &S : {Shape{N}, Shape{N, 2}, Shape{N, 2, 2}})
    if (!llvm::is_contained(Out, S))
      Out.push_back(S);
  return Out;
}

} // namespace

std::string TransitionCell::str() const {
  std::string Out = std::string(operatorName(Row.Op)) + "(" + Src.str() +
                    " -> " + Dst.str() + "), [";
  for (std::size_t I = 0; I != Meaning.size(); ++I)
    Out += (I ? "," : "") + std::to_string(Meaning[I]);
  return Out + "], " + std::to_string(N) + (N == 1 ? " rank" : " ranks");
}

std::vector<TransitionCell> transitionCells(int N) {
  std::vector<TransitionCell> Out;
  for (const Transition &Row : Transitions)
    for (const Shape &Meaning : shapesFor(N))
      for (const Layout &Src : layoutsOf(Row.Src, Row.Op, Meaning, N)) {
        // What becomes V in its whole has one more dim in its meaning.
        const bool ToTuple =
            (Row.Op == OperatorKind::Reinterpret ||
             Row.Op == OperatorKind::Reduce || Row.Op == OperatorKind::Keep) &&
            Row.Dst == LocalType::V;
        const std::vector<Layout> Targets =
            ToTuple ? std::vector<Layout>{{LocalType::V, std::nullopt}}
                    : layoutsOf(Row.Dst, Row.Op, Meaning, N);
        for (const Layout &Dst : Targets)
          Out.push_back({Row, Src, Dst, Meaning, N});
      }
  return Out;
}

std::vector<TransitionCell> transitionCells() {
  std::vector<TransitionCell> Out;
  for (int N = 1; N <= 4; ++N)
    llvm::append_range(Out, transitionCells(N));
  return Out;
}

std::string checkForward(const TransitionCell &C) {
  for (const Ranks &X : basis(C.Src, C.Meaning, C.N)) {
    const Ranks Y = apply(C.Row.Op, C.Src, C.Dst, X);
    const std::string Shown =
        C.str() + ": " + print(X) + " becomes " + print(Y);
    if (!isLegal(C.Dst, Y))
      return Shown + ", which is not " + C.Dst.str();
    if (C.Row.KeepsMeaning && !(denotation(C.Src, X) == denotation(C.Dst, Y)))
      return Shown + ", which does not mean the same";
  }
  return {};
}

bool changesMeaning(const TransitionCell &C) {
  for (const Ranks &X : basis(C.Src, C.Meaning, C.N))
    if (!(denotation(C.Src, X) ==
          denotation(C.Dst, apply(C.Row.Op, C.Src, C.Dst, X))))
      return true;
  return false;
}

std::string checkBackward(const TransitionCell &C) {
  const std::vector<Ranks> Tangents = basis(C.Src, C.Meaning, C.N);
  std::vector<Ranks> Images;
  for (const Ranks &X : Tangents)
    Images.push_back(apply(C.Row.Op, C.Src, C.Dst, X));
  const Shape Meaning = denotation(C.Dst, Images.front()).Dims;
  const Layout From = C.Dst.dual(), To = C.Src.dual();
  for (const Ranks &Cotangent : basis(From, Meaning, C.N)) {
    const Ranks Back =
        apply(C.Row.BackwardOp, From, To, Cotangent, /*Transposed=*/true);
    const std::string Shown = C.str() + ": the gradient " + print(Cotangent) +
                              " becomes " + print(Back);
    if (!isLegal(To, Back))
      return Shown + ", which is not " + To.str();
    for (std::size_t I = 0; I != Tangents.size(); ++I) {
      if (!llvm::equal(Back, Tangents[I], [](const Tensor &A, const Tensor &B) {
            return A.Dims == B.Dims;
          }))
        return Shown + ", which has another shape";
      if (pairing(C.Src, Back, Tangents[I]) !=
          pairing(C.Dst, Cotangent, Images[I]))
        return Shown + ", which is wrong along " + print(Tangents[I]);
    }
  }
  return {};
}

} // namespace spmd::oracle
