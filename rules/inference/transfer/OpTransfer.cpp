//===- OpTransfer.cpp - Ordinary ops --------------------------------------===//

#include "OpTransfer.h"

#include "UnfitReads.h"

#include "domain/OpenCases.h"

#include "spmd/ir/Walk.h"
#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

namespace {

/// Whether a set of results means "one of these": what random numbers or the
/// shapes of shards make of it is not up to the use.
bool leavesOpen(const RuleTerm &T) {
  return (T.K == RuleTerm::Kind::Apply &&
          (T.Class == OpClass::Random || T.Class == OpClass::ShapeOnly)) ||
         llvm::any_of(T.Children, leavesOpen);
}

} // namespace

/// The members of \p Output that some case does not have.
TypeSet OpTransfer::mayOf(const OpFact &O, AxisId A,
                          llvm::ArrayRef<const AbstractValue *> Cells,
                          TypeSet Output) const {
  if (leavesOpen(O.Rule->Term) && !Output.isAll() && !Output.isSingle())
    return Output;
  const bool Doubts = llvm::any_of(Cells, [&](const AbstractValue *C) {
    return !C->Undefined && !C->Axes[A].May.empty();
  });
  TypeSet Sure = Output;
  const auto Narrow = [&](llvm::ArrayRef<TypeSet> Case) {
    const TypeSet Here = Facts.apply(O, Case).Output;
    if (!Here.empty()) // what is empty is told
      Sure &= Here;
  };
  const Limits &Caps = E.options().Caps;
  if (Doubts && !eachCase(A, Cells, Caps.OpenOperands, Narrow)) {
    E.giveUp({&F, O.At, Limit::OpenOperands});
    Sure = TypeSet::none();
  }
  return Output - Sure;
}

/// The rank over two axes is neither's: `rank % 4`, `rank / 4` and `rank < 4`
/// may be the same along one of them. Only whether it is a certain rank is not,
/// and what a generator draws that begins with it.
void OpTransfer::divideRank(const OpFact &O, Values Cells,
                            AbstractValue &Out) const {
  const auto IsAny = [&](std::initializer_list<OpRole> Roles) {
    return llvm::any_of(Roles, [&](OpRole R) { return O.Rule->is(R); });
  };
  std::uint32_t Over = 0;
  for (const AbstractValue *C : Cells)
    Over |= C->Undefined ? 0 : C->RankOver;
  for (const Operand &X : O.Operands)
    Over |= Decls.rankOver(F.slot(X.Slot));
  if (!Over || IsAny({OpRole::ComparesEqual, OpRole::ComparesUnequal,
                      OpRole::Inverts, OpRole::Seeds}))
    return;
  if (IsAny({OpRole::Copies, OpRole::Adds, OpRole::Subtracts,
             OpRole::Multiplies})) {
    Out.RankOver = Over;
    return;
  }
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    if (Over & 1u << A)
      Out.Axes[A] = AxisState();
}

/// The operand that the result of \p O is a view of.
static std::optional<std::size_t> viewedOperand(const OpFact &O) {
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if (O.Rule->Formals[O.FormalOf[I]].Name == O.Rule->Views)
      return I;
  return std::nullopt;
}

/// Whether operand \p I says which part of a pending sum is looked at: wherever
/// that is, it is pending, as is a part of a buffer.
bool OpTransfer::slicesPending(const OpFact &O, llvm::ArrayRef<TypeSet> Sets,
                               std::size_t I) const {
  if (O.Rule->Views.empty() || O.Rule->HowMuch != ViewKind::Part)
    return false;
  const std::optional<std::size_t> Of = viewedOperand(O);
  return Of && *Of != I && Sets[*Of] == TypeSet(LocalType::P) &&
         Sets[I].contains(LocalType::V);
}

