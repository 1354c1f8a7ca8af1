//===- LowerModule.cpp - All functions of a translation unit -----------===//

#include "ModuleLowering.h"

#include "cxx/DeclaredClasses.h"
#include "cxx/LinkNames.h"
#include "cxx/StructMakers.h"
#include "cxx/TypeClass.h"

#include "LowerFunction.h"
#include "RankNumbers.h"
#include "Recognisers.h"
#include "UnknownCode.h"
#include "apis/Generators.h"
#include "apis/OptimizedModel.h"

#include "spmd/ir/MembersApart.h"
#include "spmd/ir/SameElements.h"
#include "spmd/ir/Verifier.h"
#include "spmd/lint/OptionValues.h"
#include "spmd/types/AxisAlgebra.h"

#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Bodies of one template that are lowered; more say the same again.
static constexpr unsigned MaxInstantiations = 32;
/// The same of bodies for the functions that they are handed, in all.
static constexpr unsigned MaxHandedBodies = 128;

/// `state->tp` as slots call it.
static std::string withoutArrows(llvm::StringRef Expression) {
  return llvm::join(llvm::split(Expression, "->"), ".");
}

ModuleLowering::ModuleLowering(ASTContext &Ctx, const Config &Cfg,
                               const FileMatches &Found, OwnFiles &Own,
                               const LoweringOptions &Options)
    : Ctx(Ctx), Cfg(Cfg), Found(Found), Own(Own), Options(Options),
      ConfiguredMesh(Cfg.mesh()),
      Reader(Ctx, Cfg.Mesh.empty() ? nullptr : &ConfiguredMesh,
             [this](SourceLocation Loc, std::string Message) {
               Out.Malformed.push_back({Loc, std::move(Message)});
             }) {
  for (const Configured<AxisBinding> &B : Cfg.Axes)
    for (const std::string &Axis : B.Value.Axes)
      llvm::append_range(ConfigAxes[withoutArrows(B.Value.Expression)],
                         rules::partsOf(ConfiguredMesh, Axis));
}

bool ModuleLowering::isOwnCode(SourceLocation Loc) {
  return Own.contains(Ctx.getSourceManager(), Loc);
}

void ModuleLowering::collectBodies() {
  for (const FunctionDecl *FD : Found.Bodies) {
    if (const FunctionDecl *Pattern = FD->getTemplateInstantiationPattern())
      if (++Instantiations[Pattern->getCanonicalDecl()] > MaxInstantiations)
        continue;
    bool &HasBody = Entries[FD->getCanonicalDecl()].HasBody;
    if (!HasBody)
      Bodies.push_back(FD);
    HasBody = true;
  }
}

/// Where one of the functions in a member is called with the object that has
/// it: what such an object lacks, is nothing on its way.
static void
keepMakersApart(const llvm::DenseMap<const Decl *, Function *> &StandIns,
                llvm::ArrayRef<const FunctionDecl *> Bodies,
                llvm::function_ref<std::string(const FieldDecl *)> NameOf) {
  std::optional<StructMakers> Makers;
  for (const auto &[Of, F] : StandIns) {
    const auto *Field = dyn_cast<FieldDecl>(Of);
    if (!Field || !F->IsChoice)
      continue;
    if (!Makers)
      Makers.emplace(Bodies);
    const std::optional<unsigned> Self = Makers->selfOf(Field);
    if (!Self || *Self >= F->NumParameters)
      continue;
    std::vector<llvm::StringSet<>> Lacked;
    for (const FunctionDecl *Is : Makers->putInto(Field)) {
      Lacked.emplace_back();
      for (const FieldDecl *Member : Makers->lackedBy(Field, Is))
        Lacked.back().insert(NameOf(Member));
    }
    keepMembersApart(*F, SlotId(*Self), Lacked);
  }
}

