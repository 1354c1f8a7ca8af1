//===- Transfers.cpp - Collectives and conversions ------------------------===//

#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// What a collective without declared types takes, and what it makes of it.
struct RawRule {
  TypeSet Sources;
  TypeSet Result;
};

/// What a reduction takes: nothing but a sum completes a pending one.
TypeSet reducible(ReductionKind Reduction) {
  using T = LocalType;
  switch (Reduction) {
  case ReductionKind::Sum:
    return T::P | T::V;
  case ReductionKind::Idempotent:
  case ReductionKind::Other:
    return TypeSet::all() - T::P;
  case ReductionKind::Average: // of equal values: the value
  case ReductionKind::Unknown:
    break;
  }
  return TypeSet::all();
}

RawRule rawRule(TransferKind K, ReductionKind Reduction) {
  using T = LocalType;
  using TK = TransferKind;
  const TypeSet Replicas = T::R | T::I;
  switch (K) {
  case TK::AllReduce:
    return {reducible(Reduction), Replicas};
  case TK::ReduceScatter:
  case TK::Reduce:
    return {reducible(Reduction), T::V};
  case TK::AllGather:
    return {T::V, Replicas};
  case TK::AllToAll:
    return {T::V, T::V};
  case TK::Broadcast:
    return {Replicas | T::V, Replicas};
  case TK::Gather:
  case TK::Scatter:
  case TK::Scan:
    return {TypeSet::all(), T::V};
  default:
    break;
  }
  return {TypeSet::all(), TypeSet::all()};
}

bool dimsContradict(const std::optional<std::int8_t> &Was,
                    const std::optional<int> &Wanted) {
  // -1 and 2 may be the same dim of a tensor whose rank is not known.
  return Was && Wanted && *Was != *Wanted && (*Was < 0) == (*Wanted < 0);
}

/// Some axis besides \p A on which the value has a required type: the
/// collective was probably meant for that one.
bool fitsElsewhere(const AbstractValue &C, AxisId A, TypeSet Required) {
  for (AxisId Other = 0; Other != C.Axes.size(); ++Other)
    if (Other != A && !C.Axes[Other].Set.isAll() &&
        C.Axes[Other].Set.subsetOf(Required))
      return true;
  return false;
}

bool isNonlinear(const TransferFact &F) {
  return F.Reduction == ReductionKind::Idempotent ||
         F.Reduction == ReductionKind::Other;
}

/// Whatever ranks it is of: of equal values it makes these.
bool keepsReplicas(const TransferFact &F) {
  return !F.From &&
         (F.K == TransferKind::Broadcast || F.K == TransferKind::AllGather ||
          (F.K == TransferKind::AllReduce &&
           (F.Reduction == ReductionKind::Average ||
            F.Reduction == ReductionKind::Idempotent)));
}

} // namespace

/// An all_reduce in place of what another function left in a field that no
/// annotation describes may be there for the ranks to meet, as scratch is used.
bool FunctionAnalysis::mayBeBarrier(const TransferFact &T,
                                    const AxisState &Was) {
  if (T.K != TransferKind::AllReduce || T.From || T.Out.Slot == SlotId::None ||
      Was.By != Collected::Elsewhere ||
      cellOf(T.Src.Slot) != cellOf(T.Out.Slot))
    return false;
  const CellId Id = cellOf(T.Src.Slot);
  bool OfField = false;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (Current->cellOf(I) == Id) {
      const Slot &S = F.Slots[I];
      if (S.Declared || S.Kind == SlotKind::Parameter)
        return false;
      OfField |= S.Kind == SlotKind::Field || S.Kind == SlotKind::Global;
    }
  return OfField;
}

