//===- Calls.cpp - Contracts and bodies at calls --------------------------===//

#include "FunctionAnalysis.h"
#include "spmd/ir/CallerSlot.h"

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
  const CellId Old = Current->cellOf(index(Slot));
  repoint(Slot, Id);
  if (Old != Id && index(Slot) < F.ObjectOf.size())
    for (SlotId Other : NamesOf.lookup(index(F.ObjectOf[index(Slot)])))
      if (Other != Slot && Current->cellOf(index(Other)) == Old) {
        forget(Other);
        bindFields(Other, SlotId::None, /*Refers=*/true);
      }
  if (Referred != SlotId::None)
    bindFields(Slot, Referred, /*Refers=*/true);
}

/// The storage may have other dims from now on.
void FunctionAnalysis::forgetSpec(CellId Id) {
  AbstractValue Now = *contents(Id);
  Now.Spec = nullptr;
  put(Id, std::move(Now));
}

void crossOver(AbstractValue &V) {
  for (AxisState &A : V.Axes)
    if (A.By == Collected::Here)
      A.By = Collected::Elsewhere;
}

void FunctionAnalysis::callBody(const Function &Target, const CallFact &Call,
                                AbstractValue &Result, CellId &ResultAlias) {
  Context Inner;
  llvm::DenseMap<CellId, unsigned> IndexOf;
  std::vector<CellId> CallerCell;
  const AxisList Inside = globalAxes(Target, Global);
  // Code that names no axis is what its caller makes of it.
  const MeshSpec *Mesh = meshOf(Target);
  if (!E.namesAxes(Target))
    Mesh = Inner.Mesh = mesh();
  const MeshMap *In = E.meshMap(mesh(), Mesh), *Out = E.meshMap(Mesh, mesh());
  for (std::uint32_t I = 0; I != Target.Slots.size(); ++I) {
    const SlotId Mine = callerSlot(Target, Call, I);
    if (Mine == SlotId::None || Target.Slots[I].Kind == SlotKind::Result)
      continue;
    const CellId Id = cellOf(Mine);
    auto [It, New] =
        IndexOf.try_emplace(Id, static_cast<unsigned>(Inner.Cells.size()));
    if (New) {
      AbstractValue Passed = *contents(Id);
      static_cast<ViewPosition &>(Passed) = {};
      Passed.Spec =
          specInside(Passed.Spec, In && !isAllGlobal() ? AxisList() : Inside);
      Passed.Untouched = false;
      crossOver(Passed);
      Inner.Cells.push_back(In ? In->cell(Passed) : std::move(Passed));
      CallerCell.push_back(Id);
    }
    Inner.CellOf.emplace_back(I, It->second);
    const Slot &S = Target.Slots[I];
    if (S.Kind == SlotKind::Parameter)
      for (AxisState &A : Inner.Cells[It->second].Axes)
        A.By = Collected::No;
    if (S.Kind == SlotKind::Parameter && !S.Name.empty() &&
        Inner.Cells[It->second].Span.size() == 1)
      Inner.AxisOfFormal[S.Name] = Inner.Cells[It->second].Span[0];
  }
  // So do the gradients that were asked for.
  for (std::size_t I = 0, N = CallerCell.size(); I != N; ++I) {
    Inner.Cells[I].Gradient = NoCell;
    if (!gradientOf(*Current, CallerCell[I]))
      continue;
    const CellId Gradient = contents(CallerCell[I])->Gradient;
    const auto [It, New] = IndexOf.try_emplace(
        Gradient, static_cast<unsigned>(Inner.Cells.size()));
    if (New) {
      AbstractValue Passed = *contents(Gradient);
      static_cast<ViewPosition &>(Passed) = {};
      Passed.Gradient = NoCell;
      Passed.Spec = nullptr;
      Passed.Untouched = false;
      crossOver(Passed);
      Inner.Cells.push_back(In ? In->cell(Passed) : std::move(Passed));
      CallerCell.push_back(Gradient);
    }
    Inner.Cells[I].Gradient = It->second;
  }
  Inner.Global = Global;
  const Summary *S =
      E.summarise(Target, Inner, Reporting, CallSite{&F, Call.At});
  if (!S) {
    for (CellId Id : CallerCell)
      if (contents(Id)->Span.empty()) {
        noteChange(Id);
        put(Id, unknownValue());
      }
    return;
  }
  // A layout of other axes means nothing here.
  const auto Outside = [&](AbstractValue C) {
    if (Inside != Global)
      C.Spec = nullptr;
    return Out ? Out->cell(C) : C;
  };
  for (std::size_t I = 0; I != CallerCell.size(); ++I) {
    AbstractValue Before = Inner.Cells[I];
    Before.Diverged = S->ExitCells[I].Diverged;
    Before.Reconverged = S->ExitCells[I].Reconverged;
    // Of what is only seen to be of some type on another mesh, more may be
    // known on this one.
    if (Out ? !S->Written.test(static_cast<unsigned>(I))
            : S->ExitCells[I] == Before)
      continue;
    AbstractValue After = Outside(S->ExitCells[I]);
    const bool Reshaped = S->ExitCells[I].Spec != Before.Spec;
    if (!Reshaped)
      After.Spec = contents(CallerCell[I])->Spec;
    const bool Unknown = Out && Reshaped && !After.Spec;
    writeCell(CallerCell[I], After, /*Partial=*/false);
    if (Unknown)
      forgetSpec(CallerCell[I]);
  }
  takeGradients(*S, CallerCell, Outside);
  for (const Summary::DivergedCell &D : S->Diverged)
    if (!Out)
      noteDiverged(CallerCell[D.Of], D.Axis, D.As);
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
      AbstractValue Value = Outside(R.Value);
      if (R.Whole >= 0) {
        Value.Whole = CallerCell[R.Whole];
        Value.Some = true;
      }
      noteWritten(index(Mine));
      put(index(Mine), std::move(Value));
    }
  }
  for (auto [List, Member] : S->Joined)
    mayHold(CallerCell[List], CallerCell[Member]);
  if (S->Returns) {
    if (S->ResultAlias >= 0)
      ResultAlias = CallerCell[S->ResultAlias];
    Result = Outside(S->Result);
    if (S->ResultWhole >= 0) {
      Result.Whole = CallerCell[S->ResultWhole];
      Result.Some = true;
    }
  }
}

