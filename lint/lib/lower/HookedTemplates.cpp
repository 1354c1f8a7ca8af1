//===- HookedTemplates.cpp - Class templates that hook gradients ----------===//

#include "HookedTemplates.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// Finds `p.register_hook(…)`, of whatever type p is.
class HookFinder : public RecursiveASTVisitor<HookFinder> {
public:
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr *E) {
    return note(E->getMember());
  }
  bool VisitUnresolvedMemberExpr(UnresolvedMemberExpr *E) {
    return note(E->getMemberName());
  }
  bool VisitMemberExpr(MemberExpr *E) {
    return note(E->getMemberDecl()->getDeclName());
  }

  bool Found = false;

private:
  bool note(DeclarationName Name) {
    Found |= Name.isIdentifier() &&
             Name.getAsIdentifierInfo()->getName() == "register_hook";
    return !Found;
  }
};

} // namespace

static bool isOfHookingTemplate(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!Of || Of->isInStdNamespace())
    return false;
  HookFinder Finder;
  for (const CXXMethodDecl *Method :
       Of->getSpecializedTemplate()->getTemplatedDecl()->methods())
    if (const FunctionDecl *Body = Method->getDefinition();
        Body && !Finder.Found)
      Finder.TraverseStmt(Body->getBody());
  return Finder.Found;
}

void hookParameters(FactWriter &L) {
  L.enter(BlockId(0));
  for (const ParmVarDecl *P : L.function()->parameters())
    if (isOfHookingTemplate(P->getType()))
      L.emit(HavocFact{SlotId(P->getFunctionScopeIndex()), /*Rebinds=*/true,
                       PlaceId::None, /*Gradients=*/true});
}

} // namespace spmd::lint::lower
