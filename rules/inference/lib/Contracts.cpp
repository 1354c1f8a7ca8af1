//===- Contracts.cpp - Annotations as requirements ------------------------===//

#include "FactSlots.h"
#include "FunctionAnalysis.h"

namespace spmd::rules::inference {

const MeshSpec *FunctionAnalysis::mesh() const {
  return C.Mesh ? C.Mesh : meshOf(F);
}

const MeshSpec *FunctionAnalysis::meshOf(const Function &Of) const {
  return Of.Mesh ? Of.Mesh.get() : E.options().Mesh;
}

std::optional<AxisId> FunctionAnalysis::findAxis(llvm::StringRef Name) const {
  // An axis named by a parameter is the caller's axis.
  if (auto It = C.AxisOfFormal.find(Name); It != C.AxisOfFormal.end())
    return It->second;
  return E.universe().find(Name);
}

AxisList FunctionAnalysis::axesOf(llvm::ArrayRef<std::string> Names,
                                  const MeshSpec *Of) const {
  AxisList Out;
  for (const std::string &N : Names)
    if (std::optional<AxisId> A = findAxis(N))
      Out.push_back(*A);
  const MeshMap *There = E.meshMap(Of, mesh());
  return There ? There->span(Out) : Out;
}

/// True for a communicator parameter that an annotation uses as an axis name.
bool FunctionAnalysis::isAxisFormal(const Slot &S) const {
  if (S.Kind != SlotKind::Parameter || S.Name.empty())
    return false;
  for (unsigned I = 0; I != F.NumParameters; ++I)
    if (const TypeAnnotation *T = F.Slots[I].Declared.get())
      if (T->Entry.find(S.Name) || (T->Exit && T->Exit->find(S.Name)))
        return true;
  return F.Result && F.Result->Entry.find(S.Name);
}

std::vector<AxisState>
FunctionAnalysis::requirements(const TypeSpec &T, const MeshSpec *Of) const {
  std::vector<AxisState> Out(E.universe().size());
  auto Set = [&](llvm::StringRef Axis, const Atom &Value) {
    if (std::optional<AxisId> A = findAxis(Axis)) {
      Out[*A].Set = Value.Type;
      if (Value.ShardDim)
        Out[*A].Dim = static_cast<std::int8_t>(*Value.ShardDim);
    }
  };
  if (const MeshSpec *M = Of ? Of : mesh())
    for (const MeshAxis &A : M->Axes) {
      if (!A.Of.empty())
        continue;
      if (A.Default)
        Set(A.Name, *A.Default);
      else if (T.Global) // in no dim and not in braces: V, layout unknown
        Set(A.Name, {LocalType::V, std::nullopt});
    }
  for (const AxisAtom &A : T.Axes)
    Set(A.Axis, A.Value);
  const MeshMap *There = E.meshMap(Of, mesh());
  return There ? There->states(Out) : Out;
}

Violation FunctionAnalysis::contract(const Requirement &Why, PlaceId At,
                                     AxisId A) const {
  Violation V = violation(ViolationKind::Contract, At, A, Why.Subject);
  V.On = Why.On;
  return V;
}

void FunctionAnalysis::require(Operand Value,
                               llvm::ArrayRef<AxisState> Required,
                               const Requirement &Why, PlaceId At) {
  const AbstractValue Before = read(Value.Slot);
  const bool Comparable = Why.Spec && Before.Spec;
  for (AxisId A = 0; A != Required.size(); ++A) {
    const AxisState &Want = Required[A];
    if (Want.Set.isAll())
      continue;
    const AbstractValue &C = *contents(cellOf(Value.Slot));
    const AxisState Was = C.Undefined ? AxisState() : C.Axes[A];
    if (Was.isDoubtful(Want.Set & (Was.Set | LocalType::V)) && Reporting &&
        E.options().Strict && !(Want.Set & Was.Set).empty()) {
      Violation V = contract(Why, At, A);
      V.Possible = true;
      V.Operands.push_back(operandOf(Value, Was));
      V.Required.Set = Want.Set & Was.Set;
      E.report(std::move(V));
    }
    if (Was.Constant && Why.On != Annotated::Value &&
        !(Want.Set & (Was.Set | LocalType::V)).empty()) {
      // A variable or field holds what it is declared to hold from here on.
      if (Why.On == Annotated::Variable || Why.On == Annotated::Field)
        trust(Value.Slot, A, Want, Why);
      continue;
    }
    const TypeSet Left = Was.Set & Want.Set;
    const bool DimClash = !Comparable && Was.Dim && Want.Dim &&
                          *Was.Dim != *Want.Dim &&
                          (*Was.Dim < 0) == (*Want.Dim < 0);
    if (!Left.empty() && !DimClash) {
      if (Left != Was.Set || (Want.Dim && !Was.Dim)) {
        AbstractValue New = C;
        New.Undefined = New.Wrong = false;
        if (Was.Set.isAll() || !New.Axes[A].From)
          New.Axes[A].From =
              origin(Origin::Kind::Declared, Why.DeclaredAt, Why.Subject);
        New.Axes[A].narrowTo(Left);
        New.Axes[A].Assumed |= C.Wrong;
        if (Want.Dim)
          New.Axes[A].Dim = Want.Dim;
        put(cellOf(Value.Slot), std::move(New));
      }
      continue;
    }
    if (Reporting) {
      Violation V = contract(Why, At, A);
      V.Operands.push_back(operandOf(Value, Was));
      V.Required = Want.type();
      V.RequiredAt = Why.DeclaredAt;
      V.RequiredIn = Why.DeclaredIn;
      if (Why.There)
        V.RequiredThere = Why.There->Map.print(Why.There->Types, A);
      if (Comparable) {
        V.Layout = specFinding();
        V.Layout->Layouts.push_back(layoutOf(Before.Spec.get(), Before.Axes));
        V.Layout->Wanted = layoutOf(Why.Spec.get(), Required);
      }
      E.report(std::move(V));
    }
    // One mistake, one finding: from here on the annotation is believed.
    Excused.insert(cellOf(Value.Slot));
    AxisState Assumed = Want;
    Assumed.Assumed = true;
    trust(Value.Slot, A, Assumed, Why);
  }
  requireSpec(Value, Required, Why, At);
  reportNoForm(Value, Before, Why, At);
}

void FunctionAnalysis::requireHere(Operand Value,
                                   std::vector<AxisState> Required,
                                   Requirement Why, const MeshMap *Map,
                                   PlaceId At) {
  if (!Map)
    return require(Value, Required, Why, At);
  Foreign Said{*Map, std::move(Required), std::move(Why.Spec), {}};
  Why.Spec = Map->spec(Said.Spec, &Said.NoSpec);
  if (!Map->isByName() || !Said.NoSpec.empty())
    Why.There = &Said;
  require(Value, Map->states(Said.Types), Why, At);
}

/// --strict: what is said on another mesh is not compared with what is known
/// here.
void FunctionAnalysis::reportNoForm(Operand Value, const AbstractValue &Before,
                                    const Requirement &Why, PlaceId At) {
  if (!Reporting || !E.options().Strict || !Why.There ||
      Excused.contains(cellOf(Value.Slot)))
    return;
  const bool NoSpec = Before.Spec && Why.There->Spec && !Why.Spec;
  const std::string Lost =
      NoSpec ? Why.There->NoSpec
             : Why.There->Map.lost(Why.There->Types, Before.Axes);
  if (Lost.empty())
    return;
  Violation V = contract(Why, At, 0);
  V.Possible = true;
  V.Operands.push_back(operandOf(Value, AxisState()));
  if (NoSpec) {
    V.Operands.back().Spec = printSpec(*Before.Spec, Sizes);
    V.RequiredThere = printSpec(*Why.There->Spec, Sizes);
  }
  V.NoForm = Lost;
  E.report(std::move(V));
}

void FunctionAnalysis::trust(SlotId Slot, AxisId A, const AxisState &Declared,
                             const Requirement &Why) {
  AbstractValue New = *contents(cellOf(Slot));
  New.Undefined = New.Wrong = false;
  New.Axes[A] = Declared;
  New.ModifiedDivergently &= ~(1u << A);
  New.Axes[A].From =
      origin(Origin::Kind::Declared, Why.DeclaredAt, Why.Subject);
  put(cellOf(Slot), std::move(New));
}

static Annotated annotatedBy(AssertFact::Kind K) {
  switch (K) {
  case AssertFact::Kind::AssertType:
    return Annotated::Value;
  case AssertFact::Kind::Variable:
    return Annotated::Variable;
  case AssertFact::Kind::Field:
    return Annotated::Field;
  case AssertFact::Kind::Argument:
    return Annotated::Argument;
  case AssertFact::Kind::Return:
    return Annotated::Return;
  case AssertFact::Kind::Exit:
    return Annotated::ParameterOnExit;
  }
  return Annotated::Value;
}

void FunctionAnalysis::transfer(const AssertFact &A) {
  if (!A.Type || A.Value.Slot == SlotId::None)
    return;
  const MeshSpec *Of = A.Mesh.get();
  Requirement Why{annotatedBy(A.K), A.Subject, A.DeclaredAt, &F,
                  declaredSpec(*A.Type, Of)};
  const MeshMap *Map = E.meshMap(Of, mesh());
  if (!Map)
    return require(A.Value, requirements(*A.Type, Of), Why, A.At);
  // As code of that mesh reads it.
  Context There;
  There.Global = Global;
  There.OfContract = true;
  There.Mesh = Of;
  const FunctionAnalysis Signature(E, F, There);
  Why.Spec = isAllGlobal() ? Signature.declaredSpec(*A.Type) : nullptr;
  requireHere(A.Value, Signature.requirements(*A.Type), std::move(Why), Map,
              A.At);
}

/// Parameters with an exit type hold it when the function returns.
void FunctionAnalysis::checkExits(State &S) {
  Current = &S;
  CurrentFact = nullptr;
  checkRounds();
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    const Slot &P = F.Slots[I];
    if (!P.Declared || !P.Declared->Exit)
      continue;
    if (P.Declared->isOutput())
      checkOutput(P, SlotId(I));
    const PlaceId At = LastReturn != PlaceId::None ? LastReturn : P.DeclaredAt;
    // The pointer itself may have been moved; the contract is about the buffer
    // that the caller passed.
    const MeshSpec *Of = P.Mesh.get();
    require({SlotId(I), P.DeclaredAt}, requirements(*P.Declared->Exit, Of),
            {Annotated::ParameterOnExit, P.Name, P.DeclaredAt, &F,
             declaredSpec(*P.Declared->Exit, Of)},
            At);
  }
  checkReplicas();
}

