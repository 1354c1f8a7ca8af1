//===- ReducedShares.cpp - Ops that reduce what each rank has -------------===//

#include "ReducedShares.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

/// Whether the call gives all operands that the alternative \p R speaks of.
static bool fits(const ShapeRule &R, const OpFact &O) {
  return llvm::all_of(R.Of, [&](const ShapeOperand &Named) {
    return Named.Optional || llvm::any_of(O.FormalOf, [&](unsigned Formal) {
             return O.Rule->Formals[Formal].Name == Named.Name;
           });
  });
}

/// The alternative of the op's rule that holds for the call.
static const ShapeRule *shapeOf(const OpFact &O) {
  if (!O.Rule->Shape)
    return nullptr;
  if (fits(*O.Rule->Shape, O))
    return &*O.Rule->Shape;
  const auto Other = llvm::find_if(
      O.Rule->Shape->Otherwise, [&](const ShapeRule &R) { return fits(R, O); });
  return Other == O.Rule->Shape->Otherwise.end() ? nullptr : &*Other;
}

/// What the call gives for the term's parameter \p I; null where the overload
/// has no such parameter.
static const OpArgument *argumentOf(const ShapeRule &R, std::size_t I,
                                    const OpFact &O) {
  if (I >= R.Parameters.size())
    return nullptr;
  llvm::SmallVector<llvm::StringRef, 2> Names;
  llvm::StringRef(R.Parameters[I].Name).split(Names, '|');
  const auto Found = llvm::find_if(O.Arguments, [&](const OpArgument &A) {
    return llvm::is_contained(Names, llvm::StringRef(A.Name));
  });
  return Found == O.Arguments.end() ? nullptr : &*Found;
}

/// Whether \p Dims, those that are reduced, have the one of the shards.
static bool reducesShards(const OpArgument *Dims, std::optional<int> ShardDim) {
  if (!Dims)
    return true; // all of them
  if (!Dims->Value)
    return false;
  if (std::holds_alternative<OpArgument::None>(*Dims->Value))
    return true;
  const auto Is = [&](const std::optional<SizeValue> &D) {
    return D && D->isNumber() && ShardDim && D->Number == *ShardDim;
  };
  if (const auto *One = std::get_if<SizeValue>(&*Dims->Value))
    return Is(*One);
  const auto *All = std::get_if<SizeList>(&*Dims->Value);
  return All && (All->empty() || llvm::any_of(*All, Is));
}

static OfShares madeByLoss(const ShapeRule &R, const OpFact &O) {
  constexpr std::int64_t Mean = 1, Sum = 2; // as ATen numbers them
  const OpArgument *Given = argumentOf(R, 0, O);
  std::optional<std::int64_t> Reduction;
  if (!Given)
    Reduction = R.Parameters.empty() ? std::nullopt : R.Parameters[0].Default;
  else if (Given->Value)
    if (const auto *N = std::get_if<SizeValue>(&*Given->Value);
        N && N->isNumber())
      Reduction = N->Number;
  return Reduction == Mean  ? OfShares::Averages
         : Reduction == Sum ? OfShares::Adds
                            : OfShares::Keeps;
}

static bool hasBatchDims(const FactorTensor &Dims) {
  return llvm::any_of(Dims, [](const FactorDim &D) {
    return D.K == FactorDim::Kind::Ellipsis;
  });
}

/// Whether \p N may be of a call with as many operands, the \p I th of which
/// has a dim \p D.
static bool mayFit(const FactorNotation &N, const OpFact &O, std::size_t I,
                   int D) {
  if (N.Operands.size() != O.Operands.size() ||
      O.FormalOf[I] >= N.Operands.size())
    return false;
  const FactorTensor &Dims = N.Operands[O.FormalOf[I]];
  const auto Rank = static_cast<int>(Dims.size());
  return hasBatchDims(Dims) || (D < 0 ? D + Rank >= 0 : D < Rank);
}

/// Whether \p N adds up along the dim \p D, of which batch dims may leave open
/// which one it is.
static bool contracts(const FactorNotation &N, const FactorTensor &Dims,
                      int D) {
  const auto At =
      static_cast<std::size_t>(D < 0 ? D + static_cast<int>(Dims.size()) : D);
  if (hasBatchDims(Dims) || Dims[At].Factors.size() != 1)
    return false;
  const std::string &Factor = Dims[At].Factors.front().Name;
  const auto Has = [&](const FactorDim &X) {
    return llvm::any_of(
        X.Factors, [&](const FactorUse &Use) { return Use.Name == Factor; });
  };
  return llvm::none_of(N.Results, [&](const FactorTensor &Result) {
    return llvm::any_of(Result, Has);
  });
}

/// Whether that is so whichever of the op's notations fits the call.
static bool contractsShards(const ShapeRule &R, const OpFact &O, std::size_t I,
                            std::optional<int> ShardDim) {
  if (!ShardDim || !R.Of.empty())
    return false;
  bool AnyFits = false;
  for (const FactorNotation &N : R.Notations)
    if (mayFit(N, O, I, *ShardDim)) {
      AnyFits = true;
      if (!contracts(N, N.Operands[O.FormalOf[I]], *ShardDim))
        return false;
    }
  return AnyFits;
}

OfShares madeOfShares(const OpFact &O, std::size_t I,
                      std::optional<int> ShardDim) {
  const ShapeRule *R = shapeOf(O);
  if (!R)
    return OfShares::Keeps;
  if (!R->Notations.empty())
    return contractsShards(*R, O, I, ShardDim) ? OfShares::Adds
                                               : OfShares::Keeps;
  switch (R->Term) {
  case ShapeTerm::Loss:
  case ShapeTerm::Classify:
    return madeByLoss(*R, O);
  case ShapeTerm::Sum:
  case ShapeTerm::Fold:
    break;
  default:
    return OfShares::Keeps;
  }
  if (!reducesShards(argumentOf(*R, 0, O), ShardDim))
    return OfShares::Keeps;
  const bool IsLinear = O.Rule->Term.K == RuleTerm::Kind::Apply &&
                        O.Rule->Term.Class == OpClass::Linear;
  if (IsLinear && R->Term == ShapeTerm::Sum)
    return OfShares::Adds;
  const bool IsMean = llvm::StringRef(O.Rule->Kernel).starts_with("mean(");
  return IsLinear && IsMean ? OfShares::Averages : OfShares::Mixes;
}

} // namespace spmd::fixits
