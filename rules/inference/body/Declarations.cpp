//===- Declarations.cpp - What annotations say in a function --------------===//

#include "Declarations.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

Declarations::Declarations(Engine &E, const Function &F, const Context &C)
    : E(E), F(F), C(C) {
  Global = C.OfContract ? C.Global : globalAxes(F, C.Global);
  Sizes = axisTable();
  if (!Global.empty()) // nobody else asks
    Named = namedAxes();
}

//===--- Axes -------------------------------------------------------------===//

const MeshSpec *Declarations::mesh() const {
  return C.Mesh ? C.Mesh : meshOf(F);
}

const MeshSpec *Declarations::meshOf(const Function &Of) const {
  return Of.Mesh ? Of.Mesh.get() : E.options().Mesh;
}

static bool isSizeOne(llvm::StringRef Name, const MeshSpec *Of) {
  const MeshAxis *Axis = Of ? Of->find(Name) : nullptr;
  return Axis && Axis->Size == 1;
}

std::optional<AxisId> Declarations::findAxis(llvm::StringRef Name,
                                             const MeshSpec *Of) const {
  // An axis named by a parameter is the caller's axis.
  if (auto It = C.AxisOfFormal.find(Name); It != C.AxisOfFormal.end())
    return It->second;
  if (isSizeOne(Name, Of ? Of : mesh()))
    return std::nullopt;
  return E.universe().find(Name);
}

AxisList Declarations::axesOf(llvm::ArrayRef<std::string> Names,
                              const MeshSpec *Of) const {
  AxisList Out;
  for (const std::string &N : Names)
    if (std::optional<AxisId> A = findAxis(N, Of))
      Out.push_back(*A);
  const MeshMap *There = E.meshMap(Of, mesh());
  return There ? There->span(Out) : Out;
}

AxisList Declarations::spanOf(const Slot &S) const {
  AxisList Out = axesOf(S.DeclaredAxes, S.Mesh.get());
  if (Out.empty() && isAxisFormal(S))
    if (std::optional<AxisId> A = findAxis(S.Name))
      Out = {*A};
  return Out;
}

bool Declarations::isOfOneRank(const Slot &S) const {
  const MeshSpec *Of = S.Mesh ? S.Mesh.get() : mesh();
  return !S.DeclaredAxes.empty() &&
         llvm::all_of(S.DeclaredAxes, [&](const std::string &Name) {
           return isSizeOne(Name, Of);
         });
}

/// True for a communicator parameter that an annotation uses as an axis name.
bool Declarations::isAxisFormal(const Slot &S) const {
  if (S.Kind != SlotKind::Parameter || S.Name.empty())
    return false;
  for (unsigned I = 0; I != F.NumParameters; ++I)
    if (const TypeAnnotation *T = F.Slots[I].Declared.get())
      if (T->Entry.find(S.Name) || (T->Exit && T->Exit->find(S.Name)))
        return true;
  return F.Result && F.Result->Entry.find(S.Name);
}

//===--- Types ------------------------------------------------------------===//

