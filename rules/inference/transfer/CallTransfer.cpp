//===- CallTransfer.cpp - Contracts and bodies at calls -------------------===//

#include "CallTransfer.h"

#include "GivenBackwards.h"
#include "MadeWhole.h"
#include "SizeNames.h"
#include "UnfitReads.h"

#include "passes/PointedInto.h"
#include "passes/ToldPlaces.h"

#include "spmd/ir/CallerSlot.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// None also when the caller never mentions it.
SlotId CallTransfer::callerSlot(const Function &Target, const CallFact &Call,
                                std::uint32_t CalleeSlot) const {
  const auto Field = [&](SlotId Base, const Slot &S) {
    for (SlotId Candidate : Facts.Objects.fieldsOf(Base))
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

void crossOver(AbstractValue &V) {
  for (AxisState &A : V.Axes)
    if (A.By == Collected::Here)
      A.By = Collected::Elsewhere;
}

/// What the caller knows of \p Value, inside.
AbstractValue CallTransfer::inside(AbstractValue Value,
                                   const Passed &To) const {
  static_cast<ViewPosition &>(Value) = {};
  Value.Untouched = false;
  Value.Holds.clear();
  crossOver(Value);
  return To.In ? To.In->cell(Value) : Value;
}

/// What the body knows of \p Value, outside. A layout of other axes means
/// nothing here.
AbstractValue CallTransfer::outside(AbstractValue Value,
                                    const Passed &To) const {
  if (To.Inside != Decls.Global)
    Value.Spec = nullptr;
  return To.Out ? To.Out->cell(Value) : Value;
}

/// Whether what number \p Parameter is decides anything in \p Target, or in
/// what that calls.
static bool decides(const Function &Target, SlotId Parameter) {
  return llvm::any_of(Target.Blocks, [&](const Block &B) {
    return (B.Test && B.Test->Parameter == Parameter) ||
           llvm::any_of(B.Facts, [&](const Fact &X) {
             const auto *Call = std::get_if<CallFact>(&X);
             return Call && llvm::any_of(Call->Numbers, [&](GivenNumber N) {
                      return N.Same == Parameter;
                    });
           });
  });
}

/// The numbers that \p Call gives to parameters of \p Target.
void CallTransfer::passNumbers(const Function &Target, const CallFact &Call,
                               Context &Inner) const {
  for (const GivenNumber &Given : Call.Numbers) {
    if (Given.Argument >= Target.NumParameters ||
        !decides(Target, SlotId(Given.Argument)))
      continue;
    if (Given.Same == SlotId::None)
      Inner.Numbers.emplace_back(Given.Argument, Given.Value);
    for (const auto &[Mine, Is] : In.C.Numbers)
      if (SlotId(Mine) == Given.Same)
        Inner.Numbers.emplace_back(Given.Argument, Is);
  }
}

TypeSet invariantAsReplicate(TypeSet Types) {
  return !Types.isAll() && Types.contains(LocalType::I)
             ? (Types - LocalType::I) | LocalType::R
             : Types;
}

/// The axes of the mesh \p On that the communicator \p S is declared to span.
AxisList CallTransfer::declaredSpan(const Slot &S, const MeshSpec *On) const {
  AxisList Out;
  for (const std::string &Name : S.DeclaredAxes) {
    const MeshAxis *Sized = On ? On->find(Name) : nullptr;
    const std::optional<AxisId> A = E.universe().find(Name);
    if (A && (!Sized || Sized->Size != 1))
      Out.push_back(*A);
  }
  return Out;
}

/// A number in a struct that is an argument of \p Target: of one that nobody
/// knows, as \p Given, what is said of the parameter is believed.
static void believeOfArgument(const Declarations &Decls, const Function &Target,
                              const Slot &Number, AbstractValue &Given) {
  if (Number.Kind != SlotKind::Field || !Number.Inherited || Number.IsTensor ||
      Target.slot(Number.Base).Kind != SlotKind::Parameter ||
      Number.Declared->isOutput())
    return;
  const AbstractValue Said =
      Decls.declaredValue(Number.Declared->Entry, Number.DeclaredAt,
                          Number.Name, Number.Mesh.get());
  for (AxisId A = 0; A != Given.Axes.size(); ++A)
    if (Given.Axes[A].Set.isAll() && !Given.Axes[A].Constant)
      Given.Axes[A].believe(Said.Axes[A]);
}

CallTransfer::Passed CallTransfer::pass(const Function &Target,
                                        const CallFact &Call) {
  Passed To;
  Context &Inner = To.Inner;
  Inner.Global = Decls.Global;
  Inner.ForeignGradients = Point.Now->ForeignGradients;
  To.Inside = Decls.globalAxes(Target, Decls.Global);
  passNumbers(Target, Call, Inner);
  // Code that names no axis is what its caller makes of it.
  const MeshSpec *Mesh = Decls.meshOf(Target);
  if (!E.namesAxes(Target))
    Mesh = Inner.Mesh = Decls.mesh();
  To.In = E.meshMap(Decls.mesh(), Mesh);
  To.Out = E.meshMap(Mesh, Decls.mesh());
  llvm::DenseMap<CellId, unsigned> IndexOf;
  const auto Next = [&] { return static_cast<unsigned>(Inner.Cells.size()); };
  for (std::uint32_t I = 0; I != Target.Slots.size(); ++I) {
    const Slot &S = Target.Slots[I];
    const SlotId Mine = callerSlot(Target, Call, I);
    if (Mine == SlotId::None || S.Kind == SlotKind::Result)
      continue;
    const CellId Id = Store.cellOf(Mine);
    const auto [It, New] = IndexOf.try_emplace(Id, Next());
    if (New) {
      AbstractValue Value = Store.asDeclared(Mine);
      Value.Spec = Decls.specInside(
          Value.Spec, To.In && !Decls.isAllGlobal() ? AxisList() : To.Inside);
      Inner.Cells.push_back(inside(std::move(Value), To));
      for (AxisState &A : Inner.Cells.back().Axes)
        A.Set = Call.NoGrad ? invariantAsReplicate(A.Set) : A.Set;
      To.Cells.push_back(Id);
    }
    if (F.slot(Mine).Declared)
      To.Declared.try_emplace(It->second, Mine);
    Inner.CellOf.emplace_back(I, It->second);
    AbstractValue &Given = Inner.Cells[It->second];
    // Of a communicator that the caller says nothing of, the callee's
    // annotation is believed.
    if (Given.Span.empty() && !Given.OneRank && !S.DeclaredAxes.empty())
      Given.Span = declaredSpan(S, S.Mesh ? S.Mesh.get() : Mesh);
    if (!To.In)
      believeOfArgument(Decls, Target, S, Given);
    if (S.Kind != SlotKind::Parameter)
      continue;
    if (S.Declared && !S.Declared->isOutput() && !To.In)
      Decls.declareConstants(S, Given);
    if (!S.Name.empty() && Given.Span.size() == 1)
      Inner.AxisOfFormal[S.Name] = Given.Span[0];
  }
  // So do the gradients that were asked for.
  for (std::size_t I = 0, N = To.Cells.size(); I != N; ++I) {
    Inner.Cells[I].Gradient = NoCell;
    if (!Gradients::gradientOf(*Point.Now, To.Cells[I]))
      continue;
    const CellId Gradient = Store.contents(To.Cells[I])->Gradient;
    const auto [It, New] = IndexOf.try_emplace(Gradient, Next());
    if (New) {
      AbstractValue Value = *Store.contents(Gradient);
      Value.Gradient = NoCell;
      Value.Spec = nullptr;
      Inner.Cells.push_back(inside(std::move(Value), To));
      To.Cells.push_back(Gradient);
    }
    Inner.Cells[I].Gradient = It->second;
  }
  // What is a region of what the callee has as well is one there.
  for (std::size_t I = 0; I != To.Cells.size(); ++I) {
    const AbstractValue &Region = *Store.contents(To.Cells[I]);
    const auto Whole =
        Region.Apart ? IndexOf.find(Region.Whole) : IndexOf.end();
    if (Whole == IndexOf.end())
      continue;
    AbstractValue &Inside = Inner.Cells[I];
    Inside.Whole = Whole->second;
    Inside.Some = Region.Some;
    Inside.Apart = true;
  }
  return To;
}

/// Runs the body of \p Target. Returns the storage that the result is, or
/// none: then it is \p Result.
CellId CallTransfer::callBody(const Function &Target, const CallFact &Call,
                              AbstractValue &Result) {
  const Passed To = pass(Target, Call);
  const Summary *S =
      E.summarise(Target, To.Inner, Point.Reporting, Site{&F, Call.At});
  if (!S) {
    for (CellId Id : To.Cells)
      if (const AbstractValue &Was = *Store.contents(Id);
          Was.Span.empty() && !Was.OneRank) {
        In.Log.noteChange(Id);
        Store.put(Id, Decls.unknownValue());
      }
    return NoCell;
  }
  if (S->IsOffWay) {
    In.Point.IsOffWay = true;
    return NoCell;
  }
  takeBack(To, *S, Call.At);
  rebind(Target, Call, To, *S);
  for (auto [List, Member] : S->Joined)
    In.Alias.mayHold(To.Cells[List], To.Cells[Member]);
  if (!S->Returns)
    return NoCell;
  Result = made(S->Result, S->ResultWhole, To);
  if (S->ResultGradientOf)
    return cellHere({*S->ResultGradientOf, true}, To);
  if (!Target.Result) // else it is what that says
    holdHere(Point.Cell, S->ResultHolds, To);
  return S->ResultAlias >= 0 ? To.Cells[S->ResultAlias] : NoCell;
}

/// A callee's contract, as its caller reads it.
class CallTransfer::Callee {
public:
  Callee(Body &Caller, const Function &Target, const CallFact &Call)
      : Caller(Caller.Decls), Formals(formals(Caller, Target, Call)),
        Signature(Caller.E, Target, Formals),
        Map(Caller.E.meshMap(Caller.Decls.meshOf(Target),
                             Caller.Decls.mesh())) {}

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
  static Context formals(Body &Caller, const Function &Target,
                         const CallFact &Call) {
    Context Out;
    Out.Global = Caller.Decls.Global;
    Out.OfContract = true;
    const std::size_t Most =
        std::min<std::size_t>(Target.NumParameters, Call.Arguments.size());
    for (std::size_t I = 0; I != Most; ++I) {
      const SlotId Given = Call.Arguments[I].Slot;
      if (Given == SlotId::None || Target.Slots[I].Name.empty())
        continue;
      const AxisList &Span = Caller.Store.read(Given).Span;
      if (Span.size() == 1)
        Out.AxisOfFormal[Target.Slots[I].Name] = Span[0];
    }
    return Out;
  }

  const Declarations &Caller;
  const Context Formals;
  const Declarations Signature;
  const MeshMap *Map;
  SizeNames Names;
};

/// An argument has the type that \p P is declared to have on entry.
void CallTransfer::requireArgument(Operand Given, const Slot &P,
                                   const Function &Target, const CallFact &Call,
                                   Callee &Of) {
  const PlaceId At = Call.At;
  const auto I = static_cast<unsigned>(&P - Target.Slots.data());
  const TypeSpec &T = P.Declared->Entry;
  AbstractValue Said = Of.cell(T, P.Mesh.get(), P.DeclaredAt, P.Name,
                               Store.read(Given.Slot).Spec.get());
  Requirement Why{Annotated::Argument, P.Name, P.DeclaredAt, &Target,
                  std::move(Said.Spec)};
  Why.IsOutput = !P.Declared->Exit && E.overwrites(Target, I);
  Why.TellsPlace =
      P.Integer && !P.Declared->Exit &&
      llvm::any_of(Call.Numbers,
                   [I](const GivenNumber &N) {
                     return N.Argument == I && N.Same == SlotId::None;
                   }) &&
      tellsPlace(F, Call, Target, SlotId(I));
  Contracts.requireHere(Given, {Said.Axes.begin(), Said.Axes.end()},
                        std::move(Why), Of.map(T), At);
}

/// After the call \p Given has the type that \p P is declared to have on exit.
void CallTransfer::leaveArgument(Operand Given, const Slot &P, Callee &Of) {
  const TypeSpec &T = *P.Declared->Exit;
  const AbstractValue Exit = Of.cell(T, P.Mesh.get(), P.DeclaredAt, P.Name);
  const MeshMap *Map = Of.map(T);
  AbstractValue After = Store.read(Given.Slot);
  const TypeSet Replicas = LocalType::R | LocalType::I;
  AxisMask Differed = 0;
  for (AxisId A = 0; A != After.Axes.size(); ++A)
    if (!After.Axes[A].Set.subsetOf(Replicas))
      Differed |= 1u << A;
  After.Undefined = After.Wrong = After.Blank = false;
  After.Unwritten = 0;
  llvm::BitVector Said(E.universe().size());
  for (AxisId A = 0; A != After.Axes.size(); ++A) {
    Said[A] = !Exit.Axes[A].Set.isAll();
    if (Said[A] && !Map)
      After.Axes[A] = Exit.Axes[A];
  }
  if (Map)
    Map->update(After.Axes, Exit.Axes, Said);
  // Who declares to make one value of gradients has added them up.
  if (In.Grads.givesGradients(Given.Slot))
    for (AxisId A = 0; A != After.Axes.size(); ++A)
      if (Differed & 1u << A && After.Axes[A].Set.subsetOf(Replicas))
        In.Grads.noteReduced(1u << A);
  if (Exit.Spec)
    After.Spec = Map ? Map->spec(Exit.Spec) : Exit.Spec;
  const bool Unknown = Exit.Spec && !After.Spec;
  Store.write(Given.Slot, After, /*Partial=*/false);
  if (Unknown)
    Store.forgetSpec(Store.cellOf(Given.Slot));
}

/// What nobody had written, a body that is not looked at may have.
void CallTransfer::mayWriteArguments(const CallFact &Call) {
  for (const Operand &X : Call.Arguments) {
    if (X.Slot == SlotId::None)
      continue;
    const CellId Id = Store.cellOf(X.Slot);
    AbstractValue Now = *Store.contents(Id);
    if (!std::exchange(Now.Blank, false))
      continue;
    In.Log.noteChange(Id);
    Store.put(Id, std::move(Now));
  }
}

/// With the caller's name of each field of which the annotation of a parameter
/// of \p Target speaks.
void CallTransfer::forEachMember(
    const Function &Target, const CallFact &Call,
    llvm::function_ref<void(Operand, const Slot &)> Visit) const {
  for (std::uint32_t I = Target.NumParameters; I < Target.Slots.size(); ++I) {
    const Slot &S = Target.Slots[I];
    if (!S.Inherited || !S.IsTensor)
      continue;
    const Slot *Root = &S;
    while (Root->Inherited)
      Root = &Target.slot(Root->Base);
    const auto Parameter = static_cast<std::size_t>(Root - Target.Slots.data());
    if (Root->Kind != SlotKind::Parameter || Parameter >= Call.Arguments.size())
      continue;
    if (const SlotId Mine = callerSlot(Target, Call, I); Mine != SlotId::None)
      Visit({Mine, Call.Arguments[Parameter].At}, S);
  }
}

/// Whether \p Target may write what elements of lists of pointers point to, or
/// is given such an element to write: which memory that is, whoever made the
/// list may know.
bool CallTransfer::writesByElements(const Function &Target,
                                    const CallFact &Call) {
  for (std::size_t I = 0;
       I != Call.Arguments.size() && I != Target.NumParameters; ++I)
    if (isBehindElement(F, Call.Arguments[I].Slot) &&
        mayWrite(Target, SlotId(I)))
      return true;
  return inference::writesByElements(
      Target, [&](llvm::StringRef Callee) { return E.find(Callee); });
}

void CallTransfer::run(const CallFact &Call) {
  const Function *Target = E.find(Call.Callee);
  if (Call.Dst != SlotId::None) // a struct's fields are those of this call
    Store.bindFields(Call.Dst, SlotId::None);
  AbstractValue Result = Decls.unknownValue();
  CellId ResultAlias = NoCell;
  if (!Target)
    return Store.define(Call.Dst, std::move(Result));
  if (Call.Backward)
    return GivenBackwards(In, *this).run(Call, *Target);

  noteUnwritten(In, Call);
  Callee Contract(In, *Target, Call);
  const std::size_t NumArguments =
      std::min<std::size_t>(Target->NumParameters, Call.Arguments.size());
  const auto ForEachArgument =
      [&](llvm::function_ref<void(Operand, const Slot &)> Visit) {
        for (std::size_t I = 0; I != NumArguments; ++I)
          if (Target->Slots[I].Declared &&
              Call.Arguments[I].Slot != SlotId::None)
            Visit(Call.Arguments[I], Target->Slots[I]);
        forEachMember(*Target, Call, Visit);
      };
  ForEachArgument([&](Operand Given, const Slot &P) {
    if (!P.Declared->isOutput())
      requireArgument(Given, P, *Target, Call, Contract);
  });

  if (!Target->Blocks.empty() && !Target->Trusted) {
    llvm::SmallVector<std::pair<CellId, AxisId>, 4> Assumed;
    for (const Operand &X : Call.Arguments)
      if (X.Slot != SlotId::None)
        for (AxisId A = 0; A != E.universe().size(); ++A)
          if (Store.read(X.Slot).Axes[A].Assumed)
            Assumed.emplace_back(Store.cellOf(X.Slot), A);
    ResultAlias = callBody(*Target, Call, Result);
    if (E.hasZeros() && writesByElements(*Target, Call))
      Store.loseZeros(/*OfGradients=*/false);
    forgetMadeWholeByOtherName(In, *Target, Call);
    // What the body makes of a wrong argument excuses it no more.
    for (auto [Id, A] : Assumed) {
      AbstractValue After = *Store.contents(Id);
      After.Axes[A].Assumed = true;
      Store.put(Id, std::move(After));
    }
  }

  else
    mayWriteArguments(Call);

  ForEachArgument([&](Operand Given, const Slot &P) {
    if (P.Declared->Exit)
      leaveArgument(Given, P, Contract);
  });
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
    Store.bind(Call.Dst, ResultAlias);
  else
    Store.define(Call.Dst, std::move(Result));
}

} // namespace spmd::rules::inference
