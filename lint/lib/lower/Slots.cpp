//===- Slots.cpp - Names of storage -------------------------------------===//

#include "Slots.h"

#include "Strip.h"

#include "ApartModules.h"
#include "ArenaSetups.h"
#include "OutPointers.h"
#include "Records.h"

#include "apis/DeclaredParameters.h"

#include "cxx/TypeClass.h"

#include "spmd/ir/Walk.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// What a variable is that converts what it is made of.
static std::shared_ptr<const TypeAnnotation>
typeConverted(const TypeAnnotation &From) {
  TypeAnnotation Out{*From.Exit, std::nullopt};
  for (const AxisAtom &A : From.Entry.Axes)
    if (!Out.Entry.find(A.Axis))
      Out.Entry.Axes.push_back(A);
  return std::make_shared<const TypeAnnotation>(std::move(Out));
}

/// What the rank that a group is made with is over \p Axes.
static std::shared_ptr<const TypeAnnotation>
typeOfRank(llvm::ArrayRef<std::string> Axes) {
  TypeAnnotation Out;
  for (const std::string &Axis : Axes)
    Out.Entry.Axes.push_back({Axis, {LocalType::V, std::nullopt}, 0});
  return std::make_shared<const TypeAnnotation>(std::move(Out));
}

void SlotTable::describe(Slot &S, const ValueDecl *D) {
  Annotation<TypeAnnotation> A = L.module().annotations().typeOf(D);
  if (const auto Axes = L.module().givenAxes().ofRank(D); !A && !Axes.empty())
    A = {typeOfRank(Axes), D->getSourceRange(), nullptr, D};
  S.Declared =
      A && A->Exit && !isa<ParmVarDecl>(D) ? typeConverted(*A) : A.Value;
  S.DeclaredAxes = L.module().axesOf(D);
  S.DeclaredAt = L.place(A ? A.Range : D->getSourceRange());
  if (A || !S.DeclaredAxes.empty())
    S.Mesh = L.module().otherMesh(A ? A.Where : D, L.function());
  S.Integer = (A || S.Kind == SlotKind::Global) &&
              D->getType().getNonReferenceType()->isIntegerType();
  S.InPlace = (S.Kind == SlotKind::Parameter || S.Kind == SlotKind::Field) &&
              L.module().isOwnStruct(D->getType());
}

/// Whether \p S is a parameter with an annotation that its function only reads.
bool SlotTable::isRead(SlotId S) const {
  if (!F.slot(S).Declared || F.slot(S).Declared->Exit ||
      F.slot(S).Kind != SlotKind::Parameter)
    return false;
  const QualType T = L.function()->getParamDecl(index(S))->getType();
  return T->isPointerOrReferenceType() ? T->getPointeeType().isConstQualified()
                                       : T.isConstQualified();
}

/// An annotation of an object is about the tensors in it that have none, and of
/// one that has nothing but numbers, and is read, about these.
void SlotTable::inherit(Slot &S, const ValueDecl *D) const {
  const TypeClass Class = D ? classify(D->getType()) : TypeClass::Tensor;
  const bool Named =
      D ? isa<FieldDecl>(D) : !llvm::StringRef(S.Member).starts_with("[");
  const bool IsSetting = Class == TypeClass::Scalar &&
                         isa_and_nonnull<FieldDecl>(D) &&
                         isInSettings(cast<FieldDecl>(D)) && isRead(S.Base);
  // Names and paths in an object are seldom meant.
  const auto IsText = [](QualType T) {
    return !T.isNull() && isStdClass(T, "basic_string");
  };
  if (D && Class == TypeClass::Buffer &&
      (IsText(D->getType()) || IsText(elementType(D->getType()))))
    return;
  if (const auto *Field = dyn_cast_or_null<FieldDecl>(D);
      Field && Class == TypeClass::Buffer && isShapeOfData(Field))
    return;
  if (!Named || (Class == TypeClass::Scalar && !IsSetting) ||
      Class == TypeClass::Untracked || Class == TypeClass::Comm ||
      Class == TypeClass::Mesh)
    return;
  S.IsTensor = Class != TypeClass::Other;
  inheritAnnotation(S, F.slot(S.Base));
  S.IsTensor &= !IsSetting; // a call takes the struct as a whole
}

std::string memberText(const Slot &Field) {
  const llvm::StringRef Name =
      llvm::StringRef(Field.Member).rsplit("::").second;
  return Name.empty() ? Field.Member : Name.str();
}

std::string SlotTable::textOf(SlotId Id) const {
  const Slot &S = F.slot(Id);
  if (S.Kind != SlotKind::Field)
    return S.Name;
  const std::string Member = memberText(S);
  if (F.slot(S.Base).Kind == SlotKind::This)
    return Member;
  const std::string Text = textOf(S.Base);
  if (Text.empty() || llvm::StringRef(Member).starts_with("["))
    return Text.empty() ? Text : Text + Member;
  return Text + "." + Member;
}

