//===- FindAttribute.cpp - The annotation in force for a declaration ------===//

#include "FindAttribute.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

namespace {

using DeclList = llvm::SmallVector<const Decl *, 2>;

const FunctionDecl *functionOf(const ParmVarDecl *P) {
  return dyn_cast_or_null<FunctionDecl>(P->getDeclContext());
}

/// The redeclarations of \p D, first one first. A parameter has those of its
/// function.
DeclList redeclarations(const Decl *D) {
  DeclList Out;
  const auto *P = dyn_cast<ParmVarDecl>(D);
  if (const FunctionDecl *F = P ? functionOf(P) : nullptr) {
    const unsigned Index = P->getFunctionScopeIndex();
    for (const Decl *R : redeclarations(F)) {
      const auto *Function = cast<FunctionDecl>(R);
      if (Index < Function->getNumParams())
        Out.push_back(Function->getParamDecl(Index));
    }
    // A parameter of a declarator inside the function's own is not among them.
    if (!llvm::is_contained(Out, D))
      return {D};
    return Out;
  }
  for (const Decl *R = D->getMostRecentDecl(); R; R = R->getPreviousDecl())
    Out.push_back(R);
  std::reverse(Out.begin(), Out.end());
  return Out;
}

/// What an instantiation is made from; null for everything else. An explicit
/// specialisation speaks for itself.
const Decl *patternOf(const Decl *D) {
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    return F->getTemplateInstantiationPattern();
  if (const auto *P = dyn_cast<ParmVarDecl>(D)) {
    const FunctionDecl *F = functionOf(P);
    const FunctionDecl *Pattern =
        F ? F->getTemplateInstantiationPattern() : nullptr;
    // Behind a parameter pack the numbers do not agree.
    if (!Pattern || Pattern->getNumParams() != F->getNumParams() ||
        P->getFunctionScopeIndex() >= Pattern->getNumParams())
      return nullptr;
    return Pattern->getParamDecl(P->getFunctionScopeIndex());
  }
  if (const auto *V = dyn_cast<VarDecl>(D))
    return V->getTemplateInstantiationPattern();
  if (const auto *R = dyn_cast<CXXRecordDecl>(D))
    return R->getTemplateInstantiationPattern();
  return nullptr;
}

} // namespace

llvm::SmallVector<const Decl *, 2> overridden(const Decl *D) {
  DeclList Out;
  if (const auto *M = dyn_cast<CXXMethodDecl>(D))
    llvm::append_range(Out, M->overridden_methods());
  const auto *P = dyn_cast<ParmVarDecl>(D);
  if (const auto *M =
          P ? dyn_cast_or_null<CXXMethodDecl>(functionOf(P)) : nullptr)
    for (const CXXMethodDecl *Base : M->overridden_methods())
      if (P->getFunctionScopeIndex() < Base->getNumParams())
        Out.push_back(Base->getParamDecl(P->getFunctionScopeIndex()));
  return Out;
}

const AnnotateAttr *findAttribute(const Decl *D, llvm::StringRef Name) {
  if (!D)
    return nullptr;
  for (const Decl *R : redeclarations(D))
    if (R->hasAttrs())
      for (const auto *A : R->specific_attrs<AnnotateAttr>())
        if (A->getAnnotation() == Name)
          return A;
  for (const Decl *Base : overridden(D))
    if (const AnnotateAttr *A = findAttribute(Base, Name))
      return A;
  // A constexpr variable of a template may be its own pattern.
  const Decl *Pattern = patternOf(D);
  return Pattern == D ? nullptr : findAttribute(Pattern, Name);
}

/// A name stands for its alias; what `auto` deduced was not spelled.
const TypedefNameDecl *annotatedAlias(QualType T, const ASTContext &Ctx) {
  while (!T.isNull() && !isa<DeducedType>(T)) {
    const TypedefNameDecl *Alias = nullptr;
    if (const auto *Name = dyn_cast<TypedefType>(T))
      Alias = Name->getDecl();
    else if (const auto *Spec = dyn_cast<TemplateSpecializationType>(T))
      if (const auto *Template = dyn_cast_or_null<TypeAliasTemplateDecl>(
              Spec->getTemplateName().getAsTemplateDecl()))
        Alias = Template->getTemplatedDecl();
    if (Alias && findAttribute(Alias, "spmd::type"))
      return Alias;
    if (isa<ReferenceType, PointerType>(T)) {
      T = T->getPointeeType();
      continue;
    }
    const QualType Next = T.getSingleStepDesugaredType(Ctx);
    if (Next == T)
      break;
    T = Next;
  }
  return nullptr;
}

const StringLiteral *stringArgument(const AnnotateAttr *A, unsigned Index) {
  if (Index >= A->args_size())
    return nullptr;
  const Expr *E = *(A->args_begin() + Index);
  if (const auto *C = dyn_cast<ConstantExpr>(E))
    E = C->getSubExpr();
  const auto *Literal = dyn_cast<StringLiteral>(E->IgnoreParenImpCasts());
  return Literal && Literal->getCharByteWidth() == 1 ? Literal : nullptr;
}

} // namespace spmd::lint
