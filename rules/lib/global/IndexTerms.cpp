//===- IndexTerms.cpp - Terms with an index among the operands ------------===//
//
// Operands are, in this order: the data, the index, what is written. A shard of
// an indexed dim has other positions than the whole, so that dim is whole.
//
//===----------------------------------------------------------------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;

/// Dims of the data and the index are the same but for \p At; where the index
/// has fewer elements, both are needed whole.
void shareDims(RuleBuilder &B, unsigned Data, unsigned With, unsigned At) {
  const PartitionSpec &D = B.spec(Data), &W = B.spec(With);
  for (unsigned I = 0; I != W.rank(); ++I) {
    const bool Same = I != At && I < D.rank() &&
                      compare(D.Dims[I].Size, W.Dims[I].Size) != SameSize::No;
    if (Same) {
      B.operand(With)[I] = B.operand(Data)[I];
      continue;
    }
    if (I < D.rank())
      B.needWhole(B.operand(Data)[I]);
    B.operand(With)[I] = {B.add(W.Dims[I].Size, /*Whole=*/I != At)};
  }
}

void gather(RuleBuilder &B, llvm::ArrayRef<unsigned> Which) {
  const unsigned Data = Which[0], Index = Which[1];
  B.separate(Data);
  B.operand(Index).resize(B.spec(Index).rank());
  const auto Asked = B.dims(0, B.spec(Data).rank());
  if (!Asked || Asked->size() != 1 ||
      B.spec(Index).rank() != B.spec(Data).rank())
    B.undecided("dim");
  if (B.failed())
    return;
  const unsigned At = Asked->front();
  shareDims(B, Data, Index, At);
  B.needWhole(B.operand(Data)[At]);
  B.result(B.operand(Index));
}

void lookup(RuleBuilder &B, llvm::ArrayRef<unsigned> Which) {
  const unsigned Data = Which[0], Index = Which[1];
  Tensor Out = B.separate(Data);
  const Tensor Chosen = B.separate(Index);
  const auto Asked = B.dims(0, B.spec(Data).rank());
  if (B.failed())
    return;
  if (!Asked) { // of the elements in their order
    for (const RuleBuilder::Dim &D : Out)
      B.needWhole(D);
    return B.result(Chosen);
  }
  if (Asked->size() != 1)
    return B.undecided("dim");
  const unsigned At = Asked->front();
  B.needWhole(Out[At]);
  Out.erase(Out.begin() + At);
  Out.insert(Out.begin() + At, Chosen.begin(), Chosen.end());
  B.result(std::move(Out));
}

void scatter(RuleBuilder &B, llvm::ArrayRef<unsigned> Which) {
  const unsigned Data = Which[0];
  const Tensor Out = B.separate(Data);
  const unsigned At = B.dim(0, B.spec(Data).rank());
  if (B.failed())
    return;
  B.needWhole(Out[At]);
  for (unsigned I : Which.drop_front()) {
    if (B.spec(I).rank() != Out.size())
      return B.undecided("the number of dims");
    B.operand(I).resize(B.spec(I).rank());
    shareDims(B, Data, I, At);
    if (At < B.operand(I).size())
      B.needWhole(B.operand(I)[At]);
  }
  B.result(Out);
}

} // namespace

void buildIndexed(RuleBuilder &B, ShapeTerm T) {
  const llvm::ArrayRef<unsigned> Which = B.tensors();
  const std::size_t Least = T == ShapeTerm::Scatter ? 1 : 2;
  if (Which.size() < Least)
    return B.undecided("the index");
  if (T == ShapeTerm::Gather)
    return gather(B, Which);
  if (T == ShapeTerm::Lookup)
    return lookup(B, Which);
  scatter(B, Which);
}

} // namespace spmd::rules::global
