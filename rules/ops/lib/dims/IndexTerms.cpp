//===- IndexTerms.cpp - Terms with an index among the operands ------------===//
//
// Operands are, in this order: the data, the indices, what is written. A shard
// of an indexed dim has other positions than the whole, so that dim is whole.
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

/// What is read or written where several indices point.
struct Chosen {
  Tensor Indices; ///< broadcast together
  Tensor Part;    ///< the data's dims with those of the indices in place
};

/// Numbers in tensors without dims have taken their dims before the others
/// choose, as PyTorch does it.
std::optional<Chosen> choose(RuleBuilder &B, const Tensor &Data) {
  llvm::SmallVector<unsigned, 4> Which, At;
  for (unsigned I : B.tensors())
    if (B.position(I) == 1)
      Which.push_back(I);
  if (!Which.empty())
    At = B.dims(0, static_cast<unsigned>(Data.size()))
             .value_or(llvm::SmallVector<unsigned, 4>());
  if (Which.size() != At.size() || !llvm::is_sorted(At)) {
    B.undecided("dims");
    return std::nullopt;
  }
  for (unsigned I : Which)
    if (!B.spec(I).Positions) {
      B.undecided("whether an index is a mask");
      return std::nullopt;
    }
  Chosen Out{B.aligned(Which), {}};
  std::optional<unsigned> First, Last; ///< in the part
  bool Adjacent = true;
  for (unsigned D = 0; D != Data.size(); ++D) {
    const auto *Found = llvm::find(At, D);
    if (Found == At.end()) {
      Out.Part.push_back(Data[D]);
      continue;
    }
    B.needWhole(Data[D]);
    if (B.spec(Which[Found - At.begin()]).rank() == 0)
      continue;
    const auto Here = static_cast<unsigned>(Out.Part.size());
    Adjacent &= !Last || *Last == Here;
    Last = Here;
    if (!First)
      First = Here;
  }
  Out.Part.insert(Out.Part.begin() + (Adjacent ? First.value_or(0) : 0),
                  Out.Indices.begin(), Out.Indices.end());
  return Out;
}

void index(RuleBuilder &B, unsigned Data) {
  const Tensor Dims = B.separate(Data);
  if (std::optional<Chosen> C = choose(B, Dims))
    B.result(std::move(C->Part));
}

void put(RuleBuilder &B, unsigned Data) {
  const Tensor Dims = B.separate(Data);
  const std::optional<Chosen> C = choose(B, Dims);
  if (!C)
    return;
  for (const RuleBuilder::Dim &D : C->Indices)
    B.needWhole(D);
  if (const std::optional<unsigned> Values = B.at(2)) {
    const unsigned Rank = B.spec(*Values).rank();
    if (Rank > C->Part.size())
      return B.undecided("the number of dims");
    B.operand(*Values).resize(Rank);
    const std::size_t Before = C->Part.size() - Rank;
    for (unsigned D = 0; D != Rank; ++D)
      B.share(*Values, D, C->Part[Before + D], Data);
  }
  B.result(Dims);
}

} // namespace

void buildIndexed(RuleBuilder &B, ShapeTerm T) {
  const llvm::ArrayRef<unsigned> Which = B.tensors();
  if (T == ShapeTerm::Index || T == ShapeTerm::Put) {
    const std::optional<unsigned> Data = B.at(0);
    if (!Data)
      return B.undecided("the tensor");
    return T == ShapeTerm::Index ? index(B, *Data) : put(B, *Data);
  }
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
