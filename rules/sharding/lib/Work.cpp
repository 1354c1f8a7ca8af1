//===- Work.cpp - What an op takes on the shards of a rank ----------------===//

#include "spmd/sharding/Strategy.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::sharding {

namespace {

class Roofline {
public:
  Roofline(const Graph &G, const Node &N, const Strategy &S,
           const CostModel &Costs)
      : G(G), N(N), S(S), Costs(Costs), Parts(N.Rule->Factors.size(), 1) {
    for (std::size_t I = 0; I != N.Rule->Operands.size(); ++I)
      for (std::size_t D = 0; D != N.Rule->Operands[I].size(); ++D)
        if (N.Operands[I].Value && !N.Rule->Operands[I][D].empty())
          divide(N.Rule->Operands[I][D],
                 Costs.Mesh.sizeOf(S.Wanted[I].Where.Dims[D]));
  }

  Work run() const {
    const double Result = N.Result ? bytes(*N.Result, S.Made) : 0;
    double Operands = 0, Gradients = 0;
    unsigned Differentiable = 0;
    for (std::size_t I = 0; I != N.Operands.size(); ++I) {
      if (!N.Operands[I].Value)
        continue;
      const Value &V = G.Values[*N.Operands[I].Value];
      double Here = bytes(*N.Operands[I].Value, S.Wanted[I]);
      if (picksRows() && I == 0)
        Here = std::min(Here, Result);
      Operands += Here;
      if (V.Differentiable) {
        Gradients += Here;
        ++Differentiable;
      }
    }
    Work Out;
    const double Flops = flops();
    Out.Forward = seconds(Flops, Operands + Result);
    if (!N.Result || !G.Values[*N.Result].Differentiable)
      return Out;
    // A product has one product for each operand's gradient, of the result's
    // gradient and the other operands; any other op has one pass for all.
    Out.Backward = isProduct()
                       ? Differentiable * seconds(Flops, Operands + Result)
                       : seconds(Flops, Result + Operands + Gradients);
    return Out;
  }

private:
  /// The outermost factors of a dim take the shards.
  void divide(const FactorRule::Dim &Factors, int Ranks) {
    for (unsigned F : Factors) {
      if (Parts[F] > 1) { // seen in another operand
        Ranks /= std::min(Ranks, Parts[F]);
        continue;
      }
      const std::int64_t Size = N.Rule->Factors[F].Size.asNumber().value_or(1);
      const int Here = Size < Ranks
                           ? static_cast<int>(std::max<std::int64_t>(Size, 1))
                           : Ranks;
      Parts[F] = Here;
      Ranks /= Here;
    }
  }

  double localSize(unsigned F) const {
    return static_cast<double>(N.Rule->Factors[F].Size.asNumber().value_or(1)) /
           Parts[F];
  }
  double bytes(ValueId Id, const ValueType &T) const {
    const Value &V = G.Values[Id];
    return V.HasDims
               ? localElements(T.Where, V.Sizes, Costs.Mesh) * V.ElementBytes
               : 0;
  }
  double seconds(double Flops, double Bytes) const {
    return std::max(Flops / Costs.FlopsPerSecond, Bytes / Costs.BytesPerSecond);
  }

  bool isTerm(ShapeTerm T) const {
    return N.Op->Rule->Shape->Notations.empty() && N.Op->Rule->Shape->Term == T;
  }
  bool picksRows() const {
    return isTerm(ShapeTerm::Lookup) || isTerm(ShapeTerm::Gather);
  }
  bool isSummed(unsigned F) const {
    unsigned In = 0;
    for (const FactorRule::Tensor &T : N.Rule->Operands)
      In += llvm::any_of(T, [&](const FactorRule::Dim &D) {
        return llvm::is_contained(D, F);
      });
    return In > 1 && N.Rule->isContracted(F);
  }
  bool isProduct() const {
    if (isTerm(ShapeTerm::Attend) || isTerm(ShapeTerm::Convolve))
      return true;
    for (unsigned F = 0; F != N.Rule->Factors.size(); ++F)
      if (isSummed(F))
        return true;
    return false;
  }

  double flops() const {
    if (!isProduct())
      return 0;
    double All = 2;
    for (unsigned F = 0; F != N.Rule->Factors.size(); ++F)
      All *= localSize(F);
    if (!isTerm(ShapeTerm::Attend))
      return All;
    // Two products, of which each has one of the two inner dims.
    const unsigned E = N.Rule->Operands[0].back().front(),
                   D = N.Rule->Result.back().front();
    return E == D ? 2 * All : All / localSize(E) + All / localSize(D);
  }

  const Graph &G;
  const Node &N;
  const Strategy &S;
  const CostModel &Costs;
  llvm::SmallVector<int, 8> Parts; ///< by factor
};

} // namespace

Work workOf(const Graph &G, const Node &N, const Strategy &S,
            const CostModel &Costs) {
  if (!N.Rule || N.isView())
    return {};
  return Roofline(G, N, S, Costs).run();
}

} // namespace spmd::sharding