/// A callee's contract, as its caller reads it.
class FunctionAnalysis::Callee {
public:
  Callee(FunctionAnalysis &Caller, const Function &Target, const CallFact &Call)
      : Caller(Caller), Formals(formals(Caller, Target, Call)),
        Signature(Caller.E, Target, Formals),
        Map(Caller.E.meshMap(Caller.meshOf(Target), Caller.mesh())) {}

  /// What \p T says, on the axes of the callee. A name of a size stands for
  /// what \p Given has there.
  AbstractValue cell(const TypeSpec &T, const MeshSpec *Of, PlaceId At,
                     llvm::StringRef Subject,
                     const PartitionSpec *Given = nullptr) {
    AbstractValue Out = Signature.declaredValue(T, At, Subject, Of);
    if (Map && !Caller.isAllGlobal())
      Out.Spec = nullptr;
    if (Map && !map(T)) { // only what is said on the caller's axes
      Out.Spec = nullptr;
      for (AxisId A = 0; A != Out.Axes.size(); ++A)
        if (llvm::none_of(Formals.AxisOfFormal,
                          [&](const auto &X) { return X.second == A; }))
          Out.Axes[A] = AxisState();
    }
    Out.Spec = Names.instantiate(Out.Spec, Given);
    return Out;
  }
  /// Null where that is what it says on the axes of the caller, too.
  const MeshMap *map(const TypeSpec &T) const {
    // An axis named by a parameter is the caller's.
    return llvm::any_of(T.Axes,
                        [&](const AxisAtom &A) {
                          return Formals.AxisOfFormal.count(A.Axis) != 0;
                        })
               ? nullptr
               : Map;
  }
  AxisList axes(llvm::ArrayRef<std::string> Of) const {
    const AxisList Theirs = Signature.axesOf(Of);
    return Map ? Map->span(Theirs) : Theirs;
  }

private:
  /// The callee's annotations may name its communicator parameters as axes.
  static Context formals(FunctionAnalysis &Caller, const Function &Target,
                         const CallFact &Call) {
    Context Out;
    Out.Global = Caller.Global;
    Out.OfContract = true;
    const std::size_t Most =
        std::min<std::size_t>(Target.NumParameters, Call.Arguments.size());
    for (std::size_t I = 0; I != Most; ++I) {
      const SlotId Given = Call.Arguments[I].Slot;
      if (Given == SlotId::None || Target.Slots[I].Name.empty())
        continue;
      const AxisList &Span = Caller.read(Given).Span;
      if (Span.size() == 1)
        Out.AxisOfFormal[Target.Slots[I].Name] = Span[0];
    }
    return Out;
  }

