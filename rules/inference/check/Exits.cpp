//===- Exits.cpp - What a function leaves ---------------------------------===//

#include "Exits.h"

#include "body/NamedModules.h"
#include "passes/MadeWholeBehind.h"
#include "passes/Positions.h"

#include "spmd/ir/Members.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

void Exits::run(State &S) {
  Point.Now = &S;
  Point.Running = nullptr;
  checkIterations();
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    const Slot &P = F.Slots[I];
    if (!P.Declared || !P.Declared->Exit)
      continue;
    if (P.Declared->isOutput())
      checkOutput(P, SlotId(I));
    // Of an object it is about the tensors in it, as far as they are named;
    // where the pointer goes on, what it then names is another.
    const bool GoesOn = llvm::any_of(factsOf<BindFact>(F), [I](const auto &B) {
      return B.Dst == SlotId(I);
    });
    if (GoesOn || llvm::none_of(F.Slots, [I](const Slot &S) {
          return S.Inherited && S.Base == SlotId(I);
        }))
      checkOnExit(SlotId(I));
    for (std::uint32_t Member = F.NumParameters;
         !GoesOn && Member < F.Slots.size(); ++Member)
      if (isTensorOf(SlotId(I), Member))
        checkOnExit(SlotId(Member));
  }
  checkReplicas();
  checkResult();
  checkLeftBehind();
  checkUnread();
}

/// Whether slot number \p Member is a tensor in \p Object that is to have the
/// type on exit which the object is declared to have.
bool Exits::isTensorOf(SlotId Object, std::uint32_t Member) const {
  const Slot &S = F.Slots[Member];
  if (!S.Inherited || !S.IsTensor || !S.Declared->Exit)
    return false;
  SlotId Root = S.Base;
  while (F.slot(Root).Inherited)
    Root = F.slot(Root).Base;
  return Root == Object;
}

/// What \p Slot, a parameter or a member of one, is declared to be on exit.
void Exits::checkOnExit(SlotId Slot) {
  const rules::Slot &S = F.slot(Slot);
  const PlaceId At =
      In.LastReturn != PlaceId::None ? In.LastReturn : S.DeclaredAt;
  // The pointer itself may have been moved; the contract is about the buffer
  // that the caller passed.
  const MeshSpec *Of = S.Mesh.get();
  Contracts.require({Slot, S.DeclaredAt},
                    Decls.requirements(*S.Declared->Exit, Of),
                    {Annotated::ParameterOnExit, S.Name, S.DeclaredAt, &F,
                     Decls.declaredSpec(*S.Declared->Exit, Of)},
                    At);
}

std::optional<Violation> unwrittenOutput(Body &In, SlotId Parameter,
                                         PlaceId At) {
  const Slot &S = In.F.slot(Parameter);
  const auto Declared = In.Decls.requirements(*S.Declared->Exit, S.Mesh.get());
  const auto Is = llvm::find_if(
      Declared, [](const AxisState &Said) { return !Said.Set.isAll(); });
  if (Is == Declared.end())
    return std::nullopt;
  ContractClash Clash;
  Clash.On = Annotated::OutputOnExit;
  Clash.Required = Is->type();
  Clash.Declared = {&In.F, S.DeclaredAt};
  Violation V = In.Report.violation(std::move(Clash), At,
                                    AxisId(Is - Declared.begin()), S.Name);
  V.Operands.push_back(In.Report.operandOf({Parameter, At}, AxisState()));
  return V;
}

/// What a function says that it writes it must at least mention.
void Exits::checkOutput(const Slot &S, SlotId Parameter) {
  // Once, not once for each call.
  if (!Report.isOn() || !In.C.CellOf.empty())
    return;
  bool Mentioned = false;
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts)
      forEachSlot(X, [&](SlotId Slot, SlotAccess) {
        while (Slot != SlotId::None && Slot != Parameter)
          Slot = F.slot(Slot).Base;
        Mentioned |= Slot == Parameter;
      });
  // Who only reads a buffer mentions it, too.
  const bool IsObject = llvm::any_of(
      F.Slots, [&](const Slot &Field) { return Field.Base == Parameter; });
  const AbstractValue *Left = Store.contents(CellId(index(Parameter)));
  Mentioned &= IsObject || !Left || !Left->Untouched;
  if (Mentioned)
    return;
  if (std::optional<Violation> V = unwrittenOutput(In, Parameter, S.DeclaredAt))
    Report.report(std::move(*V));
}

