//===- Global.cpp - Partition specs of ops and contracts ------------------===//
//
// Design 3.4. On the axes that are checked globally, cells know how their
// shards reassemble; an op must give each rank its part of what it would make
// of the whole tensors. Collectives are in GlobalTransfers.cpp.
//
//===----------------------------------------------------------------------===//

#include "FunctionAnalysis.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace spmd::rules::inference {

using SpecPtr = std::shared_ptr<const PartitionSpec>;

//===--- Axes -------------------------------------------------------------===//

/// Those of its caller where \p Of says nothing of itself.
AxisList FunctionAnalysis::globalAxes(const Function &Of,
                                      const AxisList &OfCaller) const {
  if (!Of.Mode.isSaid())
    return OfCaller;
  AxisList Out;
  for (AxisId A = 0; A != E.universe().size(); ++A)
    if (Of.Mode.isGlobal(E.universe().name(A)))
      Out.push_back(A);
  return Out;
}

/// What \p Spec says where only \p Inside are checked globally.
SpecPtr FunctionAnalysis::specInside(const SpecPtr &Spec,
                                     const AxisList &Inside) const {
  if (!Spec || Inside == Global)
    return Spec;
  return Inside.empty() ? nullptr
                        : std::make_shared<const PartitionSpec>(
                              restrictTo(*Spec, Inside, Sizes));
}

AxisTable FunctionAnalysis::axisTable() const {
  AxisTable Out;
  for (AxisId A = 0; A != E.universe().size(); ++A) {
    const std::string &Name = E.universe().name(A);
    const MeshAxis *Known = mesh() ? mesh()->find(Name) : nullptr;
    Out.All.push_back({Name, Known && Known->Size ? Extent::number(Known->Size)
                                                  : Extent::variable(Name)});
  }
  return Out;
}

bool FunctionAnalysis::isSingleton(AxisId A) const {
  return Sizes.All[A].Size.isOne();
}

bool FunctionAnalysis::isAllGlobal() const {
  return Global.size() == E.universe().size();
}

/// The axes that shard \p Value in a way nobody said.
DimAxes FunctionAnalysis::looseAxes(const AbstractValue &Value) const {
  DimAxes Out;
  const TypeSet Unsharded = LocalType::R | LocalType::I | LocalType::P;
  for (AxisId A : Global)
    if (!isSingleton(A) && !Value.Axes[A].Set.subsetOf(Unsharded) &&
        !(Value.Spec && Value.Spec->dimOf(A)))
      Out.push_back(A);
  return Out;
}

//===--- Declarations -----------------------------------------------------===//

SpecPtr FunctionAnalysis::declaredSpec(const TypeSpec &T,
                                       const MeshSpec *Of) const {
  if (Global.empty() || !T.Global)
    return nullptr;
  const PartitionSpec Full =
      specOf(*T.Global, [&](llvm::StringRef Name) { return findAxis(Name); });
  if (const MeshMap *There = E.meshMap(Of, mesh()))
    return isAllGlobal() ? There->spec(std::make_shared<PartitionSpec>(Full))
                         : nullptr;
  return std::make_shared<const PartitionSpec>(
      withoutSingletons(restrictTo(Full, Global, Sizes), Sizes));
}