/// What a function says that it writes it must at least mention.
void FunctionAnalysis::checkOutput(const Slot &S, SlotId Parameter) {
  // Once, not once for each call.
  if (!Reporting || !C.CellOf.empty())
    return;
  bool Mentioned = false;
  for (const Block &B : F.Blocks)
    for (const Fact &X : B.Facts)
      std::visit(SlotVisitor{[&](SlotId Slot) {
                   while (Slot != SlotId::None && Slot != Parameter)
                     Slot = F.slot(Slot).Base;
                   Mentioned |= Slot == Parameter;
                 }},
                 X);
  const std::vector<AxisState> Declared =
      requirements(*S.Declared->Exit, S.Mesh.get());
  for (AxisId A = 0; A != Declared.size() && !Mentioned; ++A) {
    if (Declared[A].Set.isAll())
      continue;
    Violation V = violation(ViolationKind::Contract, S.DeclaredAt, A, S.Name);
    V.On = Annotated::OutputOnExit;
    V.Operands.push_back(operandOf({Parameter, S.DeclaredAt}, AxisState()));
    V.Required = Declared[A].type();
    V.RequiredAt = S.DeclaredAt;
    V.RequiredIn = &F;
    E.report(std::move(V));
    return; // one mistake, on whichever axis
  }
}

