//===- HookingClasses.cpp - Classes that hook gradients -------------------===//

#include "HookingClasses.h"

#include "ReducingCode.h"
#include "Strip.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// Finds `p.register_hook(…)`, of whatever type p is, in code and in what it
/// calls of the program's.
class HookFinder : public RecursiveASTVisitor<HookFinder> {
public:
  bool VisitCallExpr(CallExpr *E) {
    const Expr *Callee = E->getCallee()->IgnoreParens();
    if (const auto *X = dyn_cast<CXXDependentScopeMemberExpr>(Callee))
      note(X->getMember(), E);
    else if (const auto *X = dyn_cast<UnresolvedMemberExpr>(Callee))
      note(X->getMemberName(), E);
    else if (const auto *X = dyn_cast<MemberExpr>(Callee))
      note(X->getMemberDecl()->getDeclName(), E);
    if (const FunctionDecl *FD = E->getDirectCallee(); FD && !Found)
      enter(FD);
    return !Found;
  }
  void enter(const FunctionDecl *FD) {
    const FunctionDecl *Body = FD->getDefinition();
    if (Body && Seen.insert(Body).second &&
        !FD->getASTContext().getSourceManager().isInSystemHeader(
            Body->getLocation()))
      TraverseDecl(const_cast<FunctionDecl *>(Body));
  }

  bool Found = false;

private:
  void note(DeclarationName Name, const CallExpr *E) {
    if (!Name.isIdentifier())
      return;
    const llvm::StringRef Is = Name.getAsIdentifierInfo()->getName();
    if (Is != "register_hook" && Is != "add_post_hook")
      return;
    const auto *Runs = E->getNumArgs() == 1
                           ? dyn_cast<LambdaExpr>(handedOver(E->getArg(0)))
                           : nullptr;
    Found |= !Runs || mayReduce(Runs->getBody());
  }

  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
};

} // namespace

/// The class of what \p T refers to, points to or holds as a module; null if it
/// is none, or a library's.
static const CXXRecordDecl *ownClass(QualType T) {
  constexpr unsigned MostNested = 4;
  for (unsigned I = 0; I != MostNested; ++I) {
    T = T.getNonReferenceType();
    const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
    if (RD && RD->hasDefinition())
      for (const CXXBaseSpecifier &B : RD->bases())
        if (className(B.getType()) == "torch::nn::ModuleHolder")
          T = B.getType();
    if (!T->isPointerType() && !isSmartPointer(T) &&
        className(T) != "torch::nn::ModuleHolder")
      break;
    T = elementType(T);
    if (T.isNull())
      return nullptr;
  }
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  return RD && RD->hasDefinition() && !RD->isInStdNamespace() ? RD : nullptr;
}

static bool isOfHookingClass(QualType T) {
  const CXXRecordDecl *RD = ownClass(T);
  if (!RD)
    return false;
  if (const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(RD))
    RD = Of->getSpecializedTemplate()->getTemplatedDecl()->getDefinition();
  HookFinder Finder;
  if (RD)
    for (const CXXMethodDecl *Method : RD->methods())
      if (!Finder.Found)
        Finder.enter(Method);
  return Finder.Found;
}

void hookGivenObjects(FactWriter &L) {
  L.enter(BlockId(0));
  const auto Hook = [&](SlotId S) {
    L.emit(HavocFact{S, /*Rebinds=*/true, PlaceId::None, /*Gradients=*/true});
  };
  for (const ParmVarDecl *P : L.function()->parameters())
    if (isOfHookingClass(P->getType()))
      Hook(SlotId(P->getFunctionScopeIndex()));
  const auto *Method = dyn_cast<CXXMethodDecl>(L.function());
  if (!Method || L.ir().ThisSlot == SlotId::None ||
      isa<CXXConstructorDecl>(Method))
    return;
  const auto IsHooking = [](const FieldDecl *Field) {
    return isOfHookingClass(Field->getType());
  };
  if (llvm::any_of(Method->getParent()->fields(), IsHooking))
    Hook(L.ir().ThisSlot);
}

} // namespace spmd::lint::lower