/// Names of sizes in a callee's contract stand for what the caller passes.
SpecPtr SizeNames::instantiate(const SpecPtr &Declared,
                               const PartitionSpec *Given) {
  if (!Declared)
    return nullptr;
  PartitionSpec Out = *Declared;
  for (unsigned D = 0; D != Out.rank(); ++D) {
    const Extent Was = Out.Dims[D].Size;
    if (const llvm::StringRef Name = Was.asName();
        !Name.empty() && Given && Given->rank() == Out.rank())
      Bound.try_emplace(Name, Given->Dims[D].Size);
    Out.Dims[D].Size = Was.substitute([&](llvm::StringRef Name) -> Extent {
      auto It = Bound.find(Name);
      return It == Bound.end() ? Extent::variable(Name) : It->second;
    });
  }
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

/// Whether \p Wanted is \p Has with axes among it whose layout nobody knew.
static bool isRefined(llvm::ArrayRef<AxisId> Has, llvm::ArrayRef<AxisId> Wanted,
                      llvm::ArrayRef<AxisId> Loose) {
  llvm::SmallVector<AxisId, 2> Left;
  for (AxisId A : Wanted)
    if (!llvm::is_contained(Loose, A))
      Left.push_back(A);
  return Has == llvm::ArrayRef(Left);
}

void FunctionAnalysis::requireSpec(Operand Value,
                                   llvm::ArrayRef<AxisState> Required,
                                   const Requirement &Why, PlaceId At) {
  if (!Why.Spec)
    return;
  const CellId Id = cellOf(Value.Slot);
  const AbstractValue &Now = *contents(Id);
  const DimAxes Loose = looseAxes(Now);
  const std::optional<SpecClash> Clash =
      Now.Spec ? clash(*Now.Spec, *Why.Spec) : std::nullopt;
  // What an unknown layout is declared to be is believed, and so are sizes of
  // which this rank may have a part only.
  const bool Believed =
      Clash && ((Clash->K == SpecClash::Kind::Size && !Loose.empty()) ||
                (Clash->K == SpecClash::Kind::Axes &&
                 isRefined(Now.Spec->Dims[Clash->Dim].Axes,
                           Why.Spec->Dims[Clash->Dim].Axes, Loose)));
  if (Clash && !Believed && !Excused.contains(Id) && Reporting) {
    Violation V = contract(Why, At, axisOfClash(*Now.Spec, *Why.Spec, *Clash));
    V.Operands.push_back(operandOf(Value, AxisState()));
    V.Operands.back().Spec = printSpec(*Now.Spec, Sizes);
    V.Operands.back().From = originOf(Now);
    V.RequiredAt = Why.DeclaredAt;
    V.RequiredIn = Why.DeclaredIn;
    V.Spec = specFinding();
    V.Spec->Clash = *Clash;
    V.Spec->Required = printSpec(*Why.Spec, Sizes);
    if (Why.There && Why.There->Spec)
      V.RequiredThere = printSpec(*Why.There->Spec, Sizes);
    V.Spec->Layouts.push_back(layoutOf(Now.Spec.get(), Now.Axes));
    V.Spec->Wanted = layoutOf(Why.Spec.get(), Required);
    E.report(std::move(V));
  }
  AbstractValue New = Now;
  New.Spec =
      Now.Spec && !Clash
          ? std::make_shared<const PartitionSpec>(refine(*Now.Spec, *Why.Spec))
          : Why.Spec;
  put(Id, std::move(New));
}

/// An axis on which two specs differ; the first global one when only sizes do.
AxisId FunctionAnalysis::axisOfClash(const PartitionSpec &Has,
                                     const PartitionSpec &Wanted,
                                     const SpecClash &Clash) const {
  if (Clash.K == SpecClash::Kind::Axes || Clash.K == SpecClash::Kind::Order)
    for (const auto &[X, Y] : {std::pair(&Has, &Wanted), {&Wanted, &Has}})
      for (AxisId A : X->Dims[Clash.Dim].Axes)
        if (Clash.K == SpecClash::Kind::Order ||
            !llvm::is_contained(Y->Dims[Clash.Dim].Axes, A))
          return A;
  return Global.front();
}

/// Where the layout of \p C came from: where some axis of a dim did.
Origin FunctionAnalysis::originOf(const AbstractValue &Value) const {
  const Origin *Any = nullptr;
  for (AxisId A : Global) {
    const Origin *From = Value.Axes[A].From;
    if (From && Value.Spec && Value.Spec->dimOf(A))
      return *From;
    if (From && !Any)
      Any = From;
  }
  return Any ? *Any : Origin();
}

//===--- Ops --------------------------------------------------------------===//

/// By op, the axes for which the first transfers of its result wrap that in
/// out_partial. Backwards, so that each fact of a block is looked at once.
static OutPartials outPartialsIn(llvm::ArrayRef<Fact> Facts) {
  struct Use {
    const Fact *At;
    llvm::SmallVector<SlotId, 2> Axes;
  };
  OutPartials Out;
  std::map<SlotId, Use> Next; ///< the first transfer of what a slot has
  for (const Fact &X : llvm::reverse(Facts)) {
    if (const auto *O = std::get_if<OpFact>(&X)) {
      const auto At = Next.find(O->Dst);
      if (O->Dst != SlotId::None && At != Next.end()) {
        Out[&X] = std::move(At->second.Axes);
        Next.erase(At);
      }
    } else if (const auto *B = std::get_if<BindFact>(&X)) {
      const auto OfDst = Next.find(B->Dst), OfSrc = Next.find(B->Src.Slot);
      if (OfDst == Next.end())
        continue;
      if (OfSrc == Next.end() || OfDst->second.At < OfSrc->second.At)
        Next[B->Src.Slot] = OfDst->second;
      if (B->Dst != B->Src.Slot)
        Next.erase(B->Dst);
    } else if (const auto *T = std::get_if<TransferFact>(&X)) {
      Use Here{&X, {}};
      if (T->K == TransferKind::OutPartial && T->Axis.Slot != SlotId::None) {
        Here.Axes = {T->Axis.Slot};
        if (const auto At = Next.find(T->Dst); At != Next.end())
          Here.Axes.append(At->second.Axes);
      }
      Next.erase(T->Dst);
      Next[T->Src.Slot] = std::move(Here);
    }
  }
  return Out;
}

/// The axes for which the facts after the op wrap its result in out_partial.
AxisList FunctionAnalysis::outPartialOfFact() {
  const auto [At, New] = Wrapped.try_emplace(CurrentFacts);
  if (New)
    At->second = outPartialsIn(*CurrentFacts);
  AxisList Out;
  for (SlotId Axis : At->second.lookup(CurrentFact))
    for (AxisId A : read(Axis).Span)
      if (Sizes.All.empty() || !isSingleton(A))
        Out.push_back(A);
  return Out;
}

Extent FunctionAnalysis::sizeOf(const SizeTerm &T) {
  if (T.Tensor == SlotId::None)
    return Extent::variable(T.Variable);
  const SpecPtr Spec = read(T.Tensor).Spec;
  if (!Spec)
    return {};
  const std::optional<unsigned> D = Spec->dimAt(T.Dim);
  return D ? localSize(Spec->Dims[*D], Sizes) : Extent();
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

/// The spec of \p Result, which \p O makes; null when nobody knows, or when it
/// has none, which is reported unless \p AlreadyWrong. What the result is on
/// the axis that is wrong depends on how that is put right: nobody knows.
SpecPtr FunctionAnalysis::specOfResult(const OpFact &O, bool AlreadyWrong,
                                       AbstractValue &Result) {
  if (Global.empty() || !O.Rule->Shape)
    return nullptr;
  std::vector<PartitionSpec> Specs(O.Operands.size());
  llvm::SmallVector<const PartitionSpec *, 4> Operands;
  llvm::SmallVector<DimAxes, 4> Pending;
  DimAxes Loose;
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AbstractValue &X = read(O.Operands[I].Slot);
    Pending.emplace_back();
    if (O.Operands[I].Scalar) {
      Operands.push_back(nullptr);
      continue;
    }
    if (!X.Spec) {
      // A buffer that is filled has what is copied into it.
      if (O.WritesTo == SlotId::None || readsValue(O.Rule->Term, O.FormalOf[I]))
        return nullptr;
      Operands.push_back(nullptr);
      continue;
    }
    Specs[I] = *X.Spec;
    Operands.push_back(&Specs[I]);
    for (AxisId A : looseAxes(X))
      if (!llvm::is_contained(Loose, A))
        Loose.push_back(A);
    for (AxisId A : Global)
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
        cellOf(T.Tensor) != cellOf(O.Operands[0].Slot))
      return Size;
    const std::optional<unsigned> D = Specs[0].dimAt(T.Dim);
    return D ? unknownSize(*D) : Extent();
  };
  const SpecPtr Written =
      O.WritesTo != SlotId::None ? read(O.WritesTo).Spec : nullptr;
  const ShapedCall Call{O.Rule, O.FormalOf, Operands,      O.Arguments,
                        SizeOf, &Sizes,     Written.get(), !Loose.empty()};
  const auto Report = [&](SpecViolation &Found) {
    if (Found.Axis) {
      Result.Axes[*Found.Axis] = AxisState();
      Result.Axes[*Found.Axis].Assumed = true;
    }
    if (!AlreadyWrong)
      reportSpec(O, std::move(Found), Operands);
    return nullptr;
  };
  FactorRuleOr Rule = factorRuleOf(Call);
  if (auto *Wrong = std::get_if<SpecViolation>(&Rule))
    return Report(*Wrong);
  if (const auto *Open = std::get_if<Undecided>(&Rule)) {
    reportUndecided(O, *Open, Operands);
    return nullptr;
  }
  auto Found =
      propagate(std::get<FactorRule>(Rule), Call, outPartialOfFact(), Pending);
  if (auto *Wrong = std::get_if<SpecViolation>(&Found))
    return Report(*Wrong);
  if (!std::get<FactorRule>(Rule).HasResult)
    return nullptr;
  PartitionSpec Out = std::move(std::get<Propagation>(Found).Result);
  Out.Positions = viewsPositions(O, Specs);
  return std::make_shared<const PartitionSpec>(std::move(Out));
}

