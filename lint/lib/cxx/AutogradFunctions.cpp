//===- AutogradFunctions.cpp - torch::autograd::Function ------------------===//

#include "AutogradFunctions.h"

#include "KnownTypes.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace spmd::lint {

static constexpr llvm::StringLiteral Base = "torch::autograd::Function";

static const CXXMethodDecl *passOf(const CXXRecordDecl *RD,
                                   llvm::StringRef Name) {
  for (const CXXMethodDecl *MD : RD->methods())
    if (MD->getIdentifier() && MD->getName() == Name && MD->isStatic())
      return MD;
  return nullptr;
}

std::optional<AutogradPasses> autogradPasses(const FunctionDecl *Apply) {
  const auto *MD = dyn_cast_or_null<CXXMethodDecl>(Apply);
  const auto *In =
      MD ? dyn_cast<ClassTemplateSpecializationDecl>(MD->getParent()) : nullptr;
  if (!In || !MD->getIdentifier() || MD->getName() != "apply" ||
      qualifiedName(In) != Base || In->getTemplateArgs().size() == 0 ||
      In->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return std::nullopt;
  const CXXRecordDecl *RD =
      In->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return std::nullopt;
  RD = RD->getDefinition();
  AutogradPasses Out{passOf(RD, "forward"), passOf(RD, "backward")};
  return Out.Forward ? std::optional(Out) : std::nullopt;
}

bool isAutogradPass(const FunctionDecl *FD, llvm::StringRef Name) {
  const auto *MD = dyn_cast_or_null<CXXMethodDecl>(FD);
  if (!MD || !MD->isStatic() || !MD->getIdentifier() || MD->getName() != Name ||
      !MD->getParent()->hasDefinition())
    return false;
  for (const CXXBaseSpecifier &B : MD->getParent()->bases())
    if (const CXXRecordDecl *RD = B.getType()->getAsCXXRecordDecl())
      if (qualifiedName(RD) == Base)
        return true;
  return false;
}

bool isSavedVariables(const Expr *E) {
  const auto *Call =
      E ? dyn_cast<CXXMemberCallExpr>(E->IgnoreImplicit()) : nullptr;
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  return Method && Method->getIdentifier() &&
         Method->getName() == "get_saved_variables" &&
         qualifiedName(Method->getParent()) == AutogradContextName;
}

} // namespace spmd::lint
