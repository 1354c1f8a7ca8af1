//===- OverriddenSteps.cpp - Steps of optimizers of the program's ---------===//

#include "OverriddenSteps.h"

#include "../LowerCall.h"
#include "../ReducingCode.h"

#include "cxx/KnownTypes.h"
#include "cxx/LibraryNames.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

/// What the optimizer is, or derives from: not only where its step is declared.
static const CXXRecordDecl *statedClass(const CallSite &C) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(C.Call);
  if (!Call)
    return nullptr;
  const QualType T =
      Call->getImplicitObjectArgument()->IgnoreParenImpCasts()->getType();
  const CXXRecordDecl *RD = T->isPointerType() ? T->getPointeeCXXRecordDecl()
                                               : T->getAsCXXRecordDecl();
  return RD && RD->hasDefinition() ? RD : nullptr;
}

bool mayReduceFirst(ExprLowering &L, const CallSite &C) {
  const auto *Step = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  const CXXRecordDecl *Class = statedClass(C);
  if (!Step || !Class || !Step->isVirtual() || !isVirtualCall(C.Call))
    return false;
  return llvm::any_of(L.module().familyOf(Class), [&](const CXXRecordDecl *RD) {
    const CXXMethodDecl *Of = Step->getCorrespondingMethodInClass(RD);
    if (!Of || Of->getCanonicalDecl() == Step->getCanonicalDecl() ||
        isOfLibrary(qualifiedName(Of)))
      return false;
    const FunctionDecl *Body = Of->getDefinition();
    return !Body || mayReduce(Body->getBody());
  });
}

} // namespace spmd::lint::lower