void SlotTable::noteHandle(SlotId Id, const ValueDecl *D) {
  const Slot &S = F.slot(Id);
  const std::optional<AxisHandle::Kind> K = commKind(D->getType());
  if (!K || S.Name.empty())
    return;
  for (const AxisHandle &H : L.source().Handles)
    if (H.Text == S.Name)
      return;
  L.source().Handles.push_back({*K, Id, S.Name, S.DeclaredAxes});
}

SlotId SlotTable::named(const char *Name, SlotKind Kind) {
  Slot S;
  S.Name = Name;
  S.Kind = Kind;
  return F.addSlot(std::move(S));
}

SlotId SlotTable::self() {
  if (F.ThisSlot == SlotId::None)
    F.ThisSlot = named("this", SlotKind::This);
  return F.ThisSlot;
}

SlotId SlotTable::result() {
  if (Result == SlotId::None)
    Result = named("result", SlotKind::Result);
  return Result;
}

SlotId SlotTable::generator() {
  if (Generator == SlotId::None) // no variable can have this name
    Generator = named(GeneratorName.data(), SlotKind::Global);
  return Generator;
}

/// Whether \p VD is in scope where the function ends.
bool SlotTable::isOutermost(const VarDecl *VD) const {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(L.function()->getBody());
  return Body && llvm::any_of(Body->body(), [VD](const Stmt *S) {
           const auto *Declares = dyn_cast<DeclStmt>(S);
           return Declares && llvm::is_contained(Declares->decls(), VD);
         });
}

/// A variable of the enclosing function is a field of the lambda's closure.
bool SlotTable::isCaptured(const VarDecl *VD) const {
  if (!VD->isLocalVarDeclOrParm() || VD->isStaticLocal())
    return false;
  const auto *In = dyn_cast<FunctionDecl>(VD->getDeclContext());
  const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
  return In && In->getCanonicalDecl() != L.function()->getCanonicalDecl() &&
         Method && Method->getParent()->isLambda();
}

SlotId SlotTable::variable(const VarDecl *VD) {
  VD = VD->getCanonicalDecl();
  if (auto It = Variables.find(VD); It != Variables.end())
    return It->second;
  if (isCaptured(VD))
    return Variables[VD] = field(self(), VD->getName(), VD);
  Slot S;
  S.Name = VD->getNameAsString();
  // The threads of a block share it; the next block has one of its own.
  const bool OfBlock = VD->isStaticLocal() && VD->hasAttr<CUDASharedAttr>();
  S.Kind =
      VD->hasGlobalStorage() && !OfBlock ? SlotKind::Global : SlotKind::Local;
  if (S.Kind == SlotKind::Global)
    S.Member = L.module().globalName(VD);
  describe(S, VD);
  // An annotation is believed.
  if (const VarDecl *Buffer = L.module().listsOfParts().bufferOf(VD);
      Buffer && !S.Declared)
    return Variables[VD] = variable(Buffer);
  S.Owned = S.Kind == SlotKind::Local && isObject(VD->getType());
  S.Outermost = S.Declared && S.Kind == SlotKind::Local && isOutermost(VD);
  const SlotId Id = F.addSlot(std::move(S));
  Variables[VD] = Id;
  noteHandle(Id, VD);
  return Id;
}

bool SlotTable::isListOfParts(const VarDecl *VD) {
  const VarDecl *Buffer =
      VD ? L.module().listsOfParts().bufferOf(VD->getCanonicalDecl()) : nullptr;
  return Buffer && variable(VD) == variable(Buffer);
}

SlotId SlotTable::placeInList(const VarDecl *List, std::int64_t Number,
                              llvm::StringRef Name) {
  const auto [It, New] = PlacesInLists[List].try_emplace(Number, SlotId::None);
  if (!New)
    return It->second;
  Slot S;
  S.Name = Name.str();
  S.Kind = SlotKind::Local;
  return It->second = F.addSlot(std::move(S));
}

SlotId SlotTable::local(std::optional<SlotId> &Known, llvm::StringRef Name) {
  if (Known)
    return *Known;
  Slot S;
  S.Name = Name.str();
  S.Kind = SlotKind::Local;
  return *(Known = F.addSlot(std::move(S)));
}

llvm::SmallVector<SlotId, 4>
SlotTable::placesInList(const VarDecl *List) const {
  llvm::SmallVector<SlotId, 4> Out;
  if (const auto Of = PlacesInLists.find(List); Of != PlacesInLists.end())
    llvm::append_range(Out, llvm::make_second_range(Of->second));
  return Out;
}

