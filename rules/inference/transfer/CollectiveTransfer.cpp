//===- CollectiveTransfer.cpp - Collectives and conversions ---------------===//

#include "CollectiveTransfer.h"

#include "UnfitReads.h"

#include "body/Observe.h"

#include "spmd/ir/Walk.h"

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

/// Whether \p T adds up what no collective made equal, as parameters are before
/// the first step: what one has summed is not to be averaged once more.
bool isSumOfReplicas(const TransferFact &T, const AxisState &Was) {
  return T.K == TransferKind::AllReduce && !T.From &&
         T.Reduction == ReductionKind::Sum && Was.By == Collected::No &&
         !Was.Set.empty() && Was.Set.subsetOf(LocalType::R | LocalType::I);
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

/// What ranks hold in \p Was that \p T adds up or sends round as if it were one
/// thing.
SrcType::Holds CollectiveTransfer::holds(const TransferFact &T, AxisId A,
                                         const AxisState &Was) {
  using Holds = SrcType::Holds;
  const bool Adds = reduces(T.K) && T.Reduction == ReductionKind::Sum;
  if (T.From || Was.By == Collected::Beside ||
      (!Adds && T.K != TransferKind::Broadcast))
    return Holds::Any;
  // The sum would be in it beside the terms that it has been made of.
  if (Was.LeftBy && Was.LeftBy->K == TransferKind::Reduce)
    return Adds && Was.LeftBy->Axis.Slot == T.Axis.Slot ? Holds::OnRoot
                                                        : Holds::Any;
  if (T.K == TransferKind::Broadcast && Was.Contracted &&
      Was.isSurely(LocalType::V))
    return Holds::Terms;
  const CellId Id = Store.cellOf(T.Src.Slot);
  const bool IsNumber =
      Id < F.Slots.size() && F.Slots[Id].Kind == SlotKind::Local;
  // Of a copy one may send round what each rank holds in turn.
  const bool IsDeclared =
      Was.Dim && (Adds || (Id < F.Slots.size() && F.Slots[Id].Declared));
  if (!Was.isSurely(LocalType::V) || IsNumber)
    return Holds::Any;
  if (IsDeclared || (Adds && Was.LeftBy))
    return Holds::Shards;
  return Adds && isGradientOfOwn(T, A) ? Holds::OfOwn : Holds::Any;
}

/// Whether \p T sums in place what a backward pass has left for a tensor that
/// is declared to be each rank's own on \p A.
bool CollectiveTransfer::isGradientOfOwn(const TransferFact &T, AxisId A) {
  const CellId Id = Store.cellOf(T.Src.Slot);
  if (!Store.contents(Id)->IsGradient || T.Out.Slot == SlotId::None ||
      Store.cellOf(T.Out.Slot) != Id)
    return false;
  const llvm::SmallVector<CellId, 4> Held = In.Alias.heldBy(Id);
  bool Out = false;
  Point.Now->forEachCell([&](CellId, const AbstractValue &Of) {
    if (Of.Gradient == NoCell || A >= Of.Axes.size())
      return;
    const AxisState &Is = Of.Axes[A];
    Out |= Is.isSurely(LocalType::V) && Is.From &&
           Is.From->K == Origin::Kind::Declared &&
           llvm::is_contained(Held, Of.Gradient);
  });
  return Out;
}

/// An all_reduce in place of what another function left in a field that no
/// annotation describes may be there for the ranks to meet, as scratch is used.
bool CollectiveTransfer::mayBeBarrier(const TransferFact &T,
                                      const AxisState &Was) {
  if (T.K != TransferKind::AllReduce || !T.Few || T.From ||
      T.Out.Slot == SlotId::None || Was.By != Collected::Elsewhere ||
      Store.cellOf(T.Src.Slot) != Store.cellOf(T.Out.Slot))
    return false;
  const CellId Id = Store.cellOf(T.Src.Slot);
  bool OfField = false;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (Point.Now->cellOf(I) == Id) {
      const Slot &S = F.Slots[I];
      if (S.Declared || S.Kind == SlotKind::Parameter)
        return false;
      OfField |= S.Kind == SlotKind::Field || S.Kind == SlotKind::Global;
    }
  return OfField;
}

/// Whether \p T may be of another part of one allocation than what made it what
/// it \p Is.
bool CollectiveTransfer::mayBeOfOtherPart(const TransferFact &T,
                                          const AbstractValue &Src,
                                          const AxisState &Is) const {
  if (T.From || !Src.HasParts || Is.By == Collected::No || !Is.From)
    return false;
  return Is.From->In != &F ||
         llvm::none_of(factsOf<TransferFact>(F), [&](const TransferFact &X) {
           return X.At == Is.From->At && X.Src.Slot == T.Src.Slot;
         });
}

/// Whether \p T is of one element of a list, or of several, while what it \p Is
/// was left by a loop over the list, which may have left out that one.
bool CollectiveTransfer::mayBeOfOtherElement(const TransferFact &T,
                                             const AxisState &Is) const {
  return !T.From && Store.isOfEach(Is) && !In.Facts.Visited.collectsEach(T.At);
}

/// On axes that it does not span a collective is an op like any other.
void CollectiveTransfer::beside(Run &Of, AxisId A, const AxisState &Was) {
  AxisState &Now = Of.Out.Axes[A];
  Now = Was;
  Of.Out.ModifiedDivergently |= Of.Src.ModifiedDivergently & 1u << A;
  Now.Dim.reset();
  if (!isNonlinear(Of.T))
    return;
  Now.Set = Was.Set - LocalType::P;
  if (!Now.Set.empty())
    return;
  Of.Found = true;
  tell(In, ReducedOtherwise{Of.T, A, Was});
  Now = AxisState();
}

/// Whether some of what the operand is on \p A is among \p Sources; what it
/// cannot be is told.
bool CollectiveTransfer::takes(Run &Of, AxisId A, const AxisState &Was,
                               TypeSet Sources) {
  const TransferFact &T = Of.T;
  const bool DimClash = T.From && dimsContradict(Was.Dim, T.From->ShardDim);
  // What is known on all ranks is summed to count these, or to wait for them.
  const bool IsKnown =
      Was.Constant || (Of.Src.Zero && !Of.Src.Undefined && !T.From) ||
      (T.Counts && !T.From && Was.By == Collected::No &&
       T.Reduction == ReductionKind::Sum && !F.slot(T.Src.Slot).Declared);
  const TypeSet Left = (IsKnown ? Was.Set | LocalType::V : Was.Set) & Sources;
  Of.WrongAxis |=
      Left.empty() && !Of.Src.Undefined && fitsElsewhere(Of.Src, A, Sources);
  Of.Found |= Left.empty() || DimClash;
  if ((Left.empty() || DimClash) && !mayBeBarrier(T, Was) &&
      !mayBeOfOtherPart(T, Of.Src, Was) && !mayBeOfOtherElement(T, Was) &&
      (T.From || Was.By != Collected::Beside)) {
    if (!T.From && isNonlinear(T))
      tell(In, ReducedOtherwise{T, A, Was});
    else
      tell(In, IllegalSource{T, A, Was, Sources});
    if (isSumOfReplicas(T, Was))
      E.noteSumOfReplicas(F, T, A);
  }
  if (!Left.empty() && !IsKnown && Was.isDoubtful(Left))
    tell(In, DoubtfulSource{T, A, Was, Left});
  if (!Left.empty() && Left != Was.Set && !IsKnown)
    Store.narrow(T.Src.Slot, A, Left,
                 Decls.origin(Origin::Kind::Narrowed, T.At, transferName(T.K)));
  return !Left.empty();
}

/// Whether what each rank has of its own was computed, and is no data.
static bool isOfTerms(const AxisState &Is) {
  return Is.OfShards || Is.Own == OwnTerms::Whole ||
         Is.Own == OwnTerms::OfTaken;
}

/// Whether each rank has computed its own \p Value, and no root all of it.
static bool isOwn(AxisId A, const AbstractValue &Value, const AxisState &Is) {
  const bool IsSeen = isOfTerms(Is) && !(Value.ModifiedDivergently & 1u << A);
  // Zeros to which each adds at places of its own may be a sum, too.
  const bool IsV = Is.isSurely(LocalType::V) ||
                   (IsSeen && Is.Set == (LocalType::V | LocalType::P));
  return IsV && !Is.LeftBy && !Is.OfMessages &&
         (Is.By == Collected::No || Is.By == Collected::Beside) &&
         Is.Before == DivergedFrom::Nothing && (IsSeen || !Value.Diverged);
}

/// On an axis that it spans.
void CollectiveTransfer::over(Run &Of, AxisId A, const AxisState &Was) {
  const TransferFact &T = Of.T;
  RawRule Rule = rawRule(T.K, T.Reduction);
  if (T.From ||
      (T.K != TransferKind::OutPartial && T.K != TransferKind::Permute)) {
    if (T.From)
      Rule.Sources = T.From->Type;
    if (T.To)
      Rule.Result = T.To->Type;
  } else if (T.K == TransferKind::OutPartial) {
    Rule = {LocalType::V | LocalType::P, LocalType::P};
  } else {
    Rule = {TypeSet::all(), Was.Set};
  }

  const llvm::StringRef Name = transferName(T.K);
  const bool Unread =
      (Rule.Sources.contains(LocalType::P) && T.K != TransferKind::Permute &&
       readsAtVaryingOffset(In, T.Src, A, T.At, Name)) ||
      (T.K != TransferKind::Broadcast && T.K != TransferKind::Permute &&
       readsModifiedDivergently(In, T.Src, A, T.From.has_value(), T.At, Name));
  if (Unread) {
    Of.Found = true;
    return;
  }

  if (takes(Of, A, Was, Rule.Sources) && T.From && T.To) {
    const std::optional<OperatorKind> Op = operatorOf(T);
    const Transition *Row =
        Op ? findTransition(*Op, T.From->Type, T.To->Type) : nullptr;
    const bool Exists = Op && hasTransition(*Op, T.From->Type, T.To->Type);
    if (Op && (!Exists || (Row && Row->ExpertOnly && !T.Expert))) {
      Of.Found = true;
      tell(In, NoTransition{T, A, Was, Rule.Sources, Row != nullptr});
    }
  }
  if (const SrcType::Holds Holds = holds(T, A, Was);
      Holds != SrcType::Holds::Any && !Of.Found) {
    Of.Found = true;
    tell(In, IllegalSource{T, A, Was, LocalType::P, Holds});
    // In a loop the mistake would else come round and be right.
    if (Holds == SrcType::Holds::Shards) {
      Of.Out.Axes[A] = Was;
      return;
    }
  }
  AxisState &Now = Of.Out.Axes[A];
  // Of what is R on all ranks it makes an R, and of an I an I.
  if (keepsReplicas(T) && Was.Set.isSingle() && Was.Set.subsetOf(Rule.Result))
    Rule.Result = Was.Set;
  Now.Set = Rule.Result;
  Now.From = Of.From;
  Now.By = Collected::Here;
  Now.Summed = T.K == TransferKind::AllReduce && !T.From &&
               T.Reduction == ReductionKind::Sum;
  const bool SumsIt =
      Was.Added && (Was.isSurely(LocalType::V) || Was.isSurely(LocalType::P)) &&
      !T.From && reduces(T.K) && T.Reduction == ReductionKind::Sum;
  if (isSumOfReplicas(T, Was) || SumsIt)
    Now.SumOfReplicas = &T;
  if (SumsIt && !Of.Found)
    tell(In, SumsAdded{T, A, *Was.Added});
  const bool InPlace = T.Out.Slot != SlotId::None &&
                       Store.cellOf(T.Src.Slot) == Store.cellOf(T.Out.Slot);
  if (!T.From && T.Reduction == ReductionKind::Sum &&
      (T.K == TransferKind::ReduceScatter ||
       (T.K == TransferKind::Reduce && InPlace)))
    Now.LeftBy = &T;
  if (T.K == TransferKind::Scatter)
    Now.Own = OwnTerms::Taken;
  Now.Extreme = isNonlinear(T) && (T.K == TransferKind::AllReduce ||
                                   T.K == TransferKind::ReduceScatter);
  Now.OfOneRank = T.K == TransferKind::Broadcast && isOwn(A, Of.Src, Was);
  Now.TermsOfOneRank = Now.OfOneRank && isOfTerms(Was);
  if (Now.Extreme && Was.Share && !Of.Found)
    tell(In, ReducedOtherwise{T, A, Was, /*OfShares=*/true});
  if (T.To && T.To->ShardDim)
    Now.Dim = static_cast<std::int8_t>(*T.To->ShardDim);
}

void CollectiveTransfer::run(const TransferFact &T) {
  if (T.FromType && T.ToType)
    return redistribute(T);
  Run Of{T, Store.asDeclared(T.Src.Slot),
         T.Axis.Slot == SlotId::None ? AxisList()
                                     : Store.read(T.Axis.Slot).Span,
         Decls.origin(Origin::Kind::Transfer, T.At, transferName(T.K)),
         Decls.unknownValue()};
  // Among one rank everything stays what it is.
  if (Of.Span.empty() && T.Axis.Slot != SlotId::None &&
      (Store.read(T.Axis.Slot).OneRank ||
       Decls.isOfOneRank(F.slot(T.Axis.Slot)))) {
    AbstractValue Same = Of.Src;
    static_cast<ViewPosition &>(Same) = {};
    Same.Gradient = NoCell;
    return give(T, std::move(Same));
  }
  noteUnwritten(In, T);
  In.Grads.noteReduction(T, Of.Src, Of.Span);
  noteGiven(In, T.At, Of.Src, Of.Span);
  for (AxisId A = 0; A != Of.Out.Axes.size(); ++A) {
    const AxisState Was = Of.Src.Undefined ? AxisState() : Of.Src.Axes[A];
    if (llvm::is_contained(Of.Span, A))
      over(Of, A, Was);
    else if (!Of.Span.empty())
      beside(Of, A, Was);
    // On which axes is not known: nothing else is, afterwards.
    else if (keepsReplicas(T) && Was.Set.subsetOf(LocalType::R | LocalType::I))
      Of.Out.Axes[A] = {Was.Set, std::nullopt, Of.From};
  }
  if (!Of.Found && Of.Span.size() == 1)
    tell(In,
         SoundSource{T, Of.Span[0],
                     Of.Src.Undefined ? AxisState() : Of.Src.Axes[Of.Span[0]]});
  Of.Out.Spec = Layouts.specAfter(T, Of.Src, Of.Span, Of.Found);
  // Nothing that follows from the wrong axis is a mistake of its own.
  if (Of.WrongAxis)
    Of.Out = Decls.unknownValue();
  // What is written to a buffer is in it under every type that it has.
  if (T.K == TransferKind::Reinterpret && T.Out.Slot == SlotId::None) {
    Of.Out.Whole = Store.cellOf(T.Src.Slot);
    Of.Out.Some = true;
  }
  // What nobody has written yet is sent to see that all ranks are there.
  const bool IsScratch = Of.Src.Undefined && Of.Src.Fresh && !Of.Src.Wrong &&
                         T.Out.Slot != SlotId::None &&
                         Store.cellOf(T.Src.Slot) == Store.cellOf(T.Out.Slot);
  Of.Out.Zero = Of.Src.Undefined ? IsScratch : Of.Src.Zero;
  if (IsScratch) // whoever sends it
    Of.Out.Unwritten = Of.Src.Unwritten;
  Of.Out.IsGradient = Of.Src.IsGradient;
  Of.Out.FreshGradient = Of.Span.empty() ? 0 : Of.Src.FreshGradient;
  for (AxisId A : Of.Span)
    Of.Out.FreshGradient &= ~(1u << A);
  give(T, std::move(Of.Out));
}

/// \p Out is what \p T makes.
void CollectiveTransfer::give(const TransferFact &T, AbstractValue Out) {
  if (T.Out.Slot == SlotId::None)
    return Store.define(T.Dst, std::move(Out));
  Store.write(T.Out.Slot, Out, /*Partial=*/false);
  if (T.Dst != SlotId::None)
    Store.bind(T.Dst, Store.cellOf(T.Out.Slot));
}

/// redistribute(x, mesh, from, to): from what the call says that it is to what
/// it says that it will be.
void CollectiveTransfer::redistribute(const TransferFact &T) {
  std::vector<AxisState> From = Decls.requirements(*T.FromType);
  AbstractValue Out = Decls.declaredValue(*T.ToType, T.ToAt, "redistribute");
  // What neither of them names is left alone.
  for (AxisId A = 0; A != From.size(); ++A) {
    const std::string &Name = E.universe().name(A);
    if (T.FromType->find(Name) || T.ToType->find(Name))
      continue;
    From[A] = AxisState();
    Out.Axes[A] = Store.read(T.Src.Slot).Axes[A];
  }
  Contracts.require(T.Src, From,
                    {Annotated::Source, "redistribute", T.FromAt, &F,
                     Decls.declaredSpec(*T.FromType)},
                    T.At);
  give(T, std::move(Out));
}

} // namespace spmd::rules::inference
