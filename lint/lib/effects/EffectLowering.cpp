//===- EffectLowering.cpp - From the AST to an effect program: functions --===//

#include "EffectLowering.h"

#include "Setups.h"
#include "cxx/KnownTypes.h"
#include "cxx/LinkNames.h"

#include "spmd/collectives/Link.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const EffectProgram &EffectLowering::run(const FileMatches &File) {
  for (const FunctionDecl *FD : File.Bodies) {
    const auto *MD = dyn_cast<CXXMethodDecl>(FD);
    // A closure is lowered where it is called or handed on.
    if (MD && MD->getParent()->isLambda())
      continue;
    functionOf(FD);
    if (MD)
      noteOverridden(MD, MD);
  }
  // Lowering one finds more: inline functions of other headers.
  for (std::size_t I = 0; I != Pending.size(); ++I)
    lowerBody(Pending[I]);
  const CallGraph Calls(P);
  P.Roots = findRoots(P, Calls);
  for (const Setup &S :
       findSetups({Pending, Calls.Callees}, P.Roots, *Cfg.Apis))
    addRoot(S);
  return P;
}

/// What another file may define, of the user's code.
bool EffectLowering::mayBeElsewhere(const FunctionDecl *FD) {
  return ForProgram && FD->isExternallyVisible() && !FD->isImplicit() &&
         !FD->isDeleted() && !FD->isDefaulted() && !FD->getBuiltinID() &&
         !FD->isNoReturn() && !FD->isDependentContext() &&
         Own.contains(Ctx.getSourceManager(), FD->getLocation());
}

std::optional<unsigned> EffectLowering::functionOf(const FunctionDecl *FD) {
  const FunctionDecl *Def = nullptr;
  const bool HasBody = FD->hasBody(Def);
  if (!HasBody)
    Def = FD->getCanonicalDecl();
  if ((!HasBody && !mayBeElsewhere(FD)) || Def->isDependentContext() ||
      Def->isInvalidDecl() ||
      !Own.contains(Ctx.getSourceManager(), Def->getLocation()) ||
      Def->hasAttr<CUDAGlobalAttr>())
    return std::nullopt;
  const auto [At, New] = Functions.try_emplace(Def, P.Functions.size());
  if (New) {
    P.Functions.emplace_back();
    P.Functions.back().Name = Def->getQualifiedNameAsString();
    P.Functions.back().At = site(Def->getLocation());
    describe(Def, P.Functions.back());
    Pending.push_back(Def);
  }
  return At->second;
}

/// What the others of a program, and those who look for roots, ask of it.
void EffectLowering::describe(const FunctionDecl *FD,
                              collectives::Function &F) const {
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  const bool IsClosure = Method && Method->getParent()->isLambda();
  F.IsMain = FD->isMain();
  // What a constructor begins, others end; a closure is nothing by itself.
  F.MayBeRoot = !IsClosure && !isa<CXXConstructorDecl, CXXDestructorDecl>(FD);
  if (!ForProgram || !FD->isExternallyVisible() || IsClosure || F.IsMain)
    return;
  F.Symbol = usrOf(FD) + homeOf(FD);
  F.IsShared = FD->isInlined() || FD->isTemplateInstantiation();
}

void EffectLowering::lowerBody(const FunctionDecl *FD) {
  if (!FD->hasBody())
    return;
  Current = FD;
  std::vector<unsigned> Parameters;
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  if (Method && Method->isInstance() && !Method->getParent()->isLambda())
    Parameters.push_back(thisOf(FD));
  for (const ParmVarDecl *D : FD->parameters()) {
    Parameters.push_back(variableOf(D));
    P.Variables[Parameters.back()].IsInput = FD->isMain();
  }
  Out.clear();
  Open.reset();
  Scoped.clear();
  InLoop = 0;
  if (const auto *D = dyn_cast<CXXConstructorDecl>(FD))
    lowerInitialisers(D);
  for (const ParmVarDecl *D : FD->parameters())
    varyIfDeclared(D);
  lower(FD->getBody());
  flush();
  collectives::Function &F = P.Functions[Functions[FD]];
  F.Parameters = std::move(Parameters);
  F.Body = sequence(std::move(Out));
  Out.clear();
}

void EffectLowering::lowerInitialisers(const CXXConstructorDecl *D) {
  const Expr *Object = target(P.load(P.variable(thisOf(D))));
  for (const CXXCtorInitializer *I : D->inits())
    if (const FieldDecl *Field = I->getAnyMember())
      initialise(field(Object, Field->getName()), I->getInit());
    else if (I->isBaseInitializer())
      initialise(Object, I->getInit());
}