SlotId SlotTable::turn(const Stmt *Loop, const Expr *Element) {
  const auto [It, New] = Turns.try_emplace(Loop, SlotId::None);
  if (!New)
    return It->second;
  Slot S;
  S.Name = printed(Element, L.context());
  S.Kind = SlotKind::Local;
  return It->second = F.addSlot(std::move(S));
}

SlotId SlotTable::parameter(const ParmVarDecl *P) {
  Slot S;
  S.Name = P->getNameAsString();
  S.Kind = SlotKind::Parameter;
  const QualType T = P->getType();
  S.ByReference =
      (T->isLValueReferenceType() && !T->getPointeeType().isConstQualified()) ||
      isOutPointer(P);
  S.Owned = T->isLValueReferenceType() && S.ByReference &&
            isObject(T->getPointeeType());
  describe(S, P);
  const SlotId Id = F.addSlot(std::move(S));
  name(P, Id);
  noteHandle(Id, P);
  return Id;
}

static std::string fieldKey(SlotId Base, llvm::StringRef Member) {
  return std::to_string(index(Base)) + "." + Member.str();
}

SlotId SlotTable::findField(SlotId Base, llvm::StringRef Member) const {
  auto It = Fields.find(fieldKey(Base, Member));
  return It == Fields.end() ? SlotId::None : It->second;
}

SlotId SlotTable::field(SlotId Base, llvm::StringRef Name, const ValueDecl *D) {
  const auto *Field = dyn_cast_or_null<FieldDecl>(D);
  const std::string Member = Field ? L.module().memberName(Field) : Name.str();
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
    Axes = L.module().configuredAxes(Path);
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

/// Whether \p T says nothing but what is no replica: sums of gradients are
/// that before they are reduced, together with what else is in the memory.
static bool saysDifferent(const TypeAnnotation &T) {
  return !T.Exit && !T.Entry.Global && T.Members.empty() &&
         llvm::all_of(T.Entry.Axes, [](const AxisAtom &A) {
           return A.Value.Type == LocalType::V || A.Value.Type == LocalType::P;
         });
}

bool SlotTable::isPartOfMemory(SlotId S) const {
  return !F.slot(S).Declared || saysDifferent(*F.slot(S).Declared);
}

/// The member that holds what \p S points into, or is; None: nobody says so.
SlotId SlotTable::memoryOf(SlotId S) {
  const Arenas &Known = L.module().arenas();
  const FieldDecl *Named = FieldOf.lookup(S);
  if (!Named)
    return SlotId::None;
  if (!Known.pointersInto(Named).empty())
    return S;
  if (!isPartOfMemory(S))
    return SlotId::None;
  SlotId Object = F.slot(S).Base;
  const FieldDecl *Memory = Known.memoryOf(nullptr, Named);
  if (const FieldDecl *In = FieldOf.lookup(Object); In && !Memory) {
    Memory = Known.memoryOf(In, Named);
    Object = F.slot(Object).Base;
  }
  return Memory ? field(Object, Memory->getName(), Memory) : SlotId::None;
}

/// What points into one allocation is a part of it from the entry on: it was
/// set up before, or is overwritten here.
void SlotTable::bindArenas() {
  if (L.module().arenas().empty())
    return;
  // `Tensors t = m->tensors;`: what code names of the copy, the original has.
  llvm::DenseMap<SlotId, llvm::SmallVector<const FieldDecl *, 4>> FieldsIn;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
    if (const FieldDecl *Field = FieldOf.lookup(SlotId(I)))
      FieldsIn[F.Slots[I].Base].push_back(Field);
  for (const BindFact &Copy : factsOf<BindFact>(F))
    if (const FieldDecl *In = FieldOf.lookup(Copy.Src.Slot))
      for (const FieldDecl *Field : FieldsIn.lookup(Copy.Dst))
        if (L.module().arenas().memoryOf(In, Field))
          field(Copy.Src.Slot, Field->getName(), Field);
  // What others set up in an object they may use where nobody names it.
  std::vector<std::pair<SlotId, const FieldDecl *>> Given;
  ArenaSetups::Pointers Pointers;
  for (const auto &[D, S] : Variables) {
    const QualType T = D->getType().getNonReferenceType();
    const auto *Of =
        (T->isPointerType() ? T->getPointeeType() : T)->getAsRecordDecl();
    if (Of)
      for (const FieldDecl *Memory : Of->fields())
        for (const auto &[In, Pointer] :
             L.module().arenas().pointersInto(Memory)) {
          Given.emplace_back(S, Memory);
          Pointers.insert(Pointer);
        }
  }
  if (!Given.empty() &&
      !ArenaSetups(L.module(), L.function(), Pointers).empty()) {
    llvm::sort(Given, [](const auto &A, const auto &B) {
      return std::pair(A.first, A.second->getFieldIndex()) <
             std::pair(B.first, B.second->getFieldIndex());
    });
    for (const auto &[Object, Memory] : Given)
      field(Object, Memory->getName(), Memory);
  }
  // Of each object's memory that is named, or of which a part is.
  llvm::SmallSetVector<SlotId, 4> Memories;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    if (const SlotId Memory = memoryOf(SlotId(I)); Memory != SlotId::None)
      Memories.insert(Memory);
    const FieldDecl *List = FieldOf.lookup(SlotId(I));
    for (const FieldDecl *Memory :
         List ? memoriesOfElements(L.module().arenas(), List)
              : llvm::SmallVector<const FieldDecl *, 2>())
      Memories.insert(field(F.Slots[I].Base, Memory->getName(), Memory));
  }
  std::vector<ViewFact> Parts;
  for (const SlotId Memory : Memories)
    for (const auto &[In, Pointer] :
         L.module().arenas().pointersInto(FieldOf.lookup(Memory))) {
      const SlotId Object = F.slot(Memory).Base;
      ViewFact Part;
      Part.Dst = field(In ? field(Object, In->getName(), In) : Object,
                       Pointer->getName(), Pointer);
      Part.Src.Slot = Memory;
      Part.K = ViewFact::Kind::Region;
      if (!isPartOfMemory(Part.Dst))
        continue;
      Parts.push_back(Part);
      Pointers.insert(Pointer);
    }
  if (Parts.empty())
    return;
  ArenaSetups(L.module(), L.function(), Pointers).bindBehind(F, Parts);
  std::vector<Fact> &Entry = F.Blocks.front().Facts;
  Entry.insert(Entry.begin(), Parts.begin(), Parts.end());
}

