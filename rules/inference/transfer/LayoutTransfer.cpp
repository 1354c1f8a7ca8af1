//===- LayoutTransfer.cpp - Partition specs of results --------------------===//

#include "LayoutTransfer.h"

#include "spmd/ops/DimsOnly.h"
#include "spmd/types/ShardRange.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

bool isVarying(const std::optional<Atom> &A) {
  return A && A->Type == LocalType::V;
}

/// Kinds that make shards out of a value, or a value out of shards.
bool movesShards(const TransferFact &T) {
  switch (T.K) {
  case TransferKind::AllGather:
  case TransferKind::ReduceScatter:
  case TransferKind::AllToAll:
  case TransferKind::Convert:
  case TransferKind::Redistribute:
  case TransferKind::Reinterpret:
    return isVarying(T.From) || isVarying(T.To) || !T.From || !T.To;
  default:
    return false;
  }
}

bool endsWith(llvm::ArrayRef<AxisId> Axes, llvm::ArrayRef<AxisId> Tail) {
  return Axes.size() >= Tail.size() && Axes.take_back(Tail.size()) == Tail;
}

/// A group of several axes is cut at once, by its number of ranks; shards of
/// one axis after the other are the same if every shard of \p Outer allows it.
bool cutsOtherwise(const Extent &Size, llvm::ArrayRef<AxisId> Outer,
                   llvm::ArrayRef<AxisId> Span, const AxisTable &Sizes) {
  const auto N = Size.asNumber(), Ranks = Sizes.size(Span).asNumber();
  constexpr std::int64_t Most = 4096; // more are not worth the time
  if (Span.size() < 2 || !N || !Ranks || *Ranks > Most)
    return false;
  std::set<std::int64_t> Lengths = {*N};
  for (AxisId A : Outer) {
    const auto Count = Sizes.size(A).asNumber();
    if (!Count || *Count > Most)
      return false;
    std::set<std::int64_t> Next;
    for (std::int64_t L : Lengths)
      for (std::int64_t I = 0; I != *Count; ++I)
        Next.insert(lengthOf(shardOf({0, L}, *Count, I)));
    Lengths = std::move(Next);
  }
  for (std::int64_t L : Lengths)
    for (std::int64_t R = 0; R != *Ranks; ++R) {
      ElementRange Nested{0, L};
      std::int64_t Inner = *Ranks;
      for (AxisId A : Span) {
        const std::int64_t Count = *Sizes.size(A).asNumber();
        Inner /= Count;
        Nested = shardOf(Nested, Count, R / Inner % Count);
      }
      if (Nested != shardOf({0, L}, *Ranks, R))
        return true;
    }
  return false;
}

} // namespace

//===--- Ops --------------------------------------------------------------===//

AxisList LayoutTransfer::outPartialOfFact() {
  AxisList Out;
  for (SlotId Axis : Wrapped.of(*Point.Facts, *Point.Running))
    for (AxisId A : Store.read(Axis).Span)
      if (Decls.Sizes.All.empty() || !Decls.isSingleton(A))
        Out.push_back(A);
  return Out;
}

Extent LayoutTransfer::sizeOf(const SizeTerm &T) {
  if (T.Tensor == SlotId::None)
    return Extent::variable(T.Variable);
  const SpecPtr Spec = Store.read(T.Tensor).Spec;
  if (!Spec)
    return {};
  const std::optional<unsigned> D = Spec->dimAt(T.Dim);
  return D ? localSize(Spec->Dims[*D], Decls.Sizes) : Extent();
}

/// Whether the result has the elements of an operand that are positions. A view
/// with another element type asks for nothing else.
static bool viewsPositions(const OpFact &O,
                           llvm::ArrayRef<PartitionSpec> Specs) {
  const OpRule &Rule = *O.Rule;
  if (!Rule.is(OpRole::KeepsElements) ||
      (O.Arguments.empty() && numRequiredParameters(Rule.Shape->Term) != 0))
    return false;
  for (std::size_t I = 0; I != Specs.size(); ++I)
    if (Rule.Formals[O.FormalOf[I]].Name == Rule.Views)
      return Specs[I].Positions;
  return false;
}

