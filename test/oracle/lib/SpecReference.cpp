//===- SpecReference.cpp - What an op with a shape rule computes ----------===//

#include "ReferenceRun.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace spmd::rules;

namespace spmd::oracle {

using T = ShapeTerm;

Index allDims(const Tensor &X) {
  Index Out;
  for (int D : llvm::seq(static_cast<int>(X.Dims.size())))
    Out.push_back(D);
  return Out;
}

const Tensor *ReferenceRun::at(unsigned Position) const {
  for (const SpecCall::Spoken &S : Spoken)
    if (S.Position == Position)
      return &Operands[S.Actual];
  return nullptr;
}

std::optional<Index> ReferenceRun::dims(unsigned P, std::size_t Rank) const {
  Index Out;
  const auto R = static_cast<int>(Rank);
  for (int D : Call.numbers(P).value_or(Index())) {
    if (D < -R || D >= R)
      return std::nullopt;
    Out.push_back(D < 0 ? D + R : D);
  }
  return Out;
}

std::optional<int> ReferenceRun::dim(unsigned P, std::size_t Rank) const {
  const auto D = dims(P, Rank);
  return D && D->size() == 1 ? std::optional(D->front()) : std::nullopt;
}

Shape ReferenceRun::sizes(unsigned P, std::size_t FirstDim) const {
  oracle::Shape Out = Call.numbers(P).value_or(Index());
  if (Whole)
    for (std::size_t D = 0; D != Out.size(); ++D)
      if (Out[D] != -1)
        Out[D] *= (*Whole)[FirstDim + D];
  return Out;
}

MaybeTensor valueOf(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands) {
  return combine(Call, Operands,
                 [](Tensor Value, llvm::ArrayRef<unsigned>) { return Value; });
}

/// \p X in the dims of the operands that give no more than dims.
static MaybeTensor inDimsOfOthers(const ReferenceRun &R, MaybeTensor X) {
  for (const SpecCall::Spoken &S : R.Spoken)
    if (X && !readsValue(R.Call.Op->Term, R.Call.FormalOf[S.Actual]))
      X = broadcast({*X, R.Operands[S.Actual]},
                    [](llvm::ArrayRef<Number> Both) { return Both.front(); });
  return X;
}

llvm::StringRef whyNotRun(const ShapeRule &S) {
  if (!S.Notations.empty())
    return {};
  if (S.Term == T::Written)
    return "all ranks write alike, so that any layout stays what it is";
  return {};
}

MaybeTensor runReference(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands,
                         const ShardCounts *Whole) {
  if (Call.Computes)
    return Call.Computes(Call, Operands);
  if (Call.Known) {
    SpecCall Known = Call;
    Known.Op = Call.Known;
    Known.Known = nullptr;
    return runReference(Known, Operands, Whole);
  }
  ReferenceRun R(Call, Operands, Whole);
  // What the alternative does not speak of plays some part, all of it.
  for (unsigned I = 0; I != R.Operands.size(); ++I)
    if (R.Shape.Term == T::Whole ||
        llvm::none_of(R.Spoken,
                      [&](const SpecCall::Spoken &S) { return S.Actual == I; }))
      R.Operands[I] = reduceDims(R.Operands[I], allDims(R.Operands[I]),
                                 /*Keep=*/false, /*Mix=*/true);
  if (!R.Shape.Notations.empty())
    return runNotation(Call, R.Shape.Notations.front(), R.Operands);
  if (R.Spoken.empty())
    return std::nullopt;
  switch (R.Shape.Term) {
  case T::Gather:
  case T::Lookup:
  case T::Scatter:
    return runIndexed(R);
  case T::Index:
  case T::Put:
    return runPointed(R);
  case T::Concat:
    return runJoined(R);
  case T::Insert:
    if (R.Spoken.size() > 1)
      return runJoined(R);
    break;
  case T::Like:
    return reshaped(R.spoken(0), R.spoken(1).Dims);
  case T::Batch:
    return runBatch(R);
  case T::Channels:
    return runChannels(R);
  case T::Classify:
    return runClassify(R);
  case T::Convolve:
    return runConvolve(R);
  case T::Attend:
    return runAttend(R);
  case T::Einsum:
    return runEinsum(R);
  default:
    break;
  }
  const MaybeTensor X = inDimsOfOthers(R, valueOf(Call, R.Operands));
  return X ? runDims(R, *X) : std::nullopt;
}

} // namespace spmd::oracle
