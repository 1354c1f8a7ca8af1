//===- Names.cpp - Numbers of functions, variables, labels --------------===//

#include "Names.h"

#include "cxx/KnownTypes.h"
#include "cxx/LinkNames.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

/// What another file may define, of the user's code.
bool Names::mayBeElsewhere(const FunctionDecl *FD) {
  return ForProgram && FD->isExternallyVisible() && !FD->isImplicit() &&
         !FD->isDeleted() && !FD->isDefaulted() && !FD->getBuiltinID() &&
         !FD->isNoReturn() && !FD->isDependentContext() &&
         Own.contains(Ctx.getSourceManager(), FD->getLocation());
}

/// What the others of a program, and those who look for roots, ask of it.
void Names::describe(const FunctionDecl *FD, collectives::Function &F) const {
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  const bool IsClosure = Method && Method->getParent()->isLambda();
  F.IsMain = FD->isMain();
  // What a constructor begins, others end; a closure is nothing by itself.
  F.MayBePart = !IsClosure && !isa<CXXDestructorDecl>(FD);
  F.MayBeRoot = F.MayBePart && !isa<CXXConstructorDecl>(FD);
  if (!ForProgram || !FD->isExternallyVisible() || IsClosure || F.IsMain)
    return;
  F.Symbol = usrOf(FD) + homeOf(FD);
  F.IsShared = FD->isInlined() || FD->isTemplateInstantiation();
}

/// An assignment that the compiler writes: it copies the object.
static bool copiesObject(const FunctionDecl *FD) {
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  return Method && Method->isDefaulted() &&
         (Method->isCopyAssignmentOperator() ||
          Method->isMoveAssignmentOperator());
}

std::optional<unsigned> Names::functionOf(const FunctionDecl *FD) {
  const FunctionDecl *Def = nullptr;
  if (copiesObject(FD))
    return std::nullopt;
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
    P.Functions.back().At = Out.site(Def->getLocation());
    describe(Def, P.Functions.back());
    All.push_back(Def);
  }
  return At->second;
}

bool isByReference(const VarDecl *D) {
  return D->getType()->isReferenceType() ||
         (isa<ParmVarDecl>(D) && D->getType()->isRecordType());
}

const Expr *Names::variable(const VarDecl *D) {
  D = D->getCanonicalDecl();
  const auto [At, New] = Variables.try_emplace(D, 0);
  if (!New)
    return P.variable(At->second);
  Variable V;
  V.Name = D->getNameAsString();
  V.IsGlobal = D->hasGlobalStorage();
  V.IsElsewhere = V.IsGlobal && !D->isStaticLocal() &&
                  D->hasDefinition() == VarDecl::DeclarationOnly;
  V.IsConstant = D->getType().isConstQualified() || D->isConstexpr();
  V.IsObject = D->getType()->isRecordType() && Ctx.getLangOpts().CPlusPlus;
  V.IsContainer = isStdClass(D->getType(), "vector");
  if (ForProgram && V.IsGlobal && D->isExternallyVisible() &&
      !D->isStaticLocal() &&
      Own.contains(Ctx.getSourceManager(), D->getLocation()))
    V.Symbol = D->getQualifiedNameAsString();
  const unsigned Number = P.addVariable(std::move(V));
  At->second = Number;
  const VarDecl *Def =
      D->hasGlobalStorage() ? D->getInitializingDeclaration() : nullptr;
  const clang::Expr *Init = Def ? Def->getInit() : nullptr;
  if (Init && !Init->isValueDependent() && Def->getType()->isScalarType())
    Out.apart([&] {
      P.Initial.push_back(
          Out.assignment(P.variable(Number), Exprs.value(Init)));
    });
  return P.variable(Number);
}

const Expr *Names::self() {
  const DeclContext *In = Current;
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
  return P.variable(At->second);
}

unsigned Names::label(const LabelDecl *L) {
  return Labels.try_emplace(L, Labels.size() + 1).first->second;
}

} // namespace spmd::lint::effects
