//===- Calls.cpp - Contracts and bodies at calls --------------------------===//

#include "../CallerSlot.h"
#include "FunctionAnalysis.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// None also when the caller never mentions it.
SlotId FunctionAnalysis::callerSlot(const Function &Target,
                                    const CallFact &Call,
                                    std::uint32_t CalleeSlot) const {
  const auto Field = [&](SlotId Base, const Slot &S) {
    auto It = FieldsOf.find(index(Base));
    if (It == FieldsOf.end())
      return SlotId::None;
    for (SlotId Candidate : It->second)
      if (F.slot(Candidate).Member == S.Member)
        return Candidate;
    return SlotId::None;
  };
  const auto Global = [&](const Slot &S) {
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (F.Slots[I].Kind == SlotKind::Global && F.Slots[I].Name == S.Name &&
          F.Slots[I].Member == S.Member)
        return SlotId(I);
    return SlotId::None;
  };
  return rules::callerSlot(Call, Target, SlotId(CalleeSlot), Field, Global);
}

static bool isWithin(const Function &F, SlotId Field, SlotId Object) {
  while ((Field = F.slot(Field).Base) != SlotId::None)
    if (Field == Object)
      return true;
  return false;
}

/// A callee made \p Slot a name of another object, \p Referred if the caller
/// has a name of it. Whether what it named before is changed is not known.
void FunctionAnalysis::refer(SlotId Slot, CellId Id, SlotId Referred) {
  const CellId Old = Current->Slots[index(Slot)];
  repoint(Slot, Id);
  if (Old != Id && index(Slot) < F.ObjectOf.size())
    for (SlotId Other : NamesOf.lookup(index(F.ObjectOf[index(Slot)])))
      if (Other != Slot && Current->Slots[index(Other)] == Old) {
        forget(Other);
        bindFields(Other, SlotId::None, /*Refers=*/true);
      }
  if (Referred != SlotId::None)
    bindFields(Slot, Referred, /*Refers=*/true);
}

void FunctionAnalysis::callBody(const Function &Target, const CallFact &Call,
                                Cell &Result, CellId &ResultAlias) {
  Context Inner;
  llvm::DenseMap<CellId, unsigned> IndexOf;
  std::vector<CellId> CallerCell;
  const AxisList Inside = globalAxes(Target, Global);
  for (std::uint32_t I = 0; I != Target.Slots.size(); ++I) {
    const SlotId Mine = callerSlot(Target, Call, I);
    if (Mine == SlotId::None || Target.Slots[I].Kind == SlotKind::Result)
      continue;
    const CellId Id = cellOf(Mine);
    auto [It, New] =
        IndexOf.try_emplace(Id, static_cast<unsigned>(Inner.Cells.size()));
    if (New) {
      Cell In = *Current->Cells[Id];
      In.Whole = In.Gradient = NoCell;
      In.Varies = In.MayVary = 0;
      In.Spec = specInside(In.Spec, Inside);
      In.Some = false;
      Inner.Cells.push_back(std::move(In));
      CallerCell.push_back(Id);
    }
    Inner.CellOf[I] = It->second;
    const Slot &S = Target.Slots[I];
    if (S.Kind == SlotKind::Parameter && !S.Name.empty() &&
        Inner.Cells[It->second].Span.size() == 1)
      Inner.AxisOfFormal[S.Name] = Inner.Cells[It->second].Span[0];
  }
  Inner.Global = Global;
  const Summary *S =
      E.summarise(Target, Inner, Reporting, CallSite{&F, Call.At});
  if (!S) {
    for (CellId Id : CallerCell)
      if (Current->Cells[Id]->Span.empty()) {
        noteChange(Id);
        put(Id, unknownCell());
      }
    return;
  }
  // A layout of other axes means nothing here.
  const auto Outside = [&](std::shared_ptr<const PartitionSpec> Spec) {
    return Inside == Global ? std::move(Spec) : nullptr;
  };
  for (std::size_t I = 0; I != CallerCell.size(); ++I) {
    Cell Before = Inner.Cells[I];
    Before.Torn = S->ExitCells[I].Torn;
    Before.Mended = S->ExitCells[I].Mended;
    if (S->ExitCells[I] == Before)
      continue;
    Cell After = S->ExitCells[I];
    After.Spec = After.Spec == Before.Spec ? Current->Cells[CallerCell[I]]->Spec
                                           : Outside(After.Spec);
    writeCell(CallerCell[I], After, /*Partial=*/false);
  }
  for (const Summary::TornCell &T : S->Torn)
    noteTorn(CallerCell[T.Cell], T.Axis, T.As);
  // One call fact defines at most one cell of its own; rebound slots other
  // than the result take theirs from the callee's exit by content.
  for (const Summary::Rebinding &R : S->Rebindings) {
    const SlotId Mine = callerSlot(Target, Call, R.Slot);
    if (Mine == SlotId::None)
      continue;
    const bool Moved = llvm::any_of(S->Rebindings, [&](const auto &Outer) {
      return isWithin(Target, SlotId(R.Slot), SlotId(Outer.Slot));
    });
    const CellId Id = R.Alias >= 0 ? CallerCell[R.Alias] : index(Mine);
    const SlotId Referred = nameOf(Id, Mine);
    if (Moved || (Referred != SlotId::None && FieldsOf.count(index(Mine))))
      refer(Mine, Id, Referred);
    else
      bind(Mine, Id);
    if (R.Alias < 0) {
      Cell Value = R.Value;
      Value.Spec = Outside(std::move(Value.Spec));
      if (R.Whole >= 0) {
        Value.Whole = CallerCell[R.Whole];
        Value.Some = true;
        noteView(index(Mine), Value.Whole);
      }
      put(index(Mine), std::move(Value));
    }
  }
  for (auto [List, Member] : S->Joined)
    mayHold(CallerCell[List], CallerCell[Member]);
  if (S->Returns) {
    if (S->ResultAlias >= 0)
      ResultAlias = CallerCell[S->ResultAlias];
    Result = S->Result;
    Result.Spec = Outside(std::move(Result.Spec));
    if (S->ResultWhole >= 0) {
      Result.Whole = CallerCell[S->ResultWhole];
      Result.Some = true;
    }
  }
}

