//===- GlobalTransfers.cpp - Partition specs of collectives ---------------===//
//
// Seed 001, "Shard propagation for comms operators": only S(i) has a meaning
// for the whole tensor, and only the last axis of a dim can be taken off it.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

#include "spmd/types/ShardRange.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace spmd::rules::inference {

namespace {

using SpecPtr = std::shared_ptr<const PartitionSpec>;

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

/// The spec of what \p T makes of \p Src; null when nobody knows.
SpecPtr FunctionAnalysis::specAfter(const TransferFact &T,
                                    const AbstractValue &Src,
                                    llvm::ArrayRef<AxisId> All,
                                    bool AlreadyWrong) {
  if (Global.empty() || !Src.Spec || All.empty())
    return nullptr;
  AxisList Span;
  llvm::copy_if(All, std::back_inserter(Span),
                [&](AxisId A) { return !isSingleton(A); });
  if (!movesShards(T) || Span.empty())
    return Src.Spec;
  const auto IsGlobal = [&](AxisId A) { return llvm::is_contained(Global, A); };
  if (!llvm::any_of(Span, IsGlobal))
    return localTransfer(T, *Src.Spec, Span);
  if (!llvm::all_of(Span, IsGlobal) || !T.From || !T.To)
    return nullptr;
  const auto Fail = [&](SpecFinding::Comm Why, std::optional<unsigned> Dim) {
    if (!AlreadyWrong)
      reportSpecTransfer(T, Src, Span, Why, Dim);
    return nullptr;
  };
  using Comm = SpecFinding::Comm;
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
    if (cutsOtherwise(Out.Dims[*D].Size, Axes, Span, Sizes))
      return Fail(Comm::Uneven, D);
    Axes.append(Span.begin(), Span.end());
  }
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

/// On an axis that is checked locally, only sizes change.
SpecPtr FunctionAnalysis::localTransfer(const TransferFact &T,
                                        const PartitionSpec &Src,
                                        llvm::ArrayRef<AxisId> Span) {
  if (T.K == TransferKind::Reinterpret)
    return std::make_shared<const PartitionSpec>(Src);
  PartitionSpec Out = Src;
  const Extent Ranks = Sizes.size(Span);
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

/// redistribute(x, mesh, from, to): from what the call says that it is to what
/// it says that it will be.
void FunctionAnalysis::redistribute(const TransferFact &T) {
  std::vector<AxisState> From = requirements(*T.FromType);
  AbstractValue Out = declaredValue(*T.ToType, T.ToAt, "redistribute");
  // What neither of them names is left alone.
  for (AxisId A = 0; A != From.size(); ++A) {
    const std::string &Name = E.universe().name(A);
    if (T.FromType->find(Name) || T.ToType->find(Name))
      continue;
    From[A] = AxisState();
    Out.Axes[A] = read(T.Src.Slot).Axes[A];
  }
  require(T.Src, From,
          {Annotated::Source, "redistribute", T.FromAt, &F,
           declaredSpec(*T.FromType)},
          T.At);
  if (T.Out.Slot == SlotId::None)
    return define(T.Dst, std::move(Out));
  write(T.Out.Slot, Out, /*Partial=*/false);
  if (T.Dst != SlotId::None)
    bind(T.Dst, cellOf(T.Out.Slot));
}

void FunctionAnalysis::reportSpecTransfer(const TransferFact &T,
                                          const AbstractValue &Src,
                                          llvm::ArrayRef<AxisId> Span,
                                          SpecFinding::Comm Why,
                                          std::optional<unsigned> Dim) {
  if (!Reporting)
    return;
  Violation V = violation(Why == SpecFinding::Comm::NotLast
                              ? ViolationKind::ShardOrder
                              : ViolationKind::ShardPropagation,
                          T.At, Span.front(), transferName(T.K));
  V.Operands.push_back(operandOf(T.Src, Src.Axes[Span.front()]));
  V.Operands.back().From = originOf(Src);
  V.Operands.back().Spec = printSpec(*Src.Spec, Sizes);
  V.From = T.From;
  V.To = T.To;
  V.Spec = specFinding();
  V.Spec->Layouts.push_back(layoutOf(Src.Spec.get(), Src.Axes));
  V.Spec->Transfer = Why;
  V.Spec->Dim = Dim;
  V.Spec->Axes = Sizes.print(Span);
  if (Dim)
    V.Spec->AxesOfDim = Sizes.print(Src.Spec->Dims[*Dim].Axes);
  E.report(std::move(V));
}

} // namespace spmd::rules::inference
