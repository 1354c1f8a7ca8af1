//===- Slots.cpp - Names of storage ---------------------------------------===//

#include "FunctionLowering.h"

#include "apis/DeclaredParameters.h"

#include "cxx/AutogradFunctions.h"

#include "spmd/ir/Walk.h"
#include "spmd/types/AxisAlgebra.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

PlaceId FunctionLowering::place(SourceRange R) {
  if (R.isInvalid())
    return PlaceId::None;
  const SourceManager &SM = context().getSourceManager();
  const PresumedLoc Loc = SM.getPresumedLoc(SM.getFileLoc(R.getBegin()));
  Source.Places.push_back({R, nullptr});
  return F.addPlace(Loc.isValid() ? rules::Place{Loc.getLine(), Loc.getColumn()}
                                  : rules::Place());
}

PlaceId FunctionLowering::place(const Stmt *S) {
  if (!S)
    return PlaceId::None;
  auto [It, New] = PlaceOf.try_emplace(S, PlaceId::None);
  if (!New)
    return It->second;
  const PlaceId P = place(S->getSourceRange());
  if (P != PlaceId::None)
    Source.Places.back().Node = S;
  return PlaceOf[S] = P;
}

/// What a variable is that converts what it is made of.
static std::shared_ptr<const TypeAnnotation>
typeConverted(const TypeAnnotation &From) {
  TypeAnnotation Out{*From.Exit, std::nullopt};
  for (const AxisAtom &A : From.Entry.Axes)
    if (!Out.Entry.find(A.Axis))
      Out.Entry.Axes.push_back(A);
  return std::make_shared<const TypeAnnotation>(std::move(Out));
}

/// `[[spmd::type("dp: V -> dp: P")]] auto loss = …` says what the ranks' values
/// mean together, and moves nothing. A buffer keeps its other names.
Operand FunctionLowering::converted(const VarDecl *VD, Operand Value) {
  const Annotation<TypeAnnotation> A = M.annotations().typeOf(VD);
  if (!A || !A->Exit || Value.Slot == SlotId::None)
    return Value;
  for (const AxisAtom &To : A->Exit->Axes) {
    const AxisAtom *From = A->Entry.find(To.Axis);
    if (!From || From->Value == To.Value)
      continue;
    TransferFact T{};
    T.K = TransferKind::Reinterpret;
    T.Src = Value;
    T.Axis = {defineAxes(VD->getInit(), {To.Axis}), PlaceId::None};
    T.From = From->Value;
    T.To = To.Value;
    T.At = place(VD->getInit());
    if (classify(VD->getType()) == TypeClass::Buffer)
      T.Out = Value;
    else
      T.Dst = Value.Slot = temporary();
    emit(T);
  }
  return Value;
}

void FunctionLowering::describe(Slot &S, const ValueDecl *D) {
  const Annotation<TypeAnnotation> A = M.annotations().typeOf(D);
  S.Declared =
      A && A->Exit && !isa<ParmVarDecl>(D) ? typeConverted(*A) : A.Value;
  S.DeclaredAxes = M.axesOf(D);
  S.DeclaredAt = place(A ? A.Range : D->getSourceRange());
  if (A || !S.DeclaredAxes.empty())
    S.Mesh = M.otherMesh(A ? A.Where : D, FD);
  S.InPlace = (S.Kind == SlotKind::Parameter || S.Kind == SlotKind::Field) &&
              M.isOwnStruct(D->getType());
}

/// An annotation of an object is about the tensors in it that have none.
void FunctionLowering::inherit(Slot &S, const ValueDecl *D) const {
  const TypeClass Class = D ? classify(D->getType()) : TypeClass::Tensor;
  const bool Named =
      D ? isa<FieldDecl>(D) : !llvm::StringRef(S.Member).starts_with("[");
  if (!Named || Class == TypeClass::Scalar || Class == TypeClass::Untracked ||
      Class == TypeClass::Comm || Class == TypeClass::Mesh)
    return;
  S.IsTensor = Class != TypeClass::Other;
  inheritAnnotation(S, F.slot(S.Base));
}

std::string FunctionLowering::textOf(SlotId Id) const {
  const Slot &S = F.slot(Id);
  if (S.Kind != SlotKind::Field)
    return S.Name;
  const llvm::StringRef Name = llvm::StringRef(S.Member).rsplit("::").second;
  const std::string Member = Name.empty() ? S.Member : Name.str();
  if (F.slot(S.Base).Kind == SlotKind::This)
    return Member;
  const std::string Text = textOf(S.Base);
  if (Text.empty() || llvm::StringRef(Member).starts_with("["))
    return Text.empty() ? Text : Text + Member;
  return Text + "." + Member;
}

void FunctionLowering::noteHandle(SlotId Id, const ValueDecl *D) {
  const Slot &S = F.slot(Id);
  const std::optional<AxisHandle::Kind> K = commKind(D->getType());
  if (!K || S.Name.empty())
    return;
  for (const AxisHandle &H : Source.Handles)
    if (H.Text == S.Name)
      return;
  Source.Handles.push_back({*K, Id, S.Name, S.DeclaredAxes});
}