/// \p Result shares storage with the operand that \p O is a view of.
void OpTransfer::viewOperand(const OpFact &O, AbstractValue &Result) {
  const std::optional<std::size_t> Of = viewedOperand(O);
  if (!Of)
    return;
  Result.Whole = Store.cellOf(O.Operands[*Of].Slot);
  // A backward pass makes gradients that are contiguous.
  const AbstractValue &Viewed = *Store.contents(Result.Whole);
  const bool IsAll = O.Rule->HowMuch == ViewKind::Perhaps &&
                     Viewed.IsGradient && Viewed.Whole == NoCell;
  Result.Some = O.Rule->HowMuch != ViewKind::All && !IsAll;
  Result.PartialAtVaryingOffset =
      partialAtVaryingOffset(Result, Viewed.PartialAtVaryingOffset);
  if (O.Rule->HowMuch != ViewKind::Part)
    return;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AbstractValue &At = Store.read(O.Operands[I].Slot);
    for (AxisId A = 0; I != *Of && !At.Undefined && A != At.Axes.size(); ++A)
      if (At.Axes[A].Set == TypeSet(LocalType::V))
        Result.Varies |= 1u << A;
  }
  Result.PartialAtVaryingOffset |=
      partialAtVaryingOffset(Result, Result.Varies);
}

OpTransfer::Run OpTransfer::begin(const OpFact &O) {
  Run Of{.O = O};
  Of.Summed = Layouts.outPartialOfFact();
  Of.Out = Decls.unknownValue();
  for (const Operand &X : O.Operands)
    Of.Cells.push_back(&Store.read(X.Slot));
  for (const unsigned Formal : O.FormalOf)
    Of.Reads.push_back(readsValue(O.Rule->Term, Formal));
  bool AllNumbers = !Of.Cells.empty();
  for (const AbstractValue *C : Of.Cells) {
    AllNumbers &= isNumber(*C);
    Of.ScalesTensor |= !C->Number;
  }
  Of.ScalesTensor &= isMultilinear(O.Rule->Term);
  Of.Out.Number = AllNumbers;
  Of.AddedTo.assign(E.universe().size(), SlotId::None);
  return Of;
}

/// Whether \p O changes its operand \p I in place.
bool OpTransfer::writesOperand(const OpFact &O, std::size_t I) {
  return O.WritesTo != SlotId::None &&
         llvm::is_contained(Store.wholesOf(Store.cellOf(O.Operands[I].Slot)),
                            Store.cellOf(O.WritesTo));
}

/// Whether no rank has all of what some operand is on \p A.
bool OpTransfer::readsUnfit(const Run &Of, AxisId A, TypeSet Output) {
  const OpFact &O = Of.O;
  bool Out = false;
  if (O.Rule->Views.empty() && Output == TypeSet(LocalType::P))
    for (const Operand &X : O.Operands)
      Out |= readsAtVaryingOffset(In, X, A, O.At, O.Rule->Name);
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if (Of.Reads[I] && !O.Operands[I].Scalar)
      Out |= readsModifiedDivergently(
          In, O.Operands[I], A,
          Facts.givesGradient(O) && passesGradient(O.Rule->Term, O.FormalOf[I]),
          O.At, O.Rule->Name);
  // Who copies or sends it may make it whole.
  const bool Uses = O.Rule->Views.empty() && !O.Rule->is(OpRole::Copies);
  for (std::size_t I = 0; Uses && I != O.Operands.size(); ++I)
    if (Of.Reads[I] && !O.Operands[I].Scalar && !writesOperand(O, I) &&
        passesGradient(O.Rule->Term, O.FormalOf[I]))
      readAsPromised(In, O.Operands[I], A, O.At, O.Rule->Name);
  return Out;
}

/// Whether \p Of adds each rank's own terms to elements of a gradient, which is
/// what a backward pass written by hand does: it stays a pending sum.
bool OpTransfer::addsToGradient(const Run &Of, AxisId A,
                                llvm::ArrayRef<TypeSet> Sets) {
  if (!Of.O.Rule->is(OpRole::Adds) && !Of.O.Rule->is(OpRole::Subtracts))
    return false;
  bool ToGradient = false;
  for (std::size_t I = 0; I != Sets.size(); ++I) {
    const AbstractValue &C = *Of.Cells[I];
    if (!Of.O.Operands[I].Scalar)
      return false;
    if (Sets[I] == TypeSet(LocalType::P) && C.IsGradient &&
        C.FreshGradient & 1u << A)
      ToGradient = true;
    else if (Sets[I] != TypeSet(LocalType::V))
      return false;
  }
  return ToGradient;
}