/// Whether what the function is declared to leave is looked at in this call: by
/// itself, or where nothing is declared but locals, whose function ends with
/// each.
bool Exits::endsHere() const {
  return Report.isOn() && (E.isByItself(F) || !F.hasContract());
}

/// Whether slot number \p Number is a field that is looked at where the
/// function ends: of an object that others have, or of a variable here that
/// nobody else has then. Callers may make the first whole again. All functions
/// have a global as they have a field of one.
bool Exits::isFieldAtEnd(std::uint32_t Number) const {
  const Slot &S = F.Slots[Number];
  const auto Field = SlotId(Number);
  if (S.Kind == SlotKind::Global)
    return E.isRoot(F);
  if (S.Kind != SlotKind::Field || F.IsConstructor ||
      Objects.isOfElement(Field) || hasBetterName(S, Number))
    return false;
  const CellId Id = Point.Now->cellOf(Number);
  if (!E.isRoot(F) &&
      (!Objects.isDrawnHere(Field) || Objects.outlives(Field, Id, *Point.Now) ||
       Objects.isGivenAway(Field)))
    return false;
  if (!Objects.isMadeHere(Field))
    return true;
  const auto IsSame = [&](SlotId X) {
    return Point.Now->cellOf(index(X)) == Id;
  };
  return Objects.isInVariable(Field) && llvm::none_of(Owned, IsSame) &&
         !Objects.outlives(Field, Id, *Point.Now) && isNearest(Number) &&
         !Objects.isGivenAway(Field);
}

/// How many members lead from a variable to \p S.
static unsigned depthOf(const Function &F, const Slot &S) {
  unsigned Out = 0;
  for (const Slot *X = &S; X->Base != SlotId::None; X = &F.slot(X->Base))
    ++Out;
  return Out;
}

/// Whether of the members of variables that are one storage, number \p Number
/// is the one that a user would name it by.
bool Exits::isNearest(std::uint32_t Number) const {
  const CellId Id = Point.Now->cellOf(Number);
  const auto Order = [&](std::uint32_t I) {
    return std::pair(depthOf(F, F.Slots[I]), I);
  };
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (const Slot &S = F.Slots[I];
        S.Kind == SlotKind::Field && S.Declared && Point.Now->cellOf(I) == Id &&
        Objects.isInVariable(SlotId(I)) && Order(I) < Order(Number))
      return false;
  return true;
}

/// Leaves of \p Value, which \p Now is at the end of an object, the axes on
/// which nobody made what differs the same again: what is made whole before
/// each use may end torn.
void Exits::keepLasting(AbstractValue &Value, const AbstractValue &Now) {
  for (AxisId A = 0; A != Value.Axes.size(); ++A)
    if (!(Now.Diverged & ~Now.Reconverged & 1u << A))
      Value.Axes[A] = AxisState();
}

/// What is declared to be the same on every rank must be so at the end: a
/// buffer that was passed, a local, and, where nobody in the module calls on to
/// make it whole again, a field; checkOwned looks at those of objects that end
/// here. A pending sum that was reduced, on the other hand, may wait for the
/// next backward.
void Exits::checkReplicas() {
  if (!endsHere())
    return;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (S.Member == ParametersMember && !S.Declared)
      checkByOtherName(SlotId(I));
    if (!S.Declared || S.Declared->Exit)
      continue;
    // A parameter may name something else by now; the contract is about what
    // the caller passed.
    if (S.Kind == SlotKind::Parameter) {
      const CellId Passed = In.Start.cellOf(I);
      if (const AbstractValue *Now = Store.contents(Passed);
          Now && !Report.Excused.contains(Passed))
        checkReplica(S, Passed, *Now);
    } else if (S.Outermost || isFieldAtEnd(I)) {
      AbstractValue Now = Store.read(SlotId(I));
      if (S.Kind == SlotKind::Field && Objects.isMadeHere(SlotId(I)))
        keepLasting(Now, Store.read(SlotId(I)));
      if (!isSaidElsewhere(SlotId(I), Now))
        checkReplica(S, Point.Now->cellOf(I), Now);
    }
  }
}

