//===- TypeClass.cpp - What kind of value a C++ type holds ----------------===//

#include "TypeClass.h"

#include "OwnTensor.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace spmd::lint {

TypeClass classify(QualType T) {
  return classifyWith(T,
                      [](const CXXRecordDecl *RD) { return isOwnTensor(RD); });
}

bool isHandle(QualType T) {
  const TypeClass Class = classify(T);
  return Class == TypeClass::Tensor || Class == TypeClass::TensorList ||
         (Class == TypeClass::Buffer &&
          T.getNonReferenceType()->isPointerType());
}

static bool hasArrow(const CXXRecordDecl *RD) {
  for (const CXXMethodDecl *Method : RD->methods())
    if (Method->getOverloadedOperator() == OO_Arrow)
      return true;
  return llvm::any_of(RD->bases(), [](const CXXBaseSpecifier &B) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    return !Base || (Base->hasDefinition() && hasArrow(Base));
  });
}

bool isObject(QualType T) {
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  return RD && RD->hasDefinition() && !RD->isUnion() && !RD->isLambda() &&
         !RD->isInStdNamespace() && classify(T) == TypeClass::Other &&
         !hasArrow(RD->getDefinition());
}

} // namespace spmd::lint