void OpTransfer::onAxis(Run &Of, AxisId A) {
  const OpFact &O = Of.O;
  llvm::SmallVector<TypeSet, 4> Sets(O.Operands.size());
  const bool Draws = O.Rule->is(OpRole::Draws);
  bool Informed = !llvm::is_contained(Of.Reads, true), Constant = !Draws;
  for (std::size_t I = 0; I != Sets.size(); ++I) {
    const AbstractValue &C = *Of.Cells[I];
    Sets[I] = C.Undefined ? TypeSet::all() : C.Axes[A].Set;
    if (!Of.Reads[I])
      continue;
    Informed |=
        !Sets[I].isAll() || !C.Axes[A].May.empty() ||
        (!C.Undefined && (C.Axes[A].Extreme || C.Axes[A].ScaledExtreme));
    Constant &= !C.Undefined && C.Axes[A].Constant;
  }
  for (std::size_t I = 0; I != Sets.size(); ++I)
    if (slicesPending(O, Sets, I))
      Sets[I] = LocalType::R;
  if (isStep(Of))
    matchStep(Sets);
  // What is declared to be one value stays so by a number of which nothing else
  // is known.
  if (O.WritesTo != SlotId::None &&
      Store.read(O.WritesTo).PromisedAlike & 1u << A)
    for (std::size_t I = 0; I != Sets.size(); ++I)
      if (O.Operands[I].Scalar && Sets[I].isAll())
        Sets[I] = LocalType::R | LocalType::I;
  if (Of.ScalesTensor && Informed)
    for (std::size_t I = 0; I != Sets.size(); ++I)
      if (Of.Cells[I]->Number && Sets[I].isAll())
        Sets[I] = TypeSet::all() - LocalType::P;

  const bool IsTerm =
      llvm::is_contained(Of.Summed, A) && !llvm::is_contained(Decls.Global, A);
  RuleResult R = apply(Of, A, Sets);
  if (Draws && !Sets.empty() && Sets.back() == TypeSet(LocalType::V))
    R.Output = LocalType::V;
  const auto IsPending = [&] {
    R.Output = LocalType::P;
    R.Narrowed = Sets;
  };
  if (R.Output.empty() && IsTerm && addsPending(O, Sets))
    IsPending();
  if (R.Output.empty() && addsToGradient(Of, A, Sets)) {
    IsPending();
    Of.AddedToGradient |= 1u << A;
  }
  if (dividesEqually(Of, A, Sets))
    R.Output |= LocalType::P;
  if (addsMessages(Of, A))
    R.Output = TypeSet::all();
  const std::optional<std::size_t> Averaged = dividedByRanks(Of, A, Sets);
  if (Averaged)
    noteAverage(Of, A, *Averaged);
  noteScaled(Of, A);
  noteUpdate(Of, A, Sets);
  const TransferFact *SummedBy = nullptr;
  const OperandList Replicas = Terms.addedToTerms(O, A, Sets, IsTerm, SummedBy);
  if (const std::optional<std::size_t> Sum = Sums.addsOnceTo(O, A, Sets)) {
    IsPending();
    Of.AddedTo[A] = O.Operands[*Sum].Slot;
  }

  bool Wrong = readsUnfit(Of, A, R.Output);
  if (!Wrong && !Replicas.empty()) {
    tell(In, ReplicasAdded{O, A, Sets, Replicas, SummedBy});
    // That it is no pending sum, as is declared there, is the same mistake.
    Wrong = R.Output.empty() || (SummedBy && SummedBy->From);
  } else if (!Wrong && R.Output.empty()) {
    tell(In, IllegalOperands{O, A, R, Sets});
    Wrong = true;
  }
  if (Wrong) { // unknown to what follows, but nothing to merges
    Of.Wrong = Of.Out.Undefined = Of.Out.Wrong = true;
  } else if (Informed || !R.Output.isAll()) {
    make(Of, A, R, Sets, Constant);
    noteNonlinearTerm(Of, A);
    Of.Out.Axes[A].Share |= Averaged.has_value();
    if (Of.Out.Axes[A].isSurely(LocalType::V) && Replicas.empty())
      if (const AddedReplica *Added = Sets.size() == 1 && keepsTerms(O)
                                          ? Of.Cells[0]->Axes[A].Added
                                          : Terms.addedSoFar(O, A, Sets))
        Of.Out.Axes[A].Added = Added;
  }
}

