//===- Names.cpp - Numbers of functions, variables, labels --------------===//

#include "EffectLowering.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

std::optional<unsigned> EffectLowering::functionOf(const FunctionDecl *FD) {
  const FunctionDecl *Def = nullptr;
  if (!FD->hasBody(Def) || Def->isDependentContext() || Def->isInvalidDecl() ||
      !Own.contains(Ctx.getSourceManager(), Def->getLocation()) ||
      Def->hasAttr<CUDAGlobalAttr>())
    return std::nullopt;
  const auto [At, New] = Functions.try_emplace(Def, P.Functions.size());
  if (New) {
    P.Functions.emplace_back();
    P.Functions.back().Name = Def->getQualifiedNameAsString();
    P.Functions.back().At = site(Def->getLocation());
    P.Functions.back().IsMain = Def->isMain();
    Pending.push_back(Def);
  }
  return At->second;
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

} // namespace spmd::lint::effects