  FunctionAnalysis &Caller;
  const Context Formals;
  FunctionAnalysis Signature;
  const MeshMap *Map;
  SizeNames Names;
};

/// An argument has the type that \p P is declared to have on entry.
void FunctionAnalysis::requireArgument(Operand Given, const Slot &P,
                                       const Function &Target, Callee &Of,
                                       PlaceId At) {
  const TypeSpec &T = P.Declared->Entry;
  AbstractValue Said = Of.cell(T, P.Mesh.get(), P.DeclaredAt, P.Name,
                               read(Given.Slot).Spec.get());
  Requirement Why{Annotated::Argument, P.Name, P.DeclaredAt, &Target,
                  std::move(Said.Spec)};
  requireHere(Given, {Said.Axes.begin(), Said.Axes.end()}, std::move(Why),
              Of.map(T), At);
}

void FunctionAnalysis::transfer(const CallFact &Call) {
  const Function *Target = E.find(Call.Callee);
  if (Call.Dst != SlotId::None) // a struct's fields are those of this call
    bindFields(Call.Dst, SlotId::None);
  AbstractValue Result = unknownValue();
  CellId ResultAlias = NoCell;
  if (!Target) {
    define(Call.Dst, std::move(Result));
    return;
  }

  Callee Contract(*this, *Target, Call);
  const unsigned NumArguments = static_cast<unsigned>(
      std::min<std::size_t>(Target->NumParameters, Call.Arguments.size()));
  for (unsigned I = 0; I != NumArguments; ++I) {
    const Slot &P = Target->Slots[I];
    if (P.Declared && !P.Declared->isOutput() &&
        Call.Arguments[I].Slot != SlotId::None)
      requireArgument(Call.Arguments[I], P, *Target, Contract, Call.At);
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
      AbstractValue After = *contents(Id);
      After.Axes[A].Assumed = true;
      put(Id, std::move(After));
    }
  }

  for (unsigned I = 0; I != NumArguments; ++I) {
    const Slot &P = Target->Slots[I];
    if (!P.Declared || !P.Declared->Exit ||
        Call.Arguments[I].Slot == SlotId::None)
      continue;
    const TypeSpec &T = *P.Declared->Exit;
    const AbstractValue Exit =
        Contract.cell(T, P.Mesh.get(), P.DeclaredAt, P.Name);
    const MeshMap *Map = Contract.map(T);
    AbstractValue After = read(Call.Arguments[I].Slot);
    After.Undefined = After.Wrong = false;
    llvm::BitVector Said(E.universe().size());
    for (AxisId A = 0; A != After.Axes.size(); ++A) {
      Said[A] = !Exit.Axes[A].Set.isAll();
      if (Said[A] && !Map)
        After.Axes[A] = Exit.Axes[A];
    }
    if (Map)
      Map->update(After.Axes, Exit.Axes, Said);
    if (Exit.Spec)
      After.Spec = Map ? Map->spec(Exit.Spec) : Exit.Spec;
    const bool Unknown = Exit.Spec && !After.Spec;
    write(Call.Arguments[I].Slot, After, /*Partial=*/false);
    if (Unknown)
      forgetSpec(cellOf(Call.Arguments[I].Slot));
  }
  if (Target->Result) {
    const TypeSpec &T = Target->Result->Entry;
    Result = Contract.cell(T, nullptr, Target->ResultAt, Target->DisplayName);
    if (const MeshMap *Map = Contract.map(T))
      Result = Map->cell(Result);
    ResultAlias = NoCell;
  }
  if (!Target->ResultAxes.empty())
    Result.Span = Contract.axes(Target->ResultAxes);
  if (Call.Dst == SlotId::None)
    return;
  if (ResultAlias != NoCell)
    bind(Call.Dst, ResultAlias);
  else
    define(Call.Dst, std::move(Result));
}

} // namespace spmd::rules::inference
