//===- LayerTerms.cpp - Convolution, attention, batch norm ----------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;
using Dim = RuleBuilder::Dim;

bool isSharded(const RuleBuilder &B, unsigned I, unsigned D) {
  return !B.spec(I).Dims[D].Axes.empty();
}

/// n c x.. becomes n c x..; the others have c only.
void channels(RuleBuilder &B) {
  const auto Input = B.at(0);
  if (!Input || B.spec(*Input).rank() < 2)
    return B.undecided("the number of dims");
  Tensor Dims = B.separate(*Input);
  bool Training = B.flag(0);
  for (unsigned D = 0; D != Dims.size() && Training; ++D)
    if (D != 1)
      B.needWhole(Dims[D]);
  for (unsigned I : B.tensors()) {
    if (I == *Input)
      continue;
    if (B.spec(I).rank() != 1)
      return B.undecided("the number of dims");
    B.operand(I).resize(1);
    B.share(I, 0, Dims[1], *Input);
  }
  B.result(std::move(Dims));
}

void convolve(RuleBuilder &B) {
  const auto Input = B.at(0), Weight = B.at(1), Bias = B.at(2);
  if (!Input || !Weight)
    return B.undecided("the weight");
  const PartitionSpec &X = B.spec(*Input), &W = B.spec(*Weight);
  if (W.rank() < 3 || X.rank() > W.rank() || X.rank() + 1 < W.rank())
    return B.undecided("the number of dims");
  const auto Groups = B.numbers(0);
  const bool Transposed = B.flag(1);
  if (B.failed() || Groups.size() > 1)
    return B.undecided("groups");
  const bool Grouped = !Groups.empty() && Groups[0] != 1;

  const unsigned C = X.rank() == W.rank() ? 1 : 0; // n comes before
  const unsigned OfIn = Transposed ? 0 : 1, OfOut = Transposed ? 1 : 0;
  // A struct of options may hold a bias, which is not to be added up.
  if (B.hasOptions() && !Bias &&
      (isSharded(B, *Input, C) || isSharded(B, *Weight, OfIn)))
    return B.undecided("options");

  B.operand(*Input).resize(X.rank());
  B.operand(*Weight).resize(W.rank());
  Tensor Out;
  if (C == 1) {
    const ShardedDim &N = X.Dims[0];
    Out.push_back(N.isOne() ? Dim() : Dim{B.add(N.Size)});
    B.operand(*Input)[0] = Out[0];
  }
  const auto Whole = [&](const Extent &Size) {
    return Dim{B.add(Size, /*Whole=*/true)};
  };
  const unsigned In = B.add(X.Dims[C].Size, Grouped || Bias);
  const unsigned Made = B.add(W.Dims[OfOut].Size, Grouped);
  B.operand(*Input)[C] = {In};
  if (Grouped) {
    B.operand(*Weight)[OfIn] = Whole(W.Dims[OfIn].Size);
  } else {
    B.operand(*Weight)[OfIn] = {In};
    B.checkSize(*Weight, OfIn, In, *Input);
  }
  B.operand(*Weight)[OfOut] = {Made};
  // Transposed, each group makes as many channels.
  Out.push_back(Grouped && Transposed ? Whole(Extent()) : Dim{Made});
  for (unsigned D = C + 1; D != X.rank(); ++D) {
    B.operand(*Input)[D] = Whole(X.Dims[D].Size);
    Out.push_back(Whole(Extent()));
  }
  for (unsigned D = 2; D != W.rank(); ++D)
    B.operand(*Weight)[D] = Whole(W.Dims[D].Size);
  if (Bias) {
    if (B.spec(*Bias).rank() != 1)
      return B.undecided("the bias");
    B.operand(*Bias).resize(1);
    if (Grouped && Transposed)
      B.operand(*Bias)[0] = Whole(B.spec(*Bias).Dims[0].Size);
    else
      B.share(*Bias, 0, {Made}, *Weight);
  }
  B.result(std::move(Out));
}