SpecPtr LayoutTransfer::specOfResult(const OpFact &O, bool AlreadyWrong,
                                     AbstractValue &Result) {
  if (Decls.Global.empty() || !O.Rule->Shape)
    return nullptr;
  std::vector<PartitionSpec> Specs(O.Operands.size());
  llvm::SmallVector<const PartitionSpec *, 4> Operands;
  llvm::SmallVector<DimAxes, 4> Pending;
  DimAxes Loose;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AbstractValue &X = Store.read(O.Operands[I].Slot);
    Pending.emplace_back();
    if (O.Operands[I].Scalar) {
      Operands.push_back(nullptr);
      continue;
    }
    if (!X.Spec) {
      // A buffer that is filled has what is copied into it.
      if (O.WritesTo == SlotId::None ||
          readsValue(O.Rule->Term, O.FormalOf[I])) {
        Result.SpecWrong = X.isWrong();
        return nullptr;
      }
      Operands.push_back(nullptr);
      continue;
    }
    Specs[I] = *X.Spec;
    Operands.push_back(&Specs[I]);
    for (AxisId A : Decls.looseAxes(X))
      if (!llvm::is_contained(Loose, A))
        Loose.push_back(A);
    for (AxisId A : Decls.Global)
      if (X.Axes[A].Set == TypeSet(LocalType::P))
        Pending.back().push_back(A);
  }
  // Of an axis whose shards nobody knows nothing is said; the others are.
  for (PartitionSpec &S : Specs)
    for (ShardedDim &D : S.Dims)
      llvm::erase_if(D.Axes,
                     [&](AxisId A) { return llvm::is_contained(Loose, A); });
  const auto SizeOf = [&](const SizeTerm &T) {
    Extent Size =
        Loose.empty() || T.Tensor == SlotId::None ? sizeOf(T) : Extent();
    if (Size.isKnown() || T.Tensor == SlotId::None || Specs.empty() ||
        Store.cellOf(T.Tensor) != Store.cellOf(O.Operands[0].Slot))
      return Size;
    const std::optional<unsigned> D = Specs[0].dimAt(T.Dim);
    return D ? unknownSize(*D) : Extent();
  };
  const SpecPtr Written =
      O.WritesTo != SlotId::None ? Store.read(O.WritesTo).Spec : nullptr;
  const ShapedCall Call{O.Rule, O.FormalOf,   Operands,      O.Arguments,
                        SizeOf, &Decls.Sizes, Written.get(), !Loose.empty()};
  const auto Fail = [&](const SpecViolation &Found) {
    if (Found.Axis) {
      Result.Axes[*Found.Axis] = AxisState();
      Result.Axes[*Found.Axis].Assumed = true;
    }
    Result.SpecWrong = true;
    if (!AlreadyWrong)
      tell(In, NoResultSpec{O, Found, Operands});
    return nullptr;
  };
  FactorRuleOr Rule = factorRuleOf(Call);
  if (auto *Wrong = std::get_if<SpecViolation>(&Rule))
    return Fail(*Wrong);
  if (const auto *Open = std::get_if<Undecided>(&Rule)) {
    tell(In, UndecidedResultSpec{O, *Open, Operands});
    return nullptr;
  }
  auto Found =
      propagate(std::get<FactorRule>(Rule), Call, outPartialOfFact(), Pending);
  if (auto *Wrong = std::get_if<SpecViolation>(&Found))
    return Fail(*Wrong);
  if (!std::get<FactorRule>(Rule).HasResult)
    return nullptr;
  PartitionSpec Out = std::move(std::get<Propagation>(Found).Result);
  Out.Positions = viewsPositions(O, Specs);
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

void LayoutTransfer::varyAsSharded(const OpFact &O, AbstractValue &Out) {
  for (AxisId A : Decls.Global) {
    if (!Out.Spec || !Out.Spec->dimOf(A) ||
        Out.Axes[A].Set == TypeSet(LocalType::V))
      continue;
    const TypeSet Varies = typeOfShards(Out.Axes[A].Set);
    if (Varies.empty())
      Out.Spec = nullptr;
    else
      Out.Axes[A] = {Varies, std::nullopt,
                     Decls.origin(Origin::Kind::Op, O.At, O.Rule->Name),
                     TypeSet::none()};
  }
}

/// The spec of storage with what an op that writes all of it knows of its open
/// dims; nothing when that is no more.
static SpecPtr closed(const PartitionSpec &Storage, const SpecPtr &Result) {
  if (!Result || Result->rank() != Storage.rank())
    return nullptr;
  PartitionSpec Out = Storage;
  for (unsigned D = 0; D != Out.rank(); ++D)
    if (const ShardedDim &Now = Result->Dims[D];
        Out.Dims[D].isOpen() && Now.Axes.empty() && Now.Size.isKnown())
      Out.Dims[D] = Now;
  return Out == Storage ? nullptr
                        : std::make_shared<const PartitionSpec>(std::move(Out));
}

