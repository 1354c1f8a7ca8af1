//===- SizeTerms.cpp - Terms that give dims another size ------------------===//
//
// A dim that an op makes as long as the program says may be a part of any
// whole, like the tensors of a factory: nobody knows its size.
//
//===----------------------------------------------------------------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;
using Dim = RuleBuilder::Dim;

Extent wholeSize(const RuleBuilder &B, const Dim &D) {
  if (D.empty())
    return Extent::number(1);
  const ShardedDim *S = B.shardsOf(D);
  return S ? S->Size : Extent();
}

bool isAbsent(const RuleBuilder &B, llvm::StringRef Name) {
  const OpArgument *A = B.argument(Name);
  return !A ||
         (A->Value && std::holds_alternative<OpArgument::None>(*A->Value));
}

/// What the first elements of \p Whole are, as many as the program names by a
/// size it has elsewhere: `pos.slice(1, 0, x.size(1))`.
Extent sizeOfFirst(const RuleBuilder &B, const Extent &Whole,
                   llvm::StringRef Length) {
  if (!isAbsent(B, "start") && B.integer("start") != 0)
    return {};
  const Extent Size = B.size(Length);
  const Extent Parts = Whole / Size;
  // Of two sizes that cannot be compared, nobody asks for more than there is.
  const bool Fits = Parts.isWhole() || (Parts.isKnown() && !Parts.isNumeric());
  return Size.isKnown() && Fits ? Size : Extent();
}

/// What slice(start, end, step) leaves.
Extent sizeOfSlice(const RuleBuilder &B, const Extent &Whole) {
  const auto Size = Whole.asNumber();
  const auto Bound = [&](llvm::StringRef Name,
                         std::int64_t None) -> std::optional<std::int64_t> {
    const auto Given = isAbsent(B, Name) ? None : B.integer(Name);
    if (!Given || !Size)
      return std::nullopt;
    return std::clamp(*Given < 0 ? *Given + *Size : *Given, std::int64_t(0),
                      *Size);
  };
  const auto Start = Bound("start", 0),
             End = Bound("end", std::numeric_limits<std::int64_t>::max());
  const bool EachOne = isAbsent(B, "step") || B.integer("step") == 1;
  if (!EachOne)
    return {};
  return Start && End ? Extent::number(*End - *Start)
                      : sizeOfFirst(B, Whole, "end");
}

/// The size of each part, by the names that the functions give it.
Extent sizeOfPart(const RuleBuilder &B, const Extent &Whole) {
  if (const auto Chunks = B.integer("chunks")) {
    const Extent Out = Whole / Extent::number(*Chunks);
    return Out.isNumeric() && !Out.asNumber() ? Extent() : Out;
  }
  if (const auto Each = B.integer("split_size")) {
    const Extent Parts = Whole / Extent::number(*Each);
    return Parts.isWhole() ? Extent::number(*Each) : Extent();
  }
  if (B.argument("start") && B.argument("end"))
    return sizeOfSlice(B, Whole);
  if (const auto Length = B.integer("length|k"))
    return Extent::number(*Length);
  return B.argument("start") ? sizeOfFirst(B, Whole, "length") : Extent();
}

/// Whether slice(start, end, step), narrow(start, length) or a split leaves
/// what this rank has of \p D as it is.
bool isAll(const RuleBuilder &B, const Dim &D) {
  const ShardedDim *S = B.shardsOf(D);
  const auto IsLength = [&](llvm::StringRef Name) {
    const auto Given = B.integer(Name);
    return Given == std::numeric_limits<std::int64_t>::max() ||
           (S && compare(B.localSize(*S), B.size(Name)) == SameSize::Yes);
  };
  const bool FromStart = isAbsent(B, "start") || B.integer("start") == 0;
  if (B.argument("end"))
    return FromStart && (isAbsent(B, "end") || IsLength("end")) &&
           (isAbsent(B, "step") || B.integer("step") == 1);
  if (B.argument("start"))
    return FromStart && IsLength("length");
  return IsLength("split_size");
}

void part(RuleBuilder &B, Tensor Dims) {
  const auto Over = B.dimsOrAll(0, Dims);
  for (unsigned D : Over) {
    if (B.failed() || isAll(B, Dims[D]))
      continue;
    const Extent Size = sizeOfPart(B, wholeSize(B, Dims[D]));
    B.needWhole(Dims[D]);
    Dims[D] = Size.isOne() ? Dim() : Dim{B.add(Size, /*Whole=*/true)};
  }
  B.result(std::move(Dims));
}

void pick(RuleBuilder &B, Tensor Dims) {
  const unsigned D = B.dim(0, static_cast<unsigned>(Dims.size()));
  if (B.failed())
    return;
  B.needWhole(Dims[D]);
  Dims.erase(Dims.begin() + D);
  B.result(std::move(Dims));
}