SlotId FunctionLowering::thisSlot() {
  if (F.ThisSlot == SlotId::None) {
    Slot S;
    S.Name = "this";
    S.Kind = SlotKind::This;
    F.ThisSlot = F.addSlot(std::move(S));
  }
  return F.ThisSlot;
}

SlotId FunctionLowering::resultSlot() {
  if (Result == SlotId::None) {
    Slot S;
    S.Name = "result";
    S.Kind = SlotKind::Result;
    Result = F.addSlot(std::move(S));
  }
  return Result;
}

SlotId FunctionLowering::generatorSlot() {
  if (Generator == SlotId::None) {
    Slot S;
    S.Name = "random generator"; // no variable can have this name
    S.Kind = SlotKind::Global;
    Generator = F.addSlot(std::move(S));
  }
  return Generator;
}

/// A variable of the enclosing function is a field of the lambda's closure.
SlotId FunctionLowering::captureSlot(const VarDecl *VD) {
  return fieldSlot(thisSlot(), VD->getName(), VD);
}

/// Whether \p VD is in scope where the function ends.
bool FunctionLowering::isOutermost(const VarDecl *VD) const {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(FD->getBody());
  return Body && llvm::any_of(Body->body(), [VD](const Stmt *S) {
           const auto *Declares = dyn_cast<DeclStmt>(S);
           return Declares && llvm::is_contained(Declares->decls(), VD);
         });
}

SlotId FunctionLowering::variableSlot(const VarDecl *VD) {
  VD = VD->getCanonicalDecl();
  if (auto It = Variables.find(VD); It != Variables.end())
    return It->second;
  if (VD->isLocalVarDeclOrParm() && !VD->isStaticLocal()) {
    const auto *In = dyn_cast<FunctionDecl>(VD->getDeclContext());
    const auto *Method = dyn_cast<CXXMethodDecl>(FD);
    if (In && In->getCanonicalDecl() != FD->getCanonicalDecl() && Method &&
        Method->getParent()->isLambda())
      return Variables[VD] = captureSlot(VD);
  }
  Slot S;
  S.Name = VD->getNameAsString();
  S.Kind = VD->hasGlobalStorage() ? SlotKind::Global : SlotKind::Local;
  if (S.Kind == SlotKind::Global)
    S.Member = M.globalName(VD);
  describe(S, VD);
  S.Owned = S.Kind == SlotKind::Local && isObject(VD->getType());
  S.Outermost = S.Declared && S.Kind == SlotKind::Local && isOutermost(VD);
  const SlotId Id = F.addSlot(std::move(S));
  Variables[VD] = Id;
  noteHandle(Id, VD);
  return Id;
}

static std::string fieldKey(SlotId Base, llvm::StringRef Member) {
  return std::to_string(index(Base)) + "." + Member.str();
}

SlotId FunctionLowering::findField(SlotId Base, llvm::StringRef Member) const {
  auto It = Fields.find(fieldKey(Base, Member));
  return It == Fields.end() ? SlotId::None : It->second;
}

SlotId FunctionLowering::fieldSlot(SlotId Base, llvm::StringRef Name,
                                   const ValueDecl *D) {
  const auto *Field = dyn_cast_or_null<FieldDecl>(D);
  const std::string Member = Field ? M.memberName(Field) : Name.str();
  const std::string Key = fieldKey(Base, Member);
  if (auto It = Fields.find(Key); It != Fields.end())
    return It->second;
  Slot S;
  S.Kind = SlotKind::Field;
  S.Base = Base;
  S.Member = Member;
  if (D)
    describe(S, D);
  inherit(S, D);
  S.Owned = isa_and_nonnull<FieldDecl>(D) && isObject(D->getType());
  const SlotId Id = F.addSlot(std::move(S));
  const std::string Path = textOf(Id);
  F.Slots[index(Id)].Name = Path;
  std::vector<std::string> &Axes = F.Slots[index(Id)].DeclaredAxes;
  if (Axes.empty())
    Axes = M.configuredAxes(Path);
  // Of a struct, an axis is that of the communicator in it.
  if (Axes.empty() && D && commKind(D->getType()))
    Axes = F.slot(Base).DeclaredAxes;
  Fields[Key] = Id;
  if (Field)
    FieldOf[Id] = Field;
  if (D)
    noteHandle(Id, D);
  return Id;
}