void FunctionAnalysis::transfer(const TransferFact &T) {
  if (T.FromType && T.ToType)
    return redistribute(T);
  const AbstractValue Src = read(T.Src.Slot);
  const AxisList Span =
      T.Axis.Slot == SlotId::None ? AxisList() : read(T.Axis.Slot).Span;
  const bool Known = !Span.empty();
  noteReduction(T, Src, Span);
  if (Reporting)
    noteGiven(T.At, Src, Span);

  AbstractValue Out = unknownValue();
  const Origin *From = origin(Origin::Kind::Transfer, T.At, transferName(T.K));
  bool WrongAxis = false, Found = false;
  for (AxisId A = 0; A != Out.Axes.size(); ++A) {
    const AxisState Was = Src.Undefined ? AxisState() : Src.Axes[A];
    AxisState &Now = Out.Axes[A];
    if (!Known) { // on which axes is not known: nothing else is, afterwards
      if (keepsReplicas(T) && Was.Set.subsetOf(LocalType::R | LocalType::I))
        Now = {Was.Set, std::nullopt, From};
      continue;
    }
    if (!llvm::is_contained(Span, A)) {
      // On other axes a reduction is an op like any other.
      Now = Was;
      Out.ModifiedDivergently |= Src.ModifiedDivergently & 1u << A;
      Now.Dim.reset();
      if (isNonlinear(T)) {
        Now.Set = Was.Set - LocalType::P;
        if (Now.Set.empty()) {
          Found = true;
          if (Reporting)
            reportTransfer(T, ViolationKind::PartialNonlinear, A, Was,
                           TypeSet::all() - LocalType::P);
          Now = AxisState();
        }
      }
      continue;
    }

    TypeSet Sources, Result;
    if (T.From) {
      Sources = T.From->Type;
      Result = T.To ? TypeSet(T.To->Type) : rawRule(T.K, T.Reduction).Result;
    } else if (T.K == TransferKind::OutPartial) {
      Sources = LocalType::V | LocalType::P;
      Result = LocalType::P;
    } else if (T.K == TransferKind::Permute) {
      Sources = TypeSet::all();
      Result = Was.Set;
    } else {
      const RawRule Raw = rawRule(T.K, T.Reduction);
      Sources = Raw.Sources;
      Result = T.To ? TypeSet(T.To->Type) : Raw.Result;
    }

    if (Sources.contains(LocalType::P) && T.K != TransferKind::Permute &&
        readsPartialAtVaryingOffset(T.Src, A, T.At, transferName(T.K))) {
      Found = true;
      continue;
    }

    if (T.K != TransferKind::Broadcast && T.K != TransferKind::Permute &&
        readsModifiedDivergently(T.Src, A, T.From.has_value(), T.At,
                                 transferName(T.K))) {
      Found = true;
      continue;
    }

    const bool DimClash = T.From && dimsContradict(Was.Dim, T.From->ShardDim);
    const TypeSet Left =
        (Was.Constant ? Was.Set | LocalType::V : Was.Set) & Sources;
    const bool Shown =
        Reporting && (Left.empty() || DimClash) && !mayBeBarrier(T, Was);
    WrongAxis |=
        Left.empty() && !Src.Undefined && fitsElsewhere(Src, A, Sources);
    Found |= Left.empty() || DimClash;
    if (Shown) {
      const bool Nonlinear = !T.From && isNonlinear(T);
      reportTransfer(T,
                     Nonlinear ? ViolationKind::PartialNonlinear
                               : ViolationKind::SrcType,
                     A, Was, Sources);
    }
    if (!Left.empty() && Was.isDoubtful(Left) && Reporting &&
        E.options().Strict) {
      Violation V =
          violation(ViolationKind::SrcType, T.At, A, transferName(T.K));
      V.Possible = true;
      V.Operands.push_back(operandOf(T.Src, Was));
      V.Required.Set = Left;
      E.report(std::move(V));
    }
    if (!Left.empty() && Left != Was.Set && !Was.Constant)
      narrow(T.Src.Slot, A, Left,
             origin(Origin::Kind::Narrowed, T.At, transferName(T.K)));

    if (T.From && T.To && Reporting && !Left.empty()) {
      const std::optional<OperatorKind> Op = operatorOf(T.K);
      const Transition *Row =
          Op ? findTransition(*Op, T.From->Type, T.To->Type) : nullptr;
      if (Op && (!Row || (Row->ExpertOnly && !T.Expert))) {
        Found = true;
        reportTransfer(T, ViolationKind::Transition, A, Was, Sources);
      }
    }
    Now.Set = Result;
    Now.From = From;
    Now.By = Collected::Here;
    if (T.To && T.To->ShardDim)
      Now.Dim = static_cast<std::int8_t>(*T.To->ShardDim);
  }

  if (Reporting && !Found && Span.size() == 1)
    Sound[&T] = {Span[0], Src.Undefined ? AxisState() : Src.Axes[Span[0]]};

  Out.Spec = specAfter(T, Src, Span, Found);
  // Nothing that follows from the wrong axis is a mistake of its own.
  if (WrongAxis)
    Out = unknownValue();
  // What is written to a buffer is in it under every type that it has.
  if (T.K == TransferKind::Reinterpret && T.Out.Slot == SlotId::None) {
    Out.Whole = cellOf(T.Src.Slot);
    Out.Some = true;
  }
  if (T.Out.Slot != SlotId::None) {
    write(T.Out.Slot, Out, /*Partial=*/false);
    if (T.Dst != SlotId::None)
      bind(T.Dst, cellOf(T.Out.Slot));
    return;
  }
  define(T.Dst, std::move(Out));
}

} // namespace spmd::rules::inference