LoweredModule ModuleLowering::run() {
  // All of them are read, also those that no body uses.
  Out.Allowances = checkAnnotations(
      Ctx, Reader, Found.Annotated,
      optionNames(Cfg.option("spmd-annotation.ForeignAttributes")));
  for (const CallExpr *E : Found.LocalMaps)
    noteLocalMap(E);
  collectBodies();
  std::vector<PointerOrigins> Origins(Bodies.begin(), Bodies.end());
  const RankNumbers Ranks(Bodies);
  Memories = Arenas(Origins, Ranks);
  GlobalMemories = GlobalArenas(Origins, Ranks);
  Parts = ListsOfParts(Origins);
  Objects = GivenOptions(Bodies);
  Chosen = Settings(Bodies);
  Counted = CountedMembers(Bodies);
  Pointers = PointerLists(Bodies);
  Hooked = HookedModules(Bodies);
  InFields = FunctionFields(Bodies);
  Given = GivenAxes(
      Bodies, [this](const NamedDecl *D) { return saidAxesOf(D); },
      [this](const Expr *E) {
        std::string Name = constantName(apis(), Ctx, E);
        return apis().constant(Name) == CallConstant::World ? Name
                                                            : std::string();
      });
  for (const FunctionDecl *FD : Bodies)
    declare(FD);
  for (const FunctionDecl *FD : Bodies)
    lowerBody(FD, *Entries[FD->getCanonicalDecl()].F);
  for (std::size_t I = 0; I != HandedBodies.size(); ++I)
    lowerBody(HandedBodies[I].first, *HandedBodies[I].second);
  // A virtual call may reach these too.
  for (const CXXMethodDecl *FD : Found.Overriders)
    if (FD->isDependentContext() || !mayBeElsewhere(FD))
      continue;
    else if (!isKnown(FD))
      requireElsewhere(FD);
    else
      declare(FD);
  for (const auto &F : Out.M.Functions)
    nameSameElements(*F);
  // Linking does it for the whole program.
  if (!Options.ForProgram) {
    addCalleeFields(Out.M, [this](Function &Caller, const Function &Callee,
                                  PlaceId Old) {
      const PlaceSource Place = Out.Sources[&Callee].Places[rules::index(Old)];
      Out.Sources[&Caller].Places.push_back(Place);
    });
    keepClassesApart(Out.M, Out.Classes);
    keepMakersApart(StandIns, Bodies, [this](const FieldDecl *Member) {
      return memberName(Member);
    });
  }
  for (const auto &F : Out.M.Functions)
    for (const Block &B : F->Blocks)
      Out.NumFacts += B.Facts.size();
  // The tests set it. To a user, a file that is read wrongly is better than
  // none.
  if (std::getenv("SPMD_VERIFY_IR"))
    if (llvm::Error E = verifyModule(Out.M))
      llvm::report_fatal_error(std::move(E), /*gen_crash_diag=*/false);
  return std::move(Out);
}

bool ModuleLowering::isKnown(const FunctionDecl *FD) {
  FD = FD->getCanonicalDecl();
  auto It = Entries.find(FD);
  return (It != Entries.end() && It->second.HasBody) || hasAnnotation(FD);
}

bool ModuleLowering::hasAnnotation(const FunctionDecl *FD) {
  // Without attributes there is nothing to read.
  if (Reader.resultOf(FD) || Reader.axesOf(FD))
    return true;
  return llvm::any_of(FD->parameters(), [this](const ParmVarDecl *P) {
    return bool(Reader.typeOf(P));
  });
}

std::string ModuleLowering::require(const FunctionDecl *FD) {
  if (!isKnown(FD))
    return {};
  declare(FD);
  return Entries[FD->getCanonicalDecl()].F->Symbol;
}