/// What points into one allocation is a part of it from the entry on: it was
/// set up before, or is overwritten here.
void FunctionLowering::bindArenas() {
  if (M.arenas().empty())
    return;
  // `Tensors t = m->tensors;`: what code names of the copy, the original has.
  llvm::DenseMap<SlotId, llvm::SmallVector<const FieldDecl *, 4>> FieldsIn;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (const FieldDecl *Field = FieldOf.lookup(SlotId(I)))
      FieldsIn[F.Slots[I].Base].push_back(Field);
  for (const BindFact &Copy : factsOf<BindFact>(F))
    if (const FieldDecl *In = FieldOf.lookup(Copy.Src.Slot))
      for (const FieldDecl *Field : FieldsIn.lookup(Copy.Dst))
        if (M.arenas().memoryOf(In, Field))
          fieldSlot(Copy.Src.Slot, Field->getName(), Field);
  std::vector<Fact> Binds;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const FieldDecl *Pointer = FieldOf.lookup(SlotId(I));
    if (!Pointer || F.Slots[I].Declared) // an annotation is believed
      continue;
    SlotId Object = F.Slots[I].Base;
    const FieldDecl *Memory = M.arenas().memoryOf(nullptr, Pointer);
    if (const FieldDecl *In = FieldOf.lookup(Object); In && !Memory) {
      Memory = M.arenas().memoryOf(In, Pointer);
      Object = F.slot(Object).Base;
    }
    if (!Memory)
      continue;
    ViewFact Part;
    Part.Dst = SlotId(I);
    Part.Src.Slot = fieldSlot(Object, Memory->getName(), Memory);
    Part.K = ViewFact::Kind::Region;
    Binds.push_back(Part);
  }
  std::vector<Fact> &Entry = F.Blocks.front().Facts;
  Entry.insert(Entry.begin(), Binds.begin(), Binds.end());
}

SlotId FunctionLowering::parametersOf(SlotId Object, QualType Module) {
  const SlotId List = parametersOf(Object);
  if (List == SlotId::None || !CommonOf.insert(List).second)
    return List;
  const Slot &Was = F.slot(List);
  Annotation<TypeAnnotation> Whole;
  if (Was.Declared &&
      (!Was.Inherited || !Was.Declared->Members.empty() || Was.Declared->Exit))
    return List;
  Whole.Value = Was.Declared;
  bool Differ = false;
  const Annotation<TypeAnnotation> A =
      declaredParameters(M, Module, Whole, Differ);
  if (Differ)
    DifferentParts.insert(List);
  if (Whole ? !Differ : !A)
    return List;
  // What differs in some is said of no list with all of them.
  Slot &S = F.Slots[index(List)];
  S.Declared = A.Value;
  S.Inherited &= S.Declared != nullptr;
  if (!Whole) {
    S.DeclaredAt = place(A.Range);
    S.Mesh = M.otherMesh(A.Where, FD);
  }
  return List;
}

bool FunctionLowering::hasDifferentParts(SlotId List, QualType Module) {
  if (List == SlotId::None)
    return false;
  parametersOf(F.slot(List).Base, Module);
  return DifferentParts.contains(List);
}

/// \p T of an alias that is declared on another mesh; null where it has no
/// equal form.
static std::shared_ptr<const TypeAnnotation>
onMesh(const TypeAnnotation &T, const MeshSpec &From, const MeshSpec &To) {
  const auto Mapped = [&]() -> llvm::Expected<TypeSpec> {
    llvm::Expected<RankMesh> There = RankMesh::of(From);
    if (!There)
      return There.takeError();
    llvm::Expected<RankMesh> Here = RankMesh::of(To);
    return Here ? remap(T.Entry, *There, *Here) : Here.takeError();
  };
  llvm::Expected<TypeSpec> Entry = Mapped();
  if (Entry)
    return std::make_shared<const TypeAnnotation>(
        TypeAnnotation{withParts(*Entry, To), std::nullopt});
  llvm::consumeError(Entry.takeError());
  return nullptr;
}

void FunctionLowering::lowerSignature() {
  F.NumParameters = FD->getNumParams();
  for (const ParmVarDecl *P : FD->parameters()) {
    Slot S;
    S.Name = P->getNameAsString();
    S.Kind = SlotKind::Parameter;
    const QualType T = P->getType();
    S.ByReference =
        T->isLValueReferenceType() && !T->getPointeeType().isConstQualified();
    S.Owned = S.ByReference && isObject(T->getPointeeType());
    describe(S, P);
    const SlotId Id = F.addSlot(std::move(S));
    Variables[P->getCanonicalDecl()] = Id;
    noteHandle(Id, P);
  }
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && !MD->isStatic())
    thisSlot();
  // The values that a forward pass of autograd's returns are no R nor I before
  // its backward pass is looked at: calls check the promise.
  const Annotation<TypeAnnotation> Result = isAutogradPass(FD, "forward")
                                                ? Annotation<TypeAnnotation>()
                                                : M.annotations().resultOf(FD);
  F.Result = Result.Value;
  if (Result)
    if (const auto Mesh = M.otherMesh(Result.Where, FD))
      F.Result = onMesh(*Result, *Mesh, *M.annotations().meshInForce(FD));
  F.ResultAxes = M.axesOf(FD);
  F.ResultAt = place(Result ? Result.Range : FD->getSourceRange());
}

/// What annotations of structs say of their tensors is part of the contract;
/// where there is no body, nothing else names these.
void FunctionLowering::lowerMembers() {
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    const QualType T = FD->getParamDecl(I)->getType().getNonReferenceType();
    const QualType Of = T->isPointerType() ? T->getPointeeType() : T;
    if (F.Slots[I].Declared && M.isOwnStruct(Of))
      for (const FieldDecl *Field : Of->getAsRecordDecl()->fields())
        fieldSlot(SlotId(I), Field->getName(), Field);
  }
}

} // namespace spmd::lint::lower