/// The same where only a loop that has no round leaves it so.
void FunctionAnalysis::checkRounds() {
  if (!Reporting || !E.isByItself(F))
    return;
  const TypeSet Replicas = LocalType::R | LocalType::I;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    const bool Field = S.Kind == SlotKind::Field && E.isRoot(F) &&
                       !F.IsConstructor && !isMadeHere(SlotId(I));
    if (!S.Declared || (S.Kind != SlotKind::Parameter && !Field))
      continue;
    const CellId Id = Field ? Current->cellOf(I) : Start.cellOf(I);
    const AbstractValue *Now = contents(Id);
    if (!Now || Now->Undefined || Excused.contains(Id))
      continue;
    AbstractValue Diverged = unknownValue();
    for (AxisId A = 0; A != Now->Axes.size(); ++A)
      if (!Now->Axes[A].Set.isAll() && !(Now->Axes[A].Set & Replicas).empty())
        if (const AxisState *Left = divergedAtExit(Id, A))
          Diverged.Axes[A] = *Left;
    checkReplica(S, Diverged);
  }
}

/// What is declared to be the same on every rank must be so at the end: a
/// buffer that was passed, and, where nobody in the module calls on to make it
/// whole again, a field; checkOwned looks at those of objects that end here. A
/// pending sum that was reduced, on the other hand, may wait for the next
/// backward.
void FunctionAnalysis::checkReplicas() {
  if (!Reporting || !E.isByItself(F))
    return;
  const bool Fields = E.isRoot(F) && !F.IsConstructor;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    if (!S.Declared || S.Declared->Exit)
      continue;
    // A parameter may name something else by now; the contract is about what
    // the caller passed.
    if (S.Kind == SlotKind::Parameter) {
      const CellId Passed = Start.cellOf(I);
      if (const AbstractValue *Now = contents(Passed);
          Now && !Excused.contains(Passed))
        checkReplica(S, *Now);
    } else if (S.Kind == SlotKind::Field && Fields && !isMadeHere(SlotId(I))) {
      checkReplica(S, read(SlotId(I)));
    }
  }
}