std::string ModuleLowering::require(const FunctionDecl *FD,
                                    const HeldFunctions &Of) {
  const std::string Symbol = require(FD);
  const FunctionDecl *Body = nullptr;
  if (Of.empty() || !FD->hasBody(Body) ||
      !Entries[FD->getCanonicalDecl()].HasBody)
    return Symbol;
  const auto It = Handed.find({Body->getCanonicalDecl(), Of});
  if (It != Handed.end())
    return It->second->Symbol;
  if (Handed.size() == MaxHandedBodies)
    return Symbol;
  Function &F = add(Body, Symbol + " handed " + std::to_string(Handed.size()));
  Out.Sources[&F].Handed = Of;
  Handed[{Body->getCanonicalDecl(), Of}] = &F;
  HandedBodies.emplace_back(Body, &F);
  if (Options.ForProgram)
    Out.Symbols[F.Symbol].K = rules::Linkage::Kind::Local;
  return F.Symbol;
}

std::string ModuleLowering::symbolOf(const FunctionDecl *FD) const {
  std::string USR = usrOf(FD);
  return USR.empty() || !Options.ForProgram ? USR : USR + homeOf(FD);
}

static bool isOpen(const CXXRecordDecl *RD) {
  return RD && RD->hasDefinition() &&
         (RD->isPolymorphic() || RD->getNumBases() != 0);
}

std::string ModuleLowering::memberName(const FieldDecl *D) {
  const auto *RD = dyn_cast<CXXRecordDecl>(D->getParent());
  const std::string Name = D->getNameAsString();
  if (!isOpen(RD) || !isOwnCode(RD->getLocation()))
    return Name;
  return QualType(Ctx.getCanonicalTagType(RD)).getAsString() + "::" + Name;
}

std::string ModuleLowering::globalName(const VarDecl *D) const {
  const std::string Name = D->getQualifiedNameAsString();
  if (D->isExternallyVisible() && !D->isStaticLocal())
    return Name == D->getNameAsString() ? std::string() : Name;
  llvm::SmallString<128> USR;
  if (index::generateUSRForDecl(D, USR) || !Options.ForProgram)
    return Name;
  // A file's own.
  const SourceManager &SM = Ctx.getSourceManager();
  const OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID());
  return Main ? (SM.getFileManager().getCanonicalName(*Main) + ":" + USR).str()
              : USR.str().str();
}

bool ModuleLowering::isOwnStruct(QualType T) {
  const RecordDecl *RD = T->getAsRecordDecl();
  return RD && classify(T) == TypeClass::Other && !RD->isLambda() &&
         isOwnCode(RD->getLocation()) &&
         RD->lookup(Ctx.DeclarationNames.getCXXOperatorName(OO_Arrow)).empty();
}

rules::Linkage ModuleLowering::linkageOf(const FunctionDecl *FD) const {
  rules::Linkage Out;
  const auto *MD = dyn_cast<CXXMethodDecl>(FD);
  if (!FD->isExternallyVisible() || (MD && MD->getParent()->isLambda()))
    Out.K = rules::Linkage::Kind::Local;
  else if (FD->isInlined() || FD->isTemplateInstantiation())
    Out.K = rules::Linkage::Kind::Shared;
  llvm::SmallVector<const CXXMethodDecl *, 4> Bases;
  if (MD)
    Bases.append(MD->begin_overridden_methods(), MD->end_overridden_methods());
  for (std::size_t I = 0; I != Bases.size(); ++I) {
    Out.Overrides.push_back(symbolOf(Bases[I]));
    Bases.append(Bases[I]->begin_overridden_methods(),
                 Bases[I]->end_overridden_methods());
  }
  return Out;
}

bool ModuleLowering::mayBeElsewhere(const FunctionDecl *FD) {
  return Options.ForProgram && !FD->isImplicit() && !FD->isDeleted() &&
         !FD->isDefaulted() && !FD->getBuiltinID() &&
         isOwnCode(FD->getLocation());
}

std::string ModuleLowering::requireElsewhere(const FunctionDecl *FD) {
  Entry &E = Entries[FD->getCanonicalDecl()];
  if (!E.F) {
    declare(FD);
    Out.Symbols[E.F->Symbol].Assumed = true;
    FunctionSource Source;
    FactWriter Assumed(*this, FD, *E.F, Source);
    lowerAssumptions(Assumed);
  }
  return E.F->Symbol;
}