/// Query ... l e^, key ... s^ e^, value ... s^ d, mask ... l s^ -> ... l d.
void attend(RuleBuilder &B) {
  const auto Query = B.at(0), Key = B.at(1), Value = B.at(2), Mask = B.at(3);
  if (!Query || !Key || !Value)
    return B.undecided("the keys");
  for (unsigned I : B.tensors())
    if (B.spec(I).rank() < 2)
      return B.undecided("the number of dims");
  const PartitionSpec &Q = B.spec(*Query), &K = B.spec(*Key),
                      &V = B.spec(*Value);
  const unsigned R = Q.rank();
  const bool Grouped = B.flag(1);
  if (B.failed())
    return;
  const auto HeadsOf = [R](const PartitionSpec &S) -> const ShardedDim & {
    return S.Dims[R - 3];
  };
  const bool HaveHeads = R > 2 && K.rank() == R && V.rank() == R;
  const bool Split = Grouped && HaveHeads && !HeadsOf(K).Size.isOne() &&
                     compare(HeadsOf(Q).Size, HeadsOf(K).Size) != SameSize::Yes;
  if (Split && !HeadsOf(K).Size.isKnown() && HeadsOf(K).Axes.empty() &&
      !HeadsOf(Q).Axes.empty())
    return B.undecided("the number of heads");
  if (Grouped && !HaveHeads)
    return B.undecided("the number of dims");

  // The heads of grouped queries are those of the keys, each several times.
  Tensor Out;
  if (!Split) {
    Out = B.aligned(B.tensors(), /*Drop=*/2);
  } else {
    Out = B.aligned(B.tensors(), /*Drop=*/3);
    const Extent Heads = HeadsOf(K).Size, Each = HeadsOf(Q).Size / Heads;
    const unsigned H = B.add(Heads),
                   G = B.add(Each.isWhole() ? Each : Extent());
    B.operand(*Query)[R - 3] = {H, G};
    B.operand(*Key)[R - 3] = {H};
    B.operand(*Value)[R - 3] = {H};
    B.checkSize(*Value, R - 3, H, *Key);
    if (Mask && B.spec(*Mask).rank() > 2) {
      const ShardedDim &M = B.spec(*Mask).Dims[B.spec(*Mask).rank() - 3];
      if (!M.isOne())
        B.operand(*Mask)[B.spec(*Mask).rank() - 3] = {H, G};
    }
    Out.push_back({H, G});
  }

  const bool Causal = isSharded(B, *Query, R - 2) && B.flag(0);
  const unsigned L = B.add(Q.Dims[R - 2].Size, Causal);
  const unsigned E = B.add(Q.Dims[R - 1].Size, /*Whole=*/true);
  const unsigned S = B.add(K.Dims[K.rank() - 2].Size, /*Whole=*/true);
  const unsigned D = B.add(V.Dims[V.rank() - 1].Size);
  B.operand(*Query)[R - 2] = {L};
  B.operand(*Query)[R - 1] = {E};
  B.operand(*Key)[K.rank() - 2] = {S};
  B.operand(*Key)[K.rank() - 1] = {E};
  B.checkSize(*Key, K.rank() - 1, E, *Query);
  B.operand(*Value)[V.rank() - 2] = {S};
  B.checkSize(*Value, V.rank() - 2, S, *Key);
  B.operand(*Value)[V.rank() - 1] = {D};
  if (Mask) {
    const unsigned M = B.spec(*Mask).rank();
    B.share(*Mask, M - 2, {L}, *Query);
    B.share(*Mask, M - 1, {S}, *Key);
  }
  Out.push_back({L});
  Out.push_back({D});
  B.result(std::move(Out));
}

} // namespace

void buildLayer(RuleBuilder &B, ShapeTerm T) {
  if (T == ShapeTerm::Attend)
    return attend(B);
  if (T == ShapeTerm::Convolve)
    return convolve(B);
  channels(B);
}

} // namespace spmd::rules::global