/// The parameters \p List of a module that a member is declared to be, and that
/// has another name here.
void Exits::checkByOtherName(SlotId List) {
  const Slot *Declared = E.isRoot(F) ? declaredOf(F, List) : nullptr;
  if (!Declared || Declared->Declared->Exit ||
      Declared->Kind != SlotKind::Field || !isGiven(F, List))
    return;
  Slot S = F.slot(List);
  S.Base = Declared->Base;
  S.Declared = Declared->Declared;
  S.DeclaredAt = Declared->DeclaredAt;
  S.Mesh = Declared->Mesh;
  checkReplica(S, Point.Now->cellOf(index(List)), Store.read(List));
}

/// Whether \p Field, number \p Number, is in an object without a name, and
/// something declared that is in one with a name is the same storage, or it was
/// put into a variable, whose annotation it has.
bool Exits::hasBetterName(const Slot &Field, std::uint32_t Number) const {
  const auto HasName = [&](const Slot &S) {
    return rootOf(F, S).Kind != SlotKind::Temporary;
  };
  if (HasName(Field))
    return false;
  if (!positionOf(F, Field.DeclaredAt).first)
    return true;
  // What an element has, its list is said to have.
  const auto IsOfList = [&](const Slot &S) {
    return S.Kind == SlotKind::Field && S.Member == Field.Member &&
           llvm::any_of(factsOf<ViewFact>(F), [&](const ViewFact &View) {
             return View.Dst == Field.Base && View.Src.Slot == S.Base;
           });
  };
  const CellId Id = Point.Now->cellOf(Number);
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (F.Slots[I].Declared && HasName(F.Slots[I]) &&
        (Point.Now->cellOf(I) == Id || IsOfList(F.Slots[I])))
      return true;
  return false;
}

/// What \p S, a parameter, a field or a local, is where \p F ends.
static Annotated onExit(const Function &F, const Slot &S) {
  if (S.Kind == SlotKind::Global)
    return Annotated::FieldOnExit;
  if (S.Kind != SlotKind::Field)
    return S.Kind == SlotKind::Local ? Annotated::VariableOnExit
                                     : Annotated::ParameterOnExit;
  return rootOf(F, S).Kind == SlotKind::Local ? Annotated::MemberOnExit
                                              : Annotated::FieldOnExit;
}

/// Whether \p Field is one of an object that is in scope in a branch alone,
/// where the ranks that took it have parted: behind it there is no such object.
static bool isLeftBehind(const Function &F, const Slot &Field,
                         const AxisState &Is) {
  if (Field.Kind != SlotKind::Field || !Is.From || Is.From->In != &F ||
      Is.From->K != Origin::Kind::Branch)
    return false;
  const Slot &Object = rootOf(F, Field);
  return Object.Kind == SlotKind::Local && !Object.Outermost &&
         positionOf(F, Is.From->At) < positionOf(F, Object.DeclaredAt);
}

void Exits::checkReplica(const Slot &S, CellId Id, const AbstractValue &Now) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  const std::vector<AxisState> Declared = Decls.requirements(
      S.Declared->Exit ? *S.Declared->Exit : S.Declared->Entry, S.Mesh.get());
  for (AxisId A = 0; A != Declared.size() && !Now.Undefined; ++A) {
    const AxisState &Is = Now.Axes[A];
    noteDoubt(S, Declared[A], Is, A);
    // What was found to clash with an annotation was told there.
    if (!Declared[A].Set.subsetOf(Replicas) || !(Is.Set & Replicas).empty() ||
        Is.Assumed || isLeftBehind(F, S, Is) ||
        (Is.From && Is.From->In == &F &&
         mayBeMadeWholeBehind(F, S, Is.From->At)))
      continue;
    report(onExit(F, S), Declared[A].type(), S.DeclaredAt, S.Name, Id,
           whereItBecame(S, Id, Is), Is, A);
  }
}