void ModuleLowering::declare(const FunctionDecl *FD) {
  Entry &E = Entries[FD->getCanonicalDecl()];
  if (E.F)
    return;
  std::string USR = symbolOf(FD);
  const bool Unnamed = USR.empty() || Out.M.find(USR);
  if (Unnamed)
    USR += "#" + std::to_string(Out.M.Functions.size());
  E.F = &add(FD, USR);
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD))
    noteClass(MD);
  if (Options.ForProgram) {
    rules::Linkage L = linkageOf(FD);
    if (Unnamed)
      L.K = rules::Linkage::Kind::Local;
    Out.Symbols[USR] = std::move(L);
  }
}

Function &ModuleLowering::add(const FunctionDecl *FD, std::string Symbol) {
  auto F = std::make_unique<Function>();
  F->Symbol = std::move(Symbol);
  F->DisplayName = FD->getNameAsString();
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD))
    F->DisplayName =
        MD->getParent()->isLambda()
            ? "lambda"
            : MD->getParent()->getNameAsString() + "::" + FD->getNameAsString();
  F->Mesh = Reader.meshFor(FD).Value;
  F->Mode = Reader.modeOf(FD);
  F->Trusted = Reader.isTrusted(FD);
  F->IsConstructor = isa<CXXConstructorDecl>(FD);
  F->IsKernel = FD->hasAttr<CUDAGlobalAttr>() ||
                (FD->hasAttr<CUDADeviceAttr>() && !FD->hasAttr<CUDAHostAttr>());
  FunctionSource &Source = Out.Sources[F.get()];
  Source.Decl = FD;
  FactWriter Signature(*this, FD, *F, Source);
  lowerSignature(Signature);
  Out.M.Functions.push_back(std::move(F));
  return *Out.M.Functions.back();
}

/// Vectors grow by doubling, and those of a function stay until its program has
/// been analysed. Without exceptions, std::vector::shrink_to_fit does nothing.
template <typename T> static void dropSpareRoom(std::vector<T> &V) {
  if (V.size() != V.capacity())
    V = std::vector<T>(std::make_move_iterator(V.begin()),
                       std::make_move_iterator(V.end()));
}

void ModuleLowering::lowerBody(const FunctionDecl *FD, Function &F) {
  if (F.Trusted)
    return;
  // Lowering declares callees, which may move the sources' map.
  FunctionSource Source = std::move(Out.Sources[&F]);
  lowerFunction(*this, FD, F, Source);
  addVisibleHandles(FD, Source);
  dropSpareRoom(F.Slots);
  dropSpareRoom(F.Places);
  for (Block &B : F.Blocks)
    dropSpareRoom(B.Facts);
  dropSpareRoom(Source.Places);
  Out.Sources[&F] = std::move(Source);
}

const FieldDecl *ModuleLowering::listedModel(const FieldDecl *List) {
  const auto [It, New] = Listed.try_emplace(List);
  if (New)
    It->second = lower::listedModel(List);
  return It->second;
}

std::vector<std::string> ModuleLowering::axesOf(const NamedDecl *D) {
  std::vector<std::string> Said = saidAxesOf(D);
  return Said.empty() ? Given.of(D) : Said;
}

std::vector<std::string> ModuleLowering::saidAxesOf(const NamedDecl *D) {
  if (Annotation<std::vector<std::string>> A = Reader.axesOf(D))
    return *A;
  return D->getIdentifier() ? configuredAxes(D->getName())
                            : std::vector<std::string>();
}

const std::vector<std::string> &ModuleLowering::sizeAxesOf(const NamedDecl *D) {
  const auto [At, New] = SizeAxes.try_emplace(D);
  if (!New)
    return At->second;
  if (Annotation<std::vector<std::string>> A = Reader.sizeOf(D))
    At->second = *A;
  // What the configuration calls an axis, and is a number, counts its ranks.
  else if (D->getIdentifier() && !isa<FunctionDecl>(D))
    At->second = configuredAxes(D->getName());
  return At->second;
}