/// Takes note in \p Is, each rank's own, that it is written where one value is
/// declared to be, or updates what had differed already.
void OpTransfer::noteDivergence(const Run &Of, AxisId A, AxisState &Is) {
  const SlotId Into = Of.O.WritesTo;
  if (Into == SlotId::None)
    return;
  if (Store.read(Into).PromisedAlike & 1u << A)
    Is.Before = DivergedFrom::Replicate;
  for (std::size_t I = 0; I != Of.Cells.size(); ++I)
    if (const AxisState &Was = Of.Cells[I]->Axes[A];
        Was.Before == DivergedFrom::Replicate && Was.isSurely(LocalType::V) &&
        writesOperand(Of.O, I)) {
      Is.Before = Was.Before;
      Is.From = Was.From;
    }
}

/// The result of \p Of on \p A is what \p R says of \p Sets.
void OpTransfer::make(Run &Of, AxisId A, const RuleResult &R,
                      llvm::ArrayRef<TypeSet> Sets, bool Constant) {
  const OpFact &O = Of.O;
  const Origin *&From = Constant ? Of.OfConstant : Of.OfOp;
  if (!From)
    From = Decls.origin(Constant ? Origin::Kind::Constant : Origin::Kind::Op,
                        O.At, O.Rule->Name);
  AxisState &Is = Of.Out.Axes[A];
  Is = AxisState::of(R.Output, R.Output.isAll() ? nullptr : From,
                     mayOf(O, A, Of.Cells, R.Output));
  if (O.Rule->is(OpRole::Initialises)) {
    if (R.Output == TypeSet(LocalType::V))
      Is.Before = DivergedFrom::Replicate;
    else if (Is.From)
      Is.From =
          Decls.origin(Origin::Kind::Op, O.At,
                       "initial values, taken to be the same on all ranks");
  }
  // Zeros and ones in the shape of what all ranks have are known there, too.
  const bool IsFilled = O.Rule->Term.K == RuleTerm::Kind::Apply &&
                        O.Rule->Term.Class == OpClass::ShapeOnly;
  Is.Constant = (Constant || IsFilled) && !R.Output.isAll() &&
                (LocalType::R | LocalType::I).subsetOf(R.Output);
  noteExtreme(Of, A, Is);
  // A copy, as of a scalar that is read, is the value it copies.
  if (O.Rule->is(OpRole::Copies) && Sets.size() == 1 && R.Output == Sets[0]) {
    Is = Of.Cells[0]->Axes[A];
    // The largest of some numbers, and no tensor, may well be shared out.
    const Operand &Copied = O.Operands[0];
    Is.Extreme &=
        !Copied.Scalar || F.slot(Copied.Slot).Kind == SlotKind::Temporary;
  }
  if (Is.isSurely(LocalType::V)) {
    noteDivergence(Of, A, Is);
    if (!O.Rule->is(OpRole::Copies)) {
      Is.Own = ownTerms(Of, A);
      Is.OfShards = isOfShards(Of, A);
    }
  }
  matchShards(Of, A, Is);
  if (Of.AddedTo[A] == SlotId::None)
    tell(In, RuleApplied{O, A, R, Of.Cells});
  for (std::size_t I = 0; I != Sets.size(); ++I)
    if (R.Narrowed[I] != Sets[I])
      Store.narrow(O.Operands[I].Slot, A, R.Narrowed[I],
                   Decls.origin(Origin::Kind::Narrowed, O.At, O.Rule->Name));
}

