//===- DimTerms.cpp - Terms that keep, drop, move and add dims ------------===//

#include "RuleBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace spmd::rules::global {

namespace {

using Tensor = RuleBuilder::Tensor;
using Dim = RuleBuilder::Dim;

void reduce(RuleBuilder &B, Tensor Dims, bool NeedsWhole) {
  const auto Over = B.dimsOrAll(0, Dims);
  const bool Keep = B.flag(1);
  Tensor Out;
  for (unsigned D = 0; D != Dims.size(); ++D) {
    if (!llvm::is_contained(Over, D)) {
      Out.push_back(Dims[D]);
      continue;
    }
    if (NeedsWhole)
      B.needWhole(Dims[D]);
    if (Keep)
      Out.push_back({});
  }
  B.result(std::move(Out));
}

/// The dims at \p From come to stand at \p To, the others keep their order.
Tensor moved(const Tensor &Dims, llvm::ArrayRef<unsigned> From,
             llvm::ArrayRef<unsigned> To) {
  std::vector<std::optional<Dim>> Places(Dims.size());
  for (std::size_t I = 0; I != From.size(); ++I)
    Places[To[I]] = Dims[From[I]];
  unsigned Next = 0;
  Tensor Out;
  for (std::optional<Dim> &P : Places) {
    while (!P && llvm::is_contained(From, Next))
      ++Next;
    Out.push_back(P ? *P : Dims[Next++]);
  }
  return Out;
}

void reorder(RuleBuilder &B, ShapeTerm T, Tensor Dims) {
  const auto Rank = static_cast<unsigned>(Dims.size());
  if (T == ShapeTerm::Reverse) {
    std::reverse(Dims.begin(), Dims.end());
    return B.result(std::move(Dims));
  }
  if (T == ShapeTerm::Swap) {
    const unsigned X = B.dim(0, Rank), Y = B.dim(1, Rank);
    if (!B.failed())
      std::swap(Dims[X], Dims[Y]);
    return B.result(std::move(Dims));
  }
  const auto From = B.dims(0, Rank);
  auto To = llvm::to_vector<4>(llvm::seq(Rank));
  if (T == ShapeTerm::Move)
    To = B.dims(1, Rank).value_or(llvm::SmallVector<unsigned, 4>());
  if (!B.failed() && (!From || From->size() != To.size()))
    B.undecided("dims");
  if (!B.failed())
    B.result(moved(Dims, *From, To));
}

void insert(RuleBuilder &B, Tensor Dims) {
  const auto Rank = static_cast<unsigned>(Dims.size());
  const unsigned At = B.dim(0, Rank + 1);
  if (B.failed())
    return;
  // unsqueeze has one operand, stack makes a dim of all of them. One that
  // stands for a list has any number of elements.
  Dim New;
  const std::size_t Tensors = B.tensors().size();
  if (Tensors > 1)
    New = {B.add(Extent::number(static_cast<std::int64_t>(Tensors)),
                 /*Whole=*/true)};
  else if (B.isList(B.tensors().front()))
    New = {B.add(Extent(), /*Whole=*/true)};
  Dims.insert(Dims.begin() + At, New);
  B.result(std::move(Dims));
}

/// Whether a rank sees size one there, whatever the whole tensor has.
SameSize isLocalOne(const RuleBuilder &B, const Dim &D) {
  if (D.empty())
    return SameSize::Yes;
  const ShardedDim *S = B.shardsOf(D);
  const Extent Local = S ? B.localSize(*S) : Extent();
  if (S && !Local.asName().empty())
    return SameSize::No; // a name stands for more than one
  return compare(Local, Extent::number(1));
}

void remove(RuleBuilder &B, Tensor Dims) {
  const auto Rank = static_cast<unsigned>(Dims.size());
  const auto Asked = B.dims(0, Rank);
  Tensor Out;
  for (unsigned D = 0; D != Rank && !B.failed(); ++D) {
    const bool Candidate = !Asked || llvm::is_contained(*Asked, D);
    const SameSize One = Candidate ? isLocalOne(B, Dims[D]) : SameSize::No;
    if (One == SameSize::Unknown)
      return B.undecided("the size of a dim");
    if (One == SameSize::Yes)
      B.needWhole(Dims[D]); // else it is one on this rank only
    else
      Out.push_back(Dims[D]);
  }
  B.result(std::move(Out));
}

/// The sizes added up; unknown unless they are numbers or all alike.
Extent sum(llvm::ArrayRef<Extent> Sizes) {
  if (llvm::all_equal(Sizes))
    return Sizes[0] * Extent::number(static_cast<std::int64_t>(Sizes.size()));
  std::int64_t Out = 0;
  for (const Extent &S : Sizes) {
    if (!S.asNumber())
      return {};
    Out += *S.asNumber();
  }
  return Extent::number(Out);
}

void concat(RuleBuilder &B) {
  if (B.tensors().empty())
    return B.undecided("the elements of a list");
  const unsigned First = B.tensors().front();
  const unsigned Rank = B.spec(First).rank();
  // Empty tensors of one dim go with all others.
  const auto NumFlat = llvm::count_if(
      B.tensors(), [&](unsigned I) { return B.spec(I).rank() == 1; });
  if (NumFlat && static_cast<std::size_t>(NumFlat) != B.tensors().size())
    return B.undecided("the number of dims");
  const unsigned At = B.dim(0, Rank);
  Tensor Out(Rank);
  llvm::SmallVector<Extent, 4> Sizes;
  for (unsigned I : B.tensors()) {
    if (B.failed())
      return;
    const PartitionSpec &S = B.spec(I);
    B.operand(I).resize(S.rank());
    if (S.rank() != Rank) {
      SpecViolation V;
      V.K = SpecViolation::Kind::Rank;
      V.Operand = I;
      V.Other = First;
      return B.wrong(std::move(V));
    }
    for (unsigned D = 0; D != Rank; ++D) {
      if (D == At) {
        B.operand(I)[D] = {B.add(S.Dims[D].Size, /*Whole=*/true)};
        Sizes.push_back(S.Dims[D].Size);
        continue;
      }
      if (Out[D].empty())
        Out[D] = {B.add(S.Dims[D].Size)};
      else
        B.checkSize(I, D, Out[D][0], First);
      B.operand(I)[D] = Out[D];
    }
  }
  const bool IsList = B.tensors().size() == 1 && B.isList(First);
  Out[At] = {B.add(IsList ? Extent() : sum(Sizes), /*Whole=*/true)};
  B.result(std::move(Out));
}

/// Dims of a list's length are those that it gives the sizes of; of an op that
/// counts them, the result may have others.
void batch(RuleBuilder &B) {
  const std::optional<unsigned> Listed = B.lengthOf(0);
  const auto Numbers =
      Listed ? llvm::SmallVector<std::int64_t, 4>() : B.numbers(0);
  if (B.failed() || B.tensors().empty() || (!Listed && Numbers.size() != 1))
    return B.undecided("the number of dims");
  const unsigned First = B.tensors().front();
  const auto Rank = static_cast<std::int64_t>(B.spec(First).rank());
  const std::int64_t Asked = Listed ? *Listed : Numbers[0];
  const auto Inner = static_cast<unsigned>(
      std::clamp(Asked < 0 ? Rank + Asked : Asked, std::int64_t(0), Rank));
  Tensor Out = B.aligned(B.tensors(), Inner);
  for (unsigned I : B.tensors()) {
    const unsigned Own = B.spec(I).rank();
    for (unsigned D = Own > Inner ? Own - Inner : 0; D != Own; ++D)
      B.operand(I)[D] = {B.add(B.spec(I).Dims[D].Size, /*Whole=*/true)};
  }
  for (unsigned I = 0; I != Inner; ++I)
    Out.push_back(Listed ? B.operand(First)[Rank - Inner + I]
                         : Dim{B.add(Extent(), /*Whole=*/true)});
  B.result(std::move(Out));
}

/// Lists of which nobody sees the elements stand for each of them.
void each(RuleBuilder &B) {
  llvm::SmallVector<unsigned, 4> Seen;
  for (unsigned I : B.tensors()) {
    if (llvm::is_contained(Seen, B.position(I)))
      return B.undecided("the elements of a list");
    Seen.push_back(B.position(I));
  }
  B.result(B.aligned());
}

/// Numbers that count from zero, one by one: what begins alike on every rank is
/// the first part of a whole alone.
void count(RuleBuilder &B) {
  if (!B.tensors().empty()) // to a number that is read from one
    return;
  const auto IsAbsentOr = [&B](unsigned P, std::int64_t Default) {
    const OpArgument *A = B.argument(B.shape().Parameters[P].Name);
    return !A ||
           (A->Value && std::holds_alternative<OpArgument::None>(*A->Value)) ||
           B.integer(B.shape().Parameters[P].Name) == Default;
  };
  const Extent Size = IsAbsentOr(1, 0) && IsAbsentOr(2, 1)
                          ? B.size(B.shape().Parameters[0].Name)
                          : Extent();
  B.result({{B.add(Size)}});
}

/// The part of any whole, of which only what a rank has is known.
void create(RuleBuilder &B) {
  if (B.shape().Parameters.size() > 1)
    return count(B);
  const std::optional<unsigned> Rank = B.lengthOf(0);
  if (!Rank || B.call().Op->Term.isUnknown())
    return;
  Tensor Out;
  for (const AskedSize &Asked : B.sizes(0)) {
    Out.push_back({B.add(Extent())});
    B.factor(Out.back().front()).Local = told(Asked.Size);
  }
  B.result(std::move(Out));
}

void places(RuleBuilder &B) {
  if (!B.tensors().empty()) // from a number that is read from one
    return B.undecided("the bounds");
  Tensor Out;
  for (const ShapeParameter &P : B.shape().Parameters) {
    const bool IsFirst = Out.empty() || !B.argument(P.Name);
    const llvm::StringRef Name =
        IsFirst ? B.shape().Parameters.front().Name : P.Name;
    Out.push_back({B.add(B.size(Name), /*Whole=*/true)});
  }
  B.result(std::move(Out));
}

void written(RuleBuilder &B) {
  const PartitionSpec *Storage = B.call().Written;
  if (!Storage)
    return B.undecided("the storage that is written");
  Tensor Out;
  for (const ShardedDim &D : Storage->Dims)
    Out.push_back(D.Size.isOne() ? Dim() : Dim{B.add(D.Size)});
  B.resultIsWritten(std::move(Out));
}

} // namespace

