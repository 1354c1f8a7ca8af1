//===- Constructors.cpp - What make_unique and its like call ------------===//

#include "Constructors.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace spmd::lint {

const CXXConstructorDecl *
constructorFor(QualType Made, llvm::ArrayRef<const Expr *> Arguments) {
  const CXXRecordDecl *RD =
      Made.isNull() ? nullptr : Made->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return nullptr;
  const auto Takes = [](QualType Parameter, const Expr *A) {
    const QualType P = Parameter.getNonReferenceType().getCanonicalType(),
                   T = A->getType().getNonReferenceType().getCanonicalType();
    return P.getUnqualifiedType() == T.getUnqualifiedType() ||
           (P->isArithmeticType() && T->isArithmeticType());
  };
  const CXXConstructorDecl *Found = nullptr;
  for (const CXXConstructorDecl *Ctor : RD->getDefinition()->ctors()) {
    if (Ctor->isDeleted() || Ctor->isCopyOrMoveConstructor() ||
        Arguments.size() < Ctor->getMinRequiredArguments() ||
        Arguments.size() > Ctor->getNumParams())
      continue;
    bool Fits = true;
    for (std::size_t I = 0; I != Arguments.size(); ++I)
      Fits &= Takes(Ctor->getParamDecl(I)->getType(), Arguments[I]);
    if (Fits && Found)
      return nullptr;
    if (Fits)
      Found = Ctor;
  }
  return Found;
}

} // namespace spmd::lint
