//===- ReferenceRun.h - One run of a reference ------------------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_REFERENCERUN_H
#define SPMD_ORACLE_LIB_REFERENCERUN_H

#include "spmd/oracle/SpecReference.h"

namespace spmd::oracle {

struct ReferenceRun {
  ReferenceRun(const SpecCall &Call, llvm::ArrayRef<Tensor> Given,
               const ShardCounts *Whole)
      : Call(Call), Shape(*Call.Op->Shape), Whole(Whole),
        Operands(Given.begin(), Given.end()), Spoken(Call.spoken()) {}

  const Tensor &spoken(std::size_t I) const {
    return Operands[Spoken[I].Actual];
  }
  /// The one in place \p Position of the alternative; null: not given.
  const Tensor *at(unsigned Position) const;
  /// The dims that parameter \p P names. Nothing: out of range.
  std::optional<Index> dims(unsigned P, std::size_t Rank) const;
  std::optional<int> dim(unsigned P, std::size_t Rank) const;
  /// The sizes asked for; of the whole when that is to be made.
  oracle::Shape sizes(unsigned P, std::size_t FirstDim = 0) const;
  const SpecCall &Call;
  const rules::ShapeRule &Shape;
  const ShardCounts *Whole;
  std::vector<Tensor> Operands;
  llvm::SmallVector<SpecCall::Spoken, 4> Spoken;
};

Index allDims(const Tensor &X);
/// The values of the operands, by the term of the op.
MaybeTensor valueOf(const SpecCall &Call, llvm::ArrayRef<Tensor> Operands);

// What the term of the alternative makes of the value of the operands, by
// families of terms.
MaybeTensor runDims(const ReferenceRun &R, const Tensor &X);  // DimReference
MaybeTensor runSizes(const ReferenceRun &R, const Tensor &X); // SizeReference
// What it makes of the operands.
MaybeTensor runIndexed(const ReferenceRun &R); // IndexReference.cpp
MaybeTensor runPointed(const ReferenceRun &R); // PointReference.cpp
MaybeTensor runJoined(const ReferenceRun &R);
MaybeTensor runBatch(const ReferenceRun &R); // LayerReference.cpp
MaybeTensor runChannels(const ReferenceRun &R);
MaybeTensor runClassify(const ReferenceRun &R);
MaybeTensor runConvolve(const ReferenceRun &R);
MaybeTensor runAttend(const ReferenceRun &R);
MaybeTensor runEinsum(const ReferenceRun &R);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_REFERENCERUN_H
