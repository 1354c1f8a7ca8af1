//===- SpecGradients.cpp - Gradients of a call on the ranks ---------------===//

#include "spmd/oracle/SpecGradients.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::oracle {

namespace {

/// Softmax of a product and what it weighs: no reference is of higher degree.
constexpr unsigned MaxDegree = 4;

/// The layout of gradients of what has layout \p L.
planner::Layout dual(const planner::Layout &L, const DeviceMesh &M) {
  planner::Layout Out;
  Out.Dims = L.Dims;
  for (planner::AxisIndex A = 0; A != M.All.size(); ++A)
    if (!L.shards(A) && !L.isPartial(A))
      Out.Partial.push_back(A);
  return Out;
}

/// \p Operands with \p Times \p Along added to operand \p I.
MaybeTensor moved(const SpecCall &Call, std::vector<Tensor> Operands,
                  unsigned I, Number Times, const Tensor &Along,
                  const ShardCounts *Counts) {
  Operands[I] = Operands[I] + Times * Along;
  return runReference(Call, Operands, Counts);
}

/// The differences of order 0, 1, ... of values at 0, 1, ..., at 0.
std::vector<Tensor> differences(std::vector<Tensor> Values) {
  std::vector<Tensor> Out;
  while (!Values.empty()) {
    Out.push_back(Values.front());
    for (std::size_t K = 0; K + 1 < Values.size(); ++K)
      Values[K] = Values[K + 1] + Number(-1) * Values[K];
    Values.pop_back();
  }
  return Out;
}

/// How a polynomial of degree \p Degree changes along \p Along.
Tensor slope(const SpecCall &Call, const std::vector<Tensor> &Operands,
             const Tensor &Value, unsigned I, const Tensor &Along,
             unsigned Degree, const ShardCounts *Counts) {
  std::vector<Tensor> Values = {Value};
  for (unsigned T = 1; T <= Degree; ++T)
    Values.push_back(*moved(Call, Operands, I, T, Along, Counts));
  const std::vector<Tensor> Of = differences(std::move(Values));
  Tensor Out = Tensor::zeros(Value.Dims);
  for (unsigned K = 1; K <= Degree; ++K) {
    const Number Part = inverse(K);
    Out = Out + (K % 2 ? Part : -Part) * Of[K];
  }
  return Out;
}

Tensor randomLike(const Tensor &X, std::mt19937 &Random) {
  Tensor Out = X;
  for (Number &N : Out.Data)
    N = static_cast<Number>(Random() % 15) - 7;
  return Out;
}

bool isZero(const Tensor &X) {
  return llvm::all_of(X.Data, [](Number N) { return N == 0; });
}

} // namespace

std::optional<unsigned> SpecGradients::degree(const Forward &F, unsigned I) {
  const Tensor Along = randomLike(Operands[I], Random);
  std::vector<Tensor> Values = {F.Whole};
  for (unsigned T = 1; T <= MaxDegree + 1; ++T) {
    MaybeTensor Value = moved(F.Call, Operands, I, T, Along, F.Counts);
    if (!Value)
      return std::nullopt;
    Values.push_back(std::move(*Value));
  }
  const std::vector<Tensor> Of = differences(std::move(Values));
  for (unsigned N = MaxDegree + 1; N != 0; --N)
    if (!isZero(Of[N]))
      return N > MaxDegree ? std::nullopt : std::optional(N);
  return 1;
}

bool SpecGradients::isRight(const Forward &F, const Tensor &Cotangent,
                            const Ranks &Cotangents, unsigned I,
                            std::size_t Element, unsigned Degree) const {
  Tensor Unit = Tensor::zeros(Operands[I].Dims);
  Unit.Data[Element] = 1;
  const Number Expected = dot(
      Cotangent, slope(F.Call, Operands, F.Whole, I, Unit, Degree, F.Counts));
  // One number for each rank that has the element.
  Ranks Found(static_cast<std::size_t>(M.ranks()));
  std::vector<bool> Has(Found.size());
  for (std::size_t R = 0; R != Found.size(); ++R) {
    const Tensor Here = shardOf(Unit, *F.Layouts[I], M, static_cast<int>(R));
    Has[R] = !isZero(Here);
    std::vector<Tensor> Own;
    for (const Ranks &S : F.Shards)
      Own.push_back(S[R]);
    Found[R] = {{},
                {Has[R] ? dot(Cotangents[R], slope(F.Call, Own, F.Made[R], I,
                                                   Here, Degree, nullptr))
                        : 0}};
  }
  planner::Layout Scalar;
  Scalar.Partial = dual(*F.Layouts[I], M).Partial;
  // What others have of other elements does not matter.
  for (std::size_t R = 0; R != Found.size(); ++R)
    for (std::size_t Other = 0; Other != Found.size() && !Has[R]; ++Other) {
      bool SameSum = Has[Other];
      for (planner::AxisIndex A : Scalar.Partial)
        SameSum &= M.coordinate(static_cast<int>(R), A) ==
                   M.coordinate(static_cast<int>(Other), A);
      if (SameSum) {
        Found[R] = Found[Other];
        break;
      }
    }
  return reassembles(Found, Tensor{{}, {Expected}}, Scalar, M);
}

std::string SpecGradients::check(const Forward &F) {
  Degrees.resize(Operands.size());
  const Tensor Cotangent = randomLike(F.Whole, Random);
  const Ranks Cotangents = distribute(Cotangent, dual(F.Layout, M), M, Random);
  for (unsigned I = 0; I != Operands.size(); ++I) {
    if (X.PositionsOf[I] || Operands[I].Data.empty())
      continue;
    if (!Degrees[I])
      Degrees[I] = degree(F, I);
    if (!*Degrees[I])
      continue;
    ++Count;
    for (int Try = 0; Try != 2; ++Try) {
      const std::size_t Element = Random() % Operands[I].Data.size();
      if (!isRight(F, Cotangent, Cotangents, I, Element, **Degrees[I]))
        return "the gradient of operand " + std::to_string(I + 1) +
               " is not of its layout";
    }
  }
  return {};
}

} // namespace spmd::oracle