std::vector<const VarDecl *>
SlotTable::globalMemories(const GlobalArenas &Known) const {
  // In the order in which the function names them.
  std::map<SlotId, const VarDecl *> Named;
  for (const auto &[D, S] : Variables)
    if (const auto *VD = dyn_cast<VarDecl>(D); VD && VD->hasGlobalStorage())
      Named[S] = Known.memoryOf(VD);
  llvm::SmallSetVector<const VarDecl *, 4> Out;
  for (const auto &[S, Memory] : Named)
    if (Memory)
      Out.insert(Memory);
  return {Out.begin(), Out.end()};
}

llvm::SmallSet<SlotId, 8> SlotTable::numbers() const {
  llvm::SmallSet<SlotId, 8> Out;
  for (const auto &[D, S] : Variables)
    if (D->getType().getNonReferenceType()->isArithmeticType())
      Out.insert(S);
  return Out;
}

void SlotTable::bindParameterLists() {
  if (isa<CXXConstructorDecl>(L.function())) // makes them
    return;
  std::vector<Fact> Binds;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const FieldDecl *List = FieldOf.lookup(SlotId(I));
    const FieldDecl *Model =
        List && !F.Slots[I].Declared ? L.module().listedModel(List) : nullptr;
    if (!Model)
      continue;
    const SlotId Of = field(F.Slots[I].Base, Model->getName(), Model);
    Binds.push_back(BindFact{SlotId(I), {parametersOf(Of, Model->getType())}});
  }
  std::vector<Fact> &Entry = F.Blocks.front().Facts;
  Entry.insert(Entry.begin(), Binds.begin(), Binds.end());
}

void SlotTable::markApart() {
  std::map<SlotId, const ValueDecl *> Objects; // in the order of the slots
  for (const auto &[D, S] : Variables)
    if (F.slot(S).Kind == SlotKind::Parameter ||
        F.slot(S).Kind == SlotKind::Local)
      Objects[S] = D;
  for (const auto &[S, Field] : FieldOf)
    if (F.slot(S).Base == F.ThisSlot)
      Objects[S] = Field;
  const llvm::SmallVector<const ValueDecl *, 4> Apart =
      apartModules(llvm::to_vector(llvm::make_second_range(Objects)));
  for (const auto &[S, D] : Objects)
    F.Slots[index(S)].Apart = llvm::is_contained(Apart, D);
}

SlotId SlotTable::parametersOf(SlotId Object, QualType Module) {
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
      declaredParameters(L.module(), Module, Whole, Differ);
  if (Differ)
    DifferentParts.insert(List);
  if (Whole ? !Differ : !A)
    return List;
  // What differs in some is said of no list with all of them.
  Slot &S = F.Slots[index(List)];
  S.Declared = A.Value;
  S.Inherited &= S.Declared != nullptr;
  if (!Whole) {
    S.DeclaredAt = L.place(A.Range);
    S.Mesh = L.module().otherMesh(A.Where, L.function());
  }
  return List;
}

bool SlotTable::hasDifferentParts(SlotId List, QualType Module) {
  if (List == SlotId::None)
    return false;
  parametersOf(F.slot(List).Base, Module);
  return DifferentParts.contains(List);
}

} // namespace spmd::lint::lower