std::vector<AxisState> Declarations::requirements(const TypeSpec &T,
                                                  const MeshSpec *Of) const {
  std::vector<AxisState> Out(E.universe().size());
  auto Set = [&](llvm::StringRef Axis, const Atom &Value) {
    if (std::optional<AxisId> A = findAxis(Axis, Of)) {
      Out[*A].Set = Value.Type;
      if (Value.ShardDim) {
        Out[*A].Dim = static_cast<std::int8_t>(*Value.ShardDim);
        Out[*A].OfShards = true;
      } else if (Value.Type == LocalType::V) {
        Out[*A].Own = OwnTerms::Data;
      }
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
  for (const AxisAtom &A : T.Axes) {
    Set(A.Axis, A.Value);
    // Whole, as R or as I.
    if (const AxisAtom *First = T.find(A.Axis); First != &A)
      if (std::optional<AxisId> On = findAxis(A.Axis, Of))
        Out[*On].Set |= First->Value.Type;
  }
  const MeshMap *There = E.meshMap(Of, mesh());
  return There ? There->states(Out) : Out;
}

SpecPtr Declarations::declaredSpec(const TypeSpec &T,
                                   const MeshSpec *Of) const {
  if (Global.empty() || !T.Global)
    return nullptr;
  const PartitionSpec Full = specOf(
      *T.Global, [&](llvm::StringRef Name) { return findAxis(Name, Of); });
  if (const MeshMap *There = E.meshMap(Of, mesh()))
    return isAllGlobal() ? There->spec(std::make_shared<PartitionSpec>(Full))
                         : nullptr;
  return std::make_shared<const PartitionSpec>(
      withoutSingletons(restrictTo(Full, Global, Sizes), Sizes));
}

//===--- Global code ------------------------------------------------------===//

AxisList Declarations::globalAxes(const Function &Of,
                                  const AxisList &OfCaller) const {
  if (!Of.Mode.isSaid())
    return OfCaller;
  AxisList Out;
  for (AxisId A = 0; A != E.universe().size(); ++A)
    if (Of.Mode.isGlobal(E.universe().name(A)))
      Out.push_back(A);
  return Out;
}

SpecPtr Declarations::specInside(const SpecPtr &Spec,
                                 const AxisList &Inside) const {
  if (!Spec || Inside == Global)
    return Spec;
  return Inside.empty() ? nullptr
                        : std::make_shared<const PartitionSpec>(
                              restrictTo(*Spec, Inside, Sizes));
}

AxisTable Declarations::axisTable() const {
  AxisTable Out;
  for (AxisId A = 0; A != E.universe().size(); ++A) {
    const std::string &Name = E.universe().name(A);
    const MeshAxis *Known = mesh() ? mesh()->find(Name) : nullptr;
    Out.All.push_back({Name, Known && Known->Size ? Extent::number(Known->Size)
                                                  : Extent::variable(Name)});
  }
  return Out;
}

AxisMask Declarations::namedAxes() const {
  AxisMask Out = 0;
  const auto Add = [&](llvm::StringRef Name, const MeshSpec *Of) {
    if (const std::optional<AxisId> A = findAxis(Name, Of))
      Out |= 1u << *A;
  };
  const auto AddMesh = [&](const MeshSpec *Of) {
    for (std::size_t I = 0; Of && I != Of->Axes.size(); ++I)
      Add(Of->Axes[I].Name, Of);
  };
  AddMesh(mesh());
  for (const Slot &S : F.Slots)
    AddMesh(S.Mesh.get());
  forEachNamedAxis(F, mesh(), Add);
  return Out;
}

DimAxes Declarations::looseAxes(const AbstractValue &Value) const {
  DimAxes Out;
  const TypeSet Unsharded = LocalType::R | LocalType::I | LocalType::P;
  for (AxisId A : Global) {
    const TypeSet Is = Value.Axes[A].Set;
    // Axes of which only other code speaks shard nothing here.
    const bool IsElsewhere = Is.isAll() && !(Named & 1u << A);
    if (!isSingleton(A) && !IsElsewhere && !Is.subsetOf(Unsharded) &&
        !(Value.Spec && Value.Spec->dimOf(A)))
      Out.push_back(A);
  }
  return Out;
}

//===--- Values -----------------------------------------------------------===//

Origin Declarations::originOf(const AbstractValue &Value) const {
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

AbstractValue Declarations::unknownValue() const {
  AbstractValue C;
  C.Axes.resize(E.universe().size());
  return C;
}

AbstractValue Declarations::constantValue(TypeSet Set, PlaceId At,
                                          llvm::StringRef Text) const {
  AbstractValue C = unknownValue();
  const Origin *From = origin(Origin::Kind::Constant, At, Text);
  for (AxisState &A : C.Axes)
    A = AxisState::constant(Set, From);
  return C;
}

AbstractValue Declarations::declaredValue(const TypeSpec &T, PlaceId At,
                                          llvm::StringRef Subject,
                                          const MeshSpec *Of) const {
  AbstractValue C = unknownValue();
  const Origin *From = origin(Origin::Kind::Declared, At, Subject);
  const std::vector<AxisState> Required = requirements(T, Of);
  for (std::size_t I = 0; I != Required.size(); ++I) {
    C.Axes[I] = Required[I];
    if (!Required[I].Set.isAll())
      C.Axes[I].From = From;
  }
  C.Spec = declaredSpec(T, Of);
  return C;
}

void Declarations::promise(AbstractValue &Value,
                           llvm::ArrayRef<AxisState> Required, PlaceId At,
                           llvm::StringRef Subject) const {
  AxisMask Alike = 0;
  for (AxisId A = 0; A != Required.size(); ++A)
    if (Required[A].Set.subsetOf(LocalType::R | LocalType::I))
      Alike |= 1u << A;
  if (!Alike)
    return;
  Value.PromisedAlike |= Alike;
  Value.Promise = origin(Origin::Kind::Declared, At, Subject);
}

AxisMask Declarations::rankOver(const Slot &S) const {
  AxisMask Varies = 0;
  if (!S.Integer || !S.Declared)
    return Varies;
  const std::vector<AxisState> Said =
      requirements(S.Declared->Entry, S.Mesh.get());
  for (AxisId A = 0; A != Said.size(); ++A)
    if (Said[A].Set == TypeSet(LocalType::V))
      Varies |= 1u << A;
  return llvm::popcount(Varies) > 1 ? Varies : 0;
}

void Declarations::declareConstants(const Slot &P, AbstractValue &Given) const {
  const AbstractValue Said =
      declaredValue(P.Declared->Entry, P.DeclaredAt, P.Name, P.Mesh.get());
  for (AxisId A = 0; A != Given.Axes.size(); ++A)
    if (Given.Axes[A].Constant && Said.Axes[A].Set.isSingle()) {
      const bool IsShare = Given.Axes[A].Share;
      Given.Axes[A] = Said.Axes[A];
      Given.Axes[A].Share = IsShare;
    }
}

AxisMask Declarations::overwrittenAlike(const Slot &S) const {
  if (S.Kind != SlotKind::Parameter || !S.Declared || !S.Declared->isOutput())
    return 0;
  AxisMask Out = 0;
  const std::vector<AxisState> Left =
      requirements(*S.Declared->Exit, S.Mesh.get());
  for (AxisId A = 0; A != Left.size(); ++A)
    if (Left[A].Set.subsetOf(LocalType::R | LocalType::I))
      Out |= 1u << A;
  return Out;
}

AbstractValue Declarations::promisedValue(const TypeSpec &T, PlaceId At,
                                          llvm::StringRef Subject,
                                          const MeshSpec *Of) const {
  AbstractValue Out = declaredValue(T, At, Subject, Of);
  promise(Out, Out.Axes, At, Subject);
  return Out;
}

} // namespace spmd::rules::inference