/// The axes on which gradients, and numbers that all ranks have, give what is
/// of the type that the backward pass left them.
AxisMask OpTransfer::freshGradient(const Run &Of) {
  AxisMask Out = ~AxisMask(0);
  for (std::size_t I = 0; I != Of.Cells.size(); ++I) {
    const AbstractValue &C = *Of.Cells[I];
    if (!Of.Reads[I] || C.Undefined)
      continue;
    if (C.IsGradient)
      Out &= C.FreshGradient;
    else
      for (AxisId A = 0; A != C.Axes.size(); ++A)
        if (!C.Axes[A].Set.subsetOf(LocalType::R | LocalType::I) &&
            !(C.Number && C.Axes[A].Set.isAll()))
          Out &= ~(1u << A);
  }
  return Out;
}

/// What the result of \p Of is besides its types.
void OpTransfer::describe(Run &Of) {
  const OpFact &O = Of.O;
  AbstractValue &Out = Of.Out;
  for (std::size_t I = 0; I != Of.Cells.size(); ++I)
    if (Of.Reads[I] && Of.Cells[I]->Wrong)
      Out.Undefined = Out.Wrong = true;
  Out.Undefined |= O.Rule->Term.is(SourceKind::Unwritten);
  // A copy of nothing is nothing yet.
  if (O.Rule->is(OpRole::Copies) && Of.Cells.size() == 1 &&
      Of.Cells[0]->Undefined && !O.Operands[0].Scalar)
    Out.Undefined = true;
  const auto IsDrawn = [](const AbstractValue *C) { return C->Drawn; };
  Out.Drawn = O.Rule->is(OpRole::Draws) ||
              (llvm::any_of(Of.Cells, IsDrawn) &&
               llvm::all_of(Of.Cells, [&](const AbstractValue *C) {
                 return IsDrawn(C) || isNumber(*C);
               }));
  Out.Zero = isZero(Of);
  // One element is no shard of which others hold the rest.
  if (O.Rule->is(OpRole::Copies) && O.Operands[0].Scalar)
    for (AxisId A = 0; A != Out.Axes.size(); ++A) {
      Out.Axes[A].Dim.reset();
      // Each rank takes another one, of whatever that is.
      if (Of.Cells[0]->Varies & 1u << A && Out.Axes[A].Set.isAll()) {
        Out.Axes[A] = AxisState::of(LocalType::V, Of.Cells[0]->Axes[A].From);
        Out.Axes[A].Own = Of.Cells[0]->Axes[A].Own;
      }
    }
  bool OfOthers = false;
  for (std::size_t I = 0; I != Of.Cells.size(); ++I) {
    if (!Of.Reads[I])
      continue;
    Out.IsGradient |= Of.Cells[I]->IsGradient;
    // What begins with zeros, as momentum does, is made of what is added.
    OfOthers |= !Of.Cells[I]->IsGradient && !O.Operands[I].Scalar &&
                !isConstant(*Of.Cells[I]);
  }
  Out.IsGradient &= !OfOthers;
  Out.FreshGradient =
      (Out.IsGradient ? freshGradient(Of) : 0) | Of.AddedToGradient;
  Out.IsGradient |= Of.AddedToGradient != 0;
  // What is unknown since a spec is wrong, which is reported, excuses nothing
  // in the next iteration.
  for (std::size_t I = 0; I != Of.Cells.size(); ++I)
    if (Of.Reads[I] && Of.Cells[I]->isWrong())
      for (AxisId A = 0; A != Out.Axes.size(); ++A)
        Out.Axes[A].Assumed |= Of.Cells[I]->Axes[A].Assumed;
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    Out.Axes[A].OfMessages |=
        Out.Axes[A].Set.isAll() && llvm::any_of(Of.Cells, [A](const auto *C) {
          return C->Axes[A].OfMessages;
        });
  divideRank(O, Of.Cells, Out);
  countRanks(O, Of.Cells, Out);
  Out.Spec = Layouts.specOfResult(O, Of.Wrong, Out);
  if (!Out.Undefined)
    Layouts.varyAsSharded(O, Out);
}