/// Where \p Out has the dims of a tensor whose values the op does not read, it
/// varies as that does.
void FunctionAnalysis::varyAsSharded(const OpFact &O, AbstractValue &Out) {
  for (AxisId A : Global) {
    if (!Out.Spec || !Out.Spec->dimOf(A) ||
        Out.Axes[A].Set == TypeSet(LocalType::V))
      continue;
    const TypeSet Varies = typeOfShards(Out.Axes[A].Set);
    if (Varies.empty())
      Out.Spec = nullptr;
    else
      Out.Axes[A] = {Varies, std::nullopt,
                     origin(Origin::Kind::Op, O.At, O.Rule->Name),
                     TypeSet::none()};
  }
}

std::shared_ptr<SpecFinding> FunctionAnalysis::specFinding() const {
  auto Out = std::make_shared<SpecFinding>();
  Out->Mesh = Sizes;
  Out->Global.assign(Global.begin(), Global.end());
  return Out;
}

ValueLayout FunctionAnalysis::layoutOf(const PartitionSpec *Spec,
                                       llvm::ArrayRef<AxisState> Types) {
  ValueLayout Out;
  if (Spec)
    Out.Spec = *Spec;
  for (const AxisState &T : Types)
    Out.Types.push_back(T.type());
  return Out;
}