void pad(RuleBuilder &B, Tensor Dims) {
  const std::optional<unsigned> Length = B.lengthOf(0);
  if (!Length || *Length % 2 || *Length / 2 > Dims.size())
    return B.undecided("pad");
  const auto Sizes = B.sizes(0);
  for (unsigned I = 0; I != *Length / 2; ++I) {
    Dim &D = Dims[Dims.size() - 1 - I];
    const std::optional<std::int64_t> Before = Sizes[2 * I].Number,
                                      After = Sizes[2 * I + 1].Number;
    if (Before == 0 && After == 0)
      continue;
    const auto Was = wholeSize(B, D).asNumber();
    const ShardedDim *S = B.shardsOf(D);
    if ((!Before || !After) && S && !S->Axes.empty())
      return B.undecided("pad");
    B.needWhole(D);
    D = {B.add(Was && Before && After ? Extent::number(*Was + *Before + *After)
                                      : Extent(),
               /*Whole=*/true)};
  }
  B.result(std::move(Dims));
}

void repeat(RuleBuilder &B, Tensor Dims) {
  const auto Times = B.sizes(0);
  if (B.failed() || Times.size() < Dims.size())
    return B.undecided("repeats");
  Dims.insert(Dims.begin(), Times.size() - Dims.size(), Dim());
  for (std::size_t I = 0; I != Times.size(); ++I) {
    if (Times[I].Size.isOne())
      continue;
    const ShardedDim *S = B.shardsOf(Dims[I]);
    if (S && !S->Axes.empty() && !Times[I].Number)
      return B.undecided("repeats");
    B.needWhole(Dims[I]);
    Dims[I] = {B.add(S ? S->Size * Times[I].Size : Extent(), /*Whole=*/true)};
  }
  B.result(std::move(Dims));
}

void expand(RuleBuilder &B, Tensor Dims) {
  const auto Sizes = B.sizes(0);
  if (B.failed() || Sizes.size() < Dims.size())
    return B.undecided("size");
  Dims.insert(Dims.begin(), Sizes.size() - Dims.size(), Dim());
  for (std::size_t I = 0; I != Sizes.size(); ++I) {
    if (Sizes[I].Rest)
      continue;
    if (Dims[I].empty()) {
      if (!Sizes[I].Size.isOne())
        Dims[I] = {B.add(Extent(), /*Whole=*/true)};
      continue;
    }
    const ShardedDim *S = B.shardsOf(Dims[I]);
    const Extent Local = S ? B.localSize(*S) : Extent();
    if (compare(Local, Sizes[I].Size) == SameSize::Yes)
      continue;
    // Of size one on this rank, but not as a whole, or of another size.
    if (!Local.isOne() || !Sizes[I].Size.isKnown())
      return B.undecided("size");
    B.needWhole(Dims[I]);
  }
  B.result(std::move(Dims));
}

/// h -> (h r^), where each rank repeats its elements.
void interleave(RuleBuilder &B, Tensor Dims) {
  const OpArgument *Repeats = B.argument("repeats");
  const auto Asked = B.dims(0, static_cast<unsigned>(Dims.size()));
  if (B.failed())
    return;
  if (Asked && Asked->size() != 1)
    return B.undecided("dim");
  unsigned At = Asked ? Asked->front() : 0;
  if (!Asked) {
    Dim All;
    for (const Dim &D : Dims)
      All.append(D.begin(), D.end());
    Dims = {All};
  }
  if (!Repeats) { // a tensor: another number for each element
    B.needWhole(Dims[At]);
    Dims[At] = {B.add(Extent(), /*Whole=*/true)};
    return B.result(std::move(Dims));
  }
  const auto Times = B.integer("repeats");
  if (Times != 1)
    Dims[At].push_back(
        B.add(Times ? Extent::number(*Times) : Extent(), /*Whole=*/true));
  B.result(std::move(Dims));
}

} // namespace

void buildSizes(RuleBuilder &B, ShapeTerm T) {
  Tensor Dims = B.aligned();
  if (B.failed())
    return;
  switch (T) {
  case ShapeTerm::Expand:
    return expand(B, std::move(Dims));
  case ShapeTerm::Interleave:
    return interleave(B, std::move(Dims));
  case ShapeTerm::Pad:
    return pad(B, std::move(Dims));
  case ShapeTerm::Pick:
    return pick(B, std::move(Dims));
  case ShapeTerm::Repeat:
    return repeat(B, std::move(Dims));
  default:
    return part(B, std::move(Dims));
  }
}

} // namespace spmd::rules::global