std::shared_ptr<const MeshSpec> ModuleLowering::otherMesh(const Decl *D,
                                                          const Decl *In) {
  const MeshSpec *There = Reader.meshInForce(D), *Here = Reader.meshInForce(In);
  if (!There || !Here || *There == *Here)
    return nullptr;
  const Annotation<MeshSpec> Mesh = Reader.meshFor(D);
  return Mesh ? Mesh.Value : std::make_shared<const MeshSpec>(ConfiguredMesh);
}

std::vector<std::string>
ModuleLowering::configuredAxes(llvm::StringRef Expression) const {
  return ConfigAxes.lookup(Expression);
}

const OpRule &ModuleLowering::layerRule(llvm::StringRef Name,
                                        unsigned NumOperands) {
  const OpRule *&Rule = LayerRules[Name];
  if (!Rule || Rule->Formals.size() < NumOperands) {
    Out.M.OwnRules.push_back(std::make_unique<OpRule>(
        makeRule(Name, OpClass::Nonlinear, std::max(NumOperands, 3u))));
    Rule = Out.M.OwnRules.back().get();
  }
  return *Rule;
}

const OpRule &ModuleLowering::copyRule(const OpRule *&Rule,
                                       llvm::StringRef Name, OpRoles Roles) {
  if (!Rule) {
    OpRule Copy = ScalarRules::get().Copy;
    if (!Name.empty()) { // what it makes has its name
      Copy.Name = Name.str();
      Copy.Roles = Roles;
    }
    if (const OpRule *Clone = ops().rule("clone"))
      Copy.Shape = Clone->Shape;
    Out.M.OwnRules.push_back(std::make_unique<OpRule>(std::move(Copy)));
    Rule = Out.M.OwnRules.back().get();
  }
  return *Rule;
}

const OpRule &ModuleLowering::elementRule() {
  return copyRule(ElementRule, {});
}

const OpRule &ModuleLowering::drawRule() {
  return copyRule(DrawRule,
                  "initial values from a generator that each "
                  "rank seeds differently",
                  {OpRole::Initialises});
}

const OpRule *ModuleLowering::ownRule(const FunctionDecl *FD) {
  FD = FD->getCanonicalDecl();
  auto [It, New] = OwnRules.try_emplace(FD, nullptr);
  if (!New)
    return It->second;
  const Annotation<OpSpec> Op = Reader.opOf(FD);
  if (!Op)
    return nullptr;
  auto Rule = std::make_unique<OpRule>(
      makeRule(FD->getNameAsString(), Op->Class, FD->getNumParams() + 1));
  // What it draws is no operand: where the engine is the same, or nobody knows,
  // it is what the others make it.
  if (engineParameter(FD)) {
    Rule->Term.Children.pop_back();
    std::string &Text = Rule->TermText; // `nonlinear(self, engine)`
    Text.replace(Text.rfind(','), std::string::npos, ")");
    Rule->Roles = {OpRole::Draws};
  }
  Rule->Shape = shapeRuleOf(*Op);
  OwnRules[FD] = Rule.get();
  Out.M.OwnRules.push_back(std::move(Rule));
  return OwnRules[FD];
}

} // namespace spmd::lint::lower

using namespace spmd::lint;

LoweredModule spmd::lint::lowerTranslationUnit(ASTContext &Ctx,
                                               const Config &Cfg,
                                               const FileMatches &Found,
                                               OwnFiles &Own,
                                               const LoweringOptions &Options) {
  if (!Options.ForProgram &&
      !AnnotationReader::mayBeAnnotated(Ctx, Found.Annotated) &&
      Cfg.Axes.empty())
    return LoweredModule();
  declareClasses(Ctx, Cfg.Types);
  return lower::ModuleLowering(Ctx, Cfg, Found, Own, Options).run();
}