/// Some way may leave \p S a replica, as it is \p Declared, and another none:
/// then each is worth to be looked at by itself. Nobody is told.
void Exits::noteDoubt(const Slot &S, const AxisState &Declared,
                      const AxisState &Is, AxisId A) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  if (!E.options().OnlyDoubts || !Declared.Set.subsetOf(Replicas) ||
      Is.Set.isAll() || Is.Assumed || (Is.Set & Replicas).empty() ||
      Is.Set.subsetOf(Replicas))
    return;
  ContractClash Clash;
  Clash.On = onExit(F, S);
  Violation V = Report.violation(std::move(Clash), S.DeclaredAt, A, S.Name);
  V.Unsure = OnlyLegal{{Is.Set & Replicas, std::nullopt}};
  Report.report(std::move(V));
}

/// Where \p S became what it \p Is, unless that is a copy of something
/// declared, or a callee made a parameter so: then where it is declared. A
/// callee that made a local so was called for it.
Site Exits::whereItBecame(const Slot &S, CellId Id, const AxisState &Is) const {
  if (!Is.From || Is.From->K == Origin::Kind::Declared)
    return {&F, S.DeclaredAt};
  if (Is.From->In == &F || S.Kind == SlotKind::Field ||
      S.Kind == SlotKind::Global)
    return {Is.From->In, Is.From->At};
  return {&F,
          S.Kind == SlotKind::Local ? callThatChanged(S, Id) : S.DeclaredAt};
}

/// The place of the last call that changed the storage \p Id of the local \p S,
/// which may have been other storage then; where it is declared if none did.
PlaceId Exits::callThatChanged(const Slot &S, CellId Id) const {
  if (const auto Call = In.ChangedByCall.find(Id);
      Call != In.ChangedByCall.end())
    return Call->second;
  PlaceId At = S.DeclaredAt;
  for (const CallFact &Call : factsOf<CallFact>(F))
    if (llvm::any_of(Call.Arguments,
                     [&](const Operand &A) {
                       return A.Slot != SlotId::None && &F.slot(A.Slot) == &S;
                     }) &&
        llvm::any_of(In.ChangedByCall,
                     [&](const auto &By) { return By.second == Call.At; }))
      At = Call.At;
  return At;
}

void Exits::report(Annotated On, const AxisType &Required, PlaceId DeclaredAt,
                   llvm::StringRef Name, CellId Id, Site At,
                   const AxisState &Is, AxisId A) {
  ContractClash Clash;
  Clash.On = On;
  Clash.Required = Required;
  Clash.Declared = {&F, DeclaredAt};
  Violation V = Report.violation(std::move(Clash), At.At, A, Name);
  V.In = At.In;
  if (const auto Call = In.ChangedByCall.find(Id);
      V.In != &F && Call != In.ChangedByCall.end())
    V.CalledFrom.push_back({&F, Call->second});
  ViolationOperand O;
  O.At = At.At;
  O.Name = Name.str();
  O.Type = Is.type();
  if (Is.From)
    O.From = *Is.From;
  V.Operands.push_back(std::move(O));
  Report.report(std::move(V));
}

/// What \p R returns is a copy of, in its own block; None where that is a
/// constant zero.
static std::optional<SlotId> returnedBy(const ReturnFact &R, const Block &B) {
  for (const Fact &X : B.Facts) {
    if (const auto *O = std::get_if<OpFact>(&X);
        O && O->Dst == R.Value.Slot && O->Rule->is(OpRole::Copies))
      return O->Operands[0].Slot;
    if (const auto *D = std::get_if<DefineFact>(&X);
        D && D->Dst == R.Value.Slot)
      return D->K == DefineFact::Kind::Zero ? std::optional(SlotId::None)
                                            : std::nullopt;
  }
  return R.Value.Slot;
}