/// Shards of which elements are updated, as `w[i] -= rate * g[i]` does, lie as
/// they did. Of a sum that begins with one of their elements it is not so.
void OpTransfer::keepLayout(Run &Of) const {
  const OpFact &O = Of.O;
  const auto HasDim = [](const AxisState &A) { return A.Dim.has_value(); };
  const auto Updates = [&](const OpFact &X) {
    return X.Dst == O.Operands[0].Slot && !X.Rule->is(OpRole::Copies) &&
           X.Operands.size() == 2 &&
           In.Facts.InPlace.isScaled(X.Operands[1].Slot) &&
           In.Facts.InPlace.ofFirstOperand(X);
  };
  const AbstractValue &Old = *Store.contents(Store.cellOf(O.WritesTo));
  const CellId Whole =
      Old.Whole == NoCell ? Store.cellOf(O.WritesTo) : Old.Whole;
  const AbstractValue &Is = *Store.contents(Whole);
  if (!O.Rule->is(OpRole::Copies) || llvm::none_of(Is.Axes, HasDim) ||
      llvm::none_of(factsOf<OpFact>(F), Updates))
    return;
  for (AxisId A = 0; A != Of.Out.Axes.size(); ++A)
    Of.Out.Axes[A].lieAs(Is.Axes[A]);
}

/// The result of \p Of goes to the storage that the op writes.
void OpTransfer::write(Run &Of) {
  const OpFact &O = Of.O;
  AbstractValue &Out = Of.Out;
  Out.Zero |= storesZeros(O, Out);
  Store.believeDeclared(O.WritesTo, Out);
  keepLayout(Of);
  if (!Decls.Global.empty())
    Layouts.writeSpec(O, Out);
  AxisMask AddsInPlace = Sums.copiesAdded(O);
  for (AxisId A = 0; A != Out.Axes.size(); ++A)
    if (Of.AddedTo[A] == O.WritesTo)
      AddsInPlace |= 1u << A;
  if (Store.contents(Store.cellOf(O.WritesTo))->IsGradient && !Out.IsGradient)
    In.Grads.noteGiven(Out);
  Log.setAddsInPlace(AddsInPlace);
  Store.write(O.WritesTo, Out, O.PartialWrite);
  Log.setAddsInPlace(0);
  if (O.Dst != SlotId::None)
    Store.bind(O.Dst, Store.cellOf(O.WritesTo));
}

void OpTransfer::run(const OpFact &O) {
  Run Of = begin(O);
  for (AxisId A = 0; A != E.universe().size(); ++A)
    onAxis(Of, A);
  describe(Of);
  noteUnwritten(In, O);
  noteLostGradient(Of);
  Of.Out.Unwritten = readUnwritten(In, O);
  if (usesGradient(Of)) {
    In.Grads.forgetSums();
    if (!collectsGradient(Of))
      In.Grads.noteUsed();
  }
  if (O.WritesTo != SlotId::None)
    return write(Of);
  if (!O.Rule->Views.empty() && !Of.Wrong)
    viewOperand(O, Of.Out);
  for (AxisId A = 0; A != E.universe().size(); ++A)
    Sums.noteAdded(Of.AddedTo[A], A);
  Sums.copiesAdded(O);
  // A number; other results may be handles to who knows what.
  Of.Out.Fresh =
      llvm::all_of(O.Operands, [](const Operand &X) { return X.Scalar; });
  Store.define(O.Dst, std::move(Of.Out));
}

} // namespace spmd::rules::inference
