//===- TypeClass.cpp - What kind of value a C++ type holds ----------------===//

#include "TypeClass.h"

#include "DeclaredClasses.h"
#include "OwnTensor.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

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
  const RecordDecl *RD = T->getAsRecordDecl();
  RD = RD ? RD->getDefinition() : nullptr;
  if (!RD || RD->isUnion() || RD->isLambda() || RD->isInStdNamespace() ||
      classify(T) != TypeClass::Other)
    return false;
  const auto *Class = dyn_cast<CXXRecordDecl>(RD); // none in C
  return !Class || !hasArrow(Class);
}

static bool derivesFrom(QualType T, llvm::StringRef Base) {
  const CXXRecordDecl *RD =
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return false;
  if (qualifiedName(RD) == Base)
    return true;
  return llvm::any_of(RD->bases(), [&](const CXXBaseSpecifier &B) {
    return derivesFrom(B.getType(), Base);
  });
}

bool isModule(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return false;
  if (derivesFrom(T, "torch::nn::Module") ||
      derivesFrom(T, "torch::nn::ModuleHolder") || declaredKind(RD) == "module")
    return true;
  const std::string Name = className(T);
  return Name == "torch::nn::AnyModule" ||
         ((Name == "std::shared_ptr" || Name == "std::unique_ptr") &&
          isModule(elementType(T)));
}

bool isOptimizer(QualType T) {
  return derivesFrom(T, "torch::optim::Optimizer") ||
         declaredKind(T.getNonReferenceType()->getAsCXXRecordDecl()) ==
             "optimizer";
}

bool isNumberIterator(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  const auto *Made = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  const std::string Name = className(T);
  if (Made && llvm::StringRef(Name).contains("iter") &&
      Made->getTemplateArgs().size() &&
      Made->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
    T = Made->getTemplateArgs()[0].getAsType();
    if (llvm::StringRef(Name).contains("_Deque_iterator"))
      return classify(T) == TypeClass::Scalar;
  }
  return T->isPointerType() &&
         classify(T->getPointeeType()) == TypeClass::Scalar;
}

} // namespace spmd::lint