/// Whether all ways return one value.
static bool returnsOneValue(const Function &F) {
  std::optional<SlotId> First;
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts) {
      const auto *R = std::get_if<ReturnFact>(&X);
      if (!R)
        continue;
      const std::optional<SlotId> Of = returnedBy(*R, B);
      if (!Of || Of != First.value_or(*Of))
        return false;
      First = Of;
    }
  return true;
}

/// Each value that is returned may be a replica, and ranks that go different
/// ways return different ones of them.
void Exits::checkResult() {
  if (!Report.isOn() || !F.Result || !E.isByItself(F) || returnsOneValue(F))
    return;
  const std::uint32_t Slot = In.Numbers.returnSlot();
  const CellId Returned = Point.Now->cellOf(Slot);
  const AbstractValue *Now = Store.contents(Returned);
  if (Returned == Slot || !Now || Now->Undefined ||
      Report.Excused.contains(Returned))
    return;
  // Of a parameter's buffer, it is said of the parameter.
  for (unsigned I = 0; I != F.NumParameters; ++I)
    if (In.Start.cellOf(I) == Returned)
      return;
  const std::vector<AxisState> Declared = Decls.requirements(F.Result->Entry);
  for (AxisId A = 0; A != Declared.size(); ++A) {
    const AxisState &Is = Now->Axes[A];
    if (Declared[A].Set.subsetOf(LocalType::R | LocalType::I) &&
        Is.Set == TypeSet(LocalType::V) && Is.From &&
        Is.From->K == Origin::Kind::Branch)
      report(Annotated::Return, Declared[A].type(), F.ResultAt, F.DisplayName,
             Returned, {Is.From->In, Is.From->At}, Is, A);
  }
}

/// The same where each loop has had an iteration; true if that says something.
bool Exits::checkOwnedAfterLoops(SlotId Slot, CellId Id, const State &Exit) {
  const AbstractValue *Last = Exit.contents(Id);
  AbstractValue Left = Decls.unknownValue();
  bool Found = false;
  for (AxisId A = 0; Last && !Last->Wrong && A != Left.Axes.size(); ++A)
    if (Last->Diverged & ~Last->Reconverged & 1u << A)
      if (const auto As = In.Log.divergedAtExit(Id, A, In.Entries)) {
        Left.Axes[A] = *As;
        Found = true;
      }
  checkReplica(F.slot(Slot), Id, Left);
  return Found;
}

/// Nothing follows that could change it: the block is the last one, or the end
/// of a loop with nothing after it.
void Exits::checkOwned(SlotId Slot, llvm::ArrayRef<State> Ends,
                       const State &Exit) {
  State S = Exit;
  Point.Now = &S;
  const CellId Id = Exit.cellOf(index(Slot));
  if (!Exit.Reached || Report.Excused.contains(Id) ||
      Objects.outlives(Slot, Id, Exit))
    return;
  if (checkOwnedAfterLoops(Slot, Id, Exit))
    return;
  const std::vector<bool> Quiet = Objects.quietToTheEnd(Id);
  const auto IsLast = [&](std::uint32_t B) {
    llvm::ArrayRef<BlockId> To = F.Blocks[B].Successors;
    if (!To.empty() && llvm::all_of(To, [&](BlockId X) {
          return Objects.neverReturns(index(X));
        }))
      return false;
    if (llvm::all_of(To, [&](BlockId X) { return Quiet[index(X)]; }))
      return true;
    // Round a loop, and out of it.
    if (To.size() != 1 || index(To[0]) > B ||
        !Objects.isQuiet(index(To[0]), Id))
      return false;
    return llvm::any_of(F.Blocks[index(To[0])].Successors,
                        [&](BlockId X) { return Quiet[index(X)]; });
  };
  for (std::uint32_t B = 0; B != Ends.size(); ++B) {
    const State &End = Ends[B];
    if (!End.Reached || End.cellOf(index(Slot)) != Id || !IsLast(B))
      continue;
    const AbstractValue *C = End.contents(Id);
    if (!C)
      continue;
    AbstractValue Now = *C;
    keepLasting(Now, *C);
    checkReplica(F.slot(Slot), Id, Now);
  }
}

} // namespace spmd::rules::inference