void FunctionAnalysis::transfer(const CallFact &Call) {
  const Function *Target = E.find(Call.Callee);
  if (Call.Dst != SlotId::None) // a struct's fields are those of this call
    bindFields(Call.Dst, SlotId::None);
  Cell Result = unknownCell();
  CellId ResultAlias = NoCell;
  if (!Target) {
    define(Call.Dst, std::move(Result));
    return;
  }

  // The callee's annotations may name its communicator parameters as axes.
  Context Formals;
  const unsigned NumArguments = static_cast<unsigned>(
      std::min<std::size_t>(Target->NumParameters, Call.Arguments.size()));
  for (unsigned I = 0; I != NumArguments; ++I) {
    if (Call.Arguments[I].Slot == SlotId::None || Target->Slots[I].Name.empty())
      continue;
    const AxisList &Span = read(Call.Arguments[I].Slot).Span;
    if (Span.size() == 1)
      Formals.AxisOfFormal[Target->Slots[I].Name] = Span[0];
  }
  Formals.Global = Global;
  Formals.OfContract = true;
  FunctionAnalysis Signature(E, *Target, Formals);
  SizeNames Names;
  const auto SpecOf = [&](const TypeSpec &T, SlotId Given) {
    return Names.instantiate(Signature.declaredSpec(T),
                             Given == SlotId::None ? nullptr
                                                   : read(Given).Spec.get());
  };

  for (unsigned I = 0; I != NumArguments; ++I) {
    const Slot &P = Target->Slots[I];
    if (P.Declared && !P.Declared->isOutput() &&
        Call.Arguments[I].Slot != SlotId::None)
      require(Call.Arguments[I], Signature.requirements(P.Declared->Entry),
              {AssertFact::Kind::Argument, P.Name, P.DeclaredAt, Target,
               SpecOf(P.Declared->Entry, Call.Arguments[I].Slot)},
              Call.At);
  }

  if (!Target->Blocks.empty() && !Target->Trusted) {
    llvm::SmallVector<std::pair<CellId, AxisId>, 4> Assumed;
    for (const Operand &X : Call.Arguments)
      if (X.Slot != SlotId::None)
        for (AxisId A = 0; A != E.universe().size(); ++A)
          if (read(X.Slot).Axes[A].Assumed)
            Assumed.emplace_back(cellOf(X.Slot), A);
    callBody(*Target, Call, Result, ResultAlias);
    // What the body makes of a wrong argument excuses it no more.
    for (auto [Id, A] : Assumed) {
      Cell After = *Current->Cells[Id];
      After.Axes[A].Assumed = true;
      put(Id, std::move(After));
    }
  }

  for (unsigned I = 0; I != NumArguments; ++I) {
    const Slot &P = Target->Slots[I];
    if (!P.Declared || !P.Declared->Exit ||
        Call.Arguments[I].Slot == SlotId::None)
      continue;
    const Cell Exit =
        Signature.declaredCell(*P.Declared->Exit, P.DeclaredAt, P.Name);
    Cell After = read(Call.Arguments[I].Slot);
    After.Undefined = false;
    for (AxisId A = 0; A != After.Axes.size(); ++A)
      if (!Exit.Axes[A].Set.isAll())
        After.Axes[A] = Exit.Axes[A];
    if (Exit.Spec)
      After.Spec = SpecOf(*P.Declared->Exit, SlotId::None);
    write(Call.Arguments[I].Slot, After, /*Partial=*/false);
  }
  if (Target->Result) {
    Result = Signature.declaredCell(Target->Result->Entry, Target->ResultAt,
                                    Target->DisplayName);
    Result.Spec = SpecOf(Target->Result->Entry, SlotId::None);
    ResultAlias = NoCell;
  }
  if (!Target->ResultAxes.empty())
    Result.Span = Signature.axesOf(Target->ResultAxes);
  if (Call.Dst == SlotId::None)
    return;
  if (ResultAlias != NoCell)
    bind(Call.Dst, ResultAlias);
  else
    define(Call.Dst, std::move(Result));
}

} // namespace spmd::rules::inference