void buildDims(RuleBuilder &B, ShapeTerm T) {
  using S = ShapeTerm;
  if (T == S::Concat)
    return concat(B);
  if (T == S::Batch)
    return batch(B);
  if (T == S::Each)
    return each(B);
  if (T == S::Create)
    return create(B);
  if (T == S::Places)
    return places(B);
  if (T == S::Written)
    return written(B);
  Tensor Dims = B.aligned();
  if (B.failed())
    return;
  switch (T) {
  case S::Elementwise:
    return B.result(std::move(Dims));
  case S::Sum:
  case S::Fold:
    return reduce(B, std::move(Dims), T == S::Fold);
  case S::Along: {
    for (unsigned D : B.dimsOrAll(0, Dims))
      B.needWhole(Dims[D]);
    return B.result(std::move(Dims));
  }
  case S::Swap:
  case S::Permute:
  case S::Move:
  case S::Reverse:
    return reorder(B, T, std::move(Dims));
  case S::Insert:
    return insert(B, std::move(Dims));
  case S::Remove:
    return remove(B, std::move(Dims));
  case S::Whole:
    for (const Dim &D : Dims)
      B.needWhole(D);
    return;
  default:
    return B.undecided(shapeTermName(T).str());
  }
}

} // namespace spmd::rules::global