void LayoutTransfer::writeSpec(const OpFact &O, AbstractValue &Out) {
  using T = ShapeTerm;
  const AbstractValue &Old = Store.read(O.WritesTo);
  if (!Old.Spec)
    return;
  const bool Reshapes =
      O.Rule->Replaces ||
      (O.Rule->Shape &&
       llvm::is_contained({T::Swap, T::Permute, T::Move, T::Reverse, T::Insert,
                           T::Remove, T::Reshape, T::Flatten, T::Unflatten},
                          O.Rule->Shape->Term));
  if (!Reshapes || O.PartialWrite) { // the storage keeps its own
    Out.Spec = O.PartialWrite ? nullptr : closed(*Old.Spec, Out.Spec);
    return;
  }
  if (Out.Spec)
    return;
  Store.forgetSpec(Store.cellOf(O.WritesTo));
}

//===--- Collectives ------------------------------------------------------===//

SpecPtr LayoutTransfer::specAfter(const TransferFact &T,
                                  const AbstractValue &Src,
                                  llvm::ArrayRef<AxisId> All,
                                  bool AlreadyWrong) {
  if (Decls.Global.empty() || !Src.Spec || All.empty())
    return nullptr;
  AxisList Span;
  llvm::copy_if(All, std::back_inserter(Span),
                [&](AxisId A) { return !Decls.isSingleton(A); });
  const auto Fail = [&](WrongShardTransfer::Kind Why,
                        std::optional<unsigned> Dim) {
    if (!AlreadyWrong)
      tell(In, IllegalShards{T, Src, Span, Why, Dim});
    return nullptr;
  };
  using Comm = WrongShardTransfer::Kind;
  if (reduces(T.K))
    for (AxisId A : Span)
      if (const auto D = Src.Spec->dimOf(A);
          D && llvm::is_contained(Decls.Global, A))
        return Fail(Comm::SumsShards, D);
  if (!movesShards(T) || Span.empty())
    return Src.Spec;
  const auto IsGlobal = [&](AxisId A) {
    return llvm::is_contained(Decls.Global, A);
  };
  if (!llvm::any_of(Span, IsGlobal))
    return localTransfer(T, *Src.Spec, Span);
  if (!llvm::all_of(Span, IsGlobal) || !T.From || !T.To)
    return nullptr;
  if (T.K == TransferKind::Reinterpret)
    return Fail(Comm::Reinterprets, std::nullopt);
  PartitionSpec Out = *Src.Spec;
  const auto DimOf = [&](const Atom &A) {
    const auto D = A.ShardDim ? Out.dimAt(*A.ShardDim) : std::nullopt;
    if (!D)
      Fail(A.ShardDim ? Comm::NoSuchDim : Comm::NoDim, std::nullopt);
    return D;
  };
  if (isVarying(T.From)) {
    const std::optional<unsigned> D = DimOf(*T.From);
    if (!D)
      return nullptr;
    DimAxes &Axes = Out.Dims[*D].Axes;
    const bool Loose = llvm::none_of(
        Span, [&](AxisId A) { return Src.Spec->dimOf(A).has_value(); });
    if (!Loose && !endsWith(Axes, Span))
      return Fail(llvm::is_contained(Axes, Span.front()) ? Comm::NotLast
                                                         : Comm::OtherDim,
                  D);
    if (!Loose)
      Axes.truncate(Axes.size() - Span.size());
  }
  if (isVarying(T.To)) {
    const std::optional<unsigned> D = DimOf(*T.To);
    if (!D)
      return nullptr;
    DimAxes &Axes = Out.Dims[*D].Axes;
    if (cutsOtherwise(Out.Dims[*D].Size, Axes, Span, Decls.Sizes))
      return Fail(Comm::Uneven, D);
    Axes.append(Span.begin(), Span.end());
  }
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

/// On an axis that is checked locally, only sizes change.
SpecPtr LayoutTransfer::localTransfer(const TransferFact &T,
                                      const PartitionSpec &Src,
                                      llvm::ArrayRef<AxisId> Span) const {
  if (T.K == TransferKind::Reinterpret)
    return std::make_shared<const PartitionSpec>(Src);
  PartitionSpec Out = Src;
  const Extent Ranks = Decls.Sizes.size(Span);
  for (const auto &[Side, Gathers] :
       {std::pair(&T.From, true), std::pair(&T.To, false)}) {
    if (!*Side)
      return nullptr;
    if (!isVarying(*Side))
      continue;
    const std::optional<unsigned> D =
        (*Side)->ShardDim ? Out.dimAt(*(*Side)->ShardDim) : std::nullopt;
    if (!D)
      return nullptr; // stacks ranks in a dim of their own
    Extent &Size = Out.Dims[*D].Size;
    Size = Gathers ? Size * Ranks : Size / Ranks;
  }
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

} // namespace spmd::rules::inference