/// What \p S, a parameter or a field, is to who runs after \p F.
static Annotated onExit(const Function &F, const Slot &S) {
  if (S.Kind != SlotKind::Field)
    return Annotated::ParameterOnExit;
  const Slot *Object = &S;
  while (Object->Base != SlotId::None)
    Object = &F.slot(Object->Base);
  return Object->Kind == SlotKind::Local ? Annotated::MemberOnExit
                                         : Annotated::FieldOnExit;
}

void FunctionAnalysis::checkReplica(const Slot &S, const AbstractValue &Now) {
  const TypeSet Replicas = LocalType::R | LocalType::I;
  const std::vector<AxisState> Declared = requirements(
      S.Declared->Exit ? *S.Declared->Exit : S.Declared->Entry, S.Mesh.get());
  for (AxisId A = 0; A != Declared.size() && !Now.Undefined; ++A) {
    const AxisState &Is = Now.Axes[A];
    if (!Declared[A].Set.subsetOf(Replicas) || !(Is.Set & Replicas).empty())
      continue;
    // Where it became so, unless it is a copy of something declared, or a
    // callee made a parameter so.
    const bool Copied = !Is.From || Is.From->K == Origin::Kind::Declared ||
                        (S.Kind == SlotKind::Parameter && Is.From->In != &F);
    const PlaceId At = Copied ? S.DeclaredAt : Is.From->At;
    Violation V = violation(ViolationKind::Contract, At, A, S.Name);
    V.On = onExit(F, S);
    V.In = Copied ? &F : Is.From->In;
    ViolationOperand O;
    O.At = At;
    O.Name = S.Name;
    O.Type = Is.type();
    if (Is.From)
      O.From = *Is.From;
    V.Operands.push_back(std::move(O));
    V.Required = Declared[A].type();
    V.RequiredAt = S.DeclaredAt;
    V.RequiredIn = &F;
    E.report(std::move(V));
  }
}

} // namespace spmd::rules::inference