bool EffectLowering::isByReference(const VarDecl *D) {
  return D->getType()->isReferenceType() ||
         (isa<ParmVarDecl>(D) && D->getType()->isRecordType());
}

unsigned EffectLowering::variableOf(const VarDecl *D) {
  D = D->getCanonicalDecl();
  const auto [At, New] = Variables.try_emplace(D, 0);
  if (!New)
    return At->second;
  Variable V;
  V.Name = D->getNameAsString();
  V.IsGlobal = D->hasGlobalStorage();
  V.IsConstant = D->getType().isConstQualified() || D->isConstexpr();
  V.IsObject = D->getType()->isRecordType() && Ctx.getLangOpts().CPlusPlus;
  V.IsContainer = isVector(D->getType());
  if (ForProgram && V.IsGlobal && D->isExternallyVisible() &&
      !D->isStaticLocal() &&
      Own.contains(Ctx.getSourceManager(), D->getLocation()))
    V.Symbol = D->getQualifiedNameAsString();
  const unsigned Number = P.addVariable(std::move(V));
  At->second = Number;
  const VarDecl *Def =
      D->hasGlobalStorage() ? D->getInitializingDeclaration() : nullptr;
  const clang::Expr *Init = Def ? Def->getInit() : nullptr;
  if (Init && !Init->isValueDependent() && Def->getType()->isScalarType()) {
    std::vector<const Stmt *> Around = std::exchange(Out, {});
    std::optional<Stmt> Last = std::exchange(Open, std::nullopt);
    P.Initial.push_back(assignment(P.variable(Number), value(Init)));
    Out = std::move(Around);
    Open = std::move(Last);
  }
  return Number;
}

unsigned EffectLowering::thisOf(const DeclContext *In) {
  // In a closure it is that of the method around it.
  for (; In; In = In->getParent())
    if (const auto *MD = dyn_cast<CXXMethodDecl>(In);
        MD && !MD->getParent()->isLambda())
      break;
  const auto [At, New] = This.try_emplace(In, 0);
  if (New) {
    Variable V;
    V.Name = "this";
    At->second = P.addVariable(std::move(V));
  }
  return At->second;
}

Site EffectLowering::site(SourceLocation Loc) {
  Places.push_back(Loc);
  const SourceManager &SM = Ctx.getSourceManager();
  return {static_cast<unsigned>(Places.size() - 1),
          SM.getExpansionLineNumber(Loc)};
}

/// A function that calls what sets up, and then the one that reads it.
void EffectLowering::addRoot(const Setup &S) {
  const std::vector<const Stmt *> Around = std::exchange(Out, {});
  llvm::DenseMap<const RecordDecl *, const Expr *> Objects;
  const auto ObjectOf = [&](const RecordDecl *RD) {
    const Expr *&Known = Objects[cast<RecordDecl>(RD->getCanonicalDecl())];
    return Known ? Known : Known = temporary();
  };
  const auto Call = [&](unsigned I) {
    const FunctionDecl *FD = Pending[I];
    std::vector<const Expr *> Arguments;
    if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && MD->isInstance())
      Arguments.push_back(P.address(ObjectOf(MD->getParent())));
    for (const ParmVarDecl *D : FD->parameters()) {
      const RecordDecl *RD = recordOf(D->getType());
      if (RD || isByReference(D))
        Arguments.push_back(P.address(RD ? ObjectOf(RD) : temporary()));
      else
        Arguments.push_back(P.load(temporary()));
    }
    const Expr *Result = temporary();
    Stmt &New = emit(Kind::Call, FD->getLocation());
    New.Value = function(I);
    New.Arguments = std::move(Arguments);
    New.Target = Result;
  };
  llvm::for_each(S.Before, Call);
  for (const ValueDecl *D : S.Unknown)
    if (const auto *VD = dyn_cast<VarDecl>(D))
      forget(P.variable(variableOf(VD)), D->getLocation());
    else
      forget(field(ObjectOf(cast<FieldDecl>(D)->getParent()), D->getName()),
             D->getLocation());
  Call(S.Of);
  flush();
  P.Roots.push_back(P.Functions.size());
  P.Functions.emplace_back();
  P.Functions.back().RunsFor = S.Of;
  P.Functions.back().Name = P.Functions[S.Of].Name;
  P.Functions.back().At = P.Functions[S.Of].At;
  P.Functions.back().Body = sequence(std::exchange(Out, Around));
}

} // namespace spmd::lint::effects