/// Writing does not change the dims of a storage, through whichever view; ops
/// that do say what they are then.
void FunctionAnalysis::writeSpec(const OpFact &O, AbstractValue &Out) {
  using T = ShapeTerm;
  const AbstractValue &Old = read(O.WritesTo);
  if (!Old.Spec)
    return;
  const bool Reshapes =
      O.Rule->Replaces ||
      (O.Rule->Shape &&
       llvm::is_contained({T::Swap, T::Permute, T::Move, T::Reverse, T::Insert,
                           T::Remove, T::Reshape, T::Flatten, T::Unflatten},
                          O.Rule->Shape->Term));
  if (!Reshapes || O.PartialWrite)
    return void(Out.Spec = nullptr); // the storage keeps its own
  if (Out.Spec)
    return;
  AbstractValue Unknown = Old;
  Unknown.Spec = nullptr;
  put(cellOf(O.WritesTo), std::move(Unknown));
}

void FunctionAnalysis::reportSpec(const OpFact &O, SpecViolation Found,
                                  llvm::ArrayRef<const PartitionSpec *> Specs) {
  if (!Reporting)
    return;
  Violation V = violation(ViolationKind::ShardPropagation, O.At,
                          Found.Axis.value_or(Global.front()), O.Rule->Name);
  V.Spec = specFinding();
  for (std::size_t I = 0; I != O.Operands.size(); ++I) {
    const AbstractValue &X = read(O.Operands[I].Slot);
    const AxisId A = Found.Axis.value_or(Global.front());
    V.Operands.push_back(operandOf(O.Operands[I], X.Axes[A]));
    V.Operands.back().From = originOf(X);
    V.Operands.back().Written = O.writesOperand(I);
    V.Spec->Layouts.push_back(layoutOf(Specs[I], X.Axes));
    if (Specs[I])
      V.Operands.back().Spec = printSpec(*Specs[I], Sizes);
  }
  V.Spec->Op = std::move(Found);
  E.report(std::move(V));
}

void FunctionAnalysis::reportUndecided(
    const OpFact &O, const Undecided &On,
    llvm::ArrayRef<const PartitionSpec *> Specs) {
  const bool AnyShards = llvm::any_of(Specs, [](const PartitionSpec *S) {
    return S && llvm::any_of(S->Dims, [](const ShardedDim &D) {
             return !D.Axes.empty();
           });
  });
  if (!Reporting || !E.options().Strict || !AnyShards)
    return;
  Violation V = violation(ViolationKind::ShardPropagation, O.At, Global.front(),
                          O.Rule->Name);
  V.Possible = true;
  V.Spec = specFinding();
  V.Spec->UndecidedOn = On.On;
  for (std::size_t I = 0; I != O.Operands.size(); ++I)
    if (Specs[I]) {
      V.Operands.push_back(operandOf(O.Operands[I], AxisState()));
      V.Operands.back().Spec = printSpec(*Specs[I], Sizes);
    }
  E.report(std::move(V));
}

} // namespace spmd::rules::inference
