//===- Constructors.cpp - What make_unique and its like call ------------===//

#include "Constructors.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace spmd::lint {

/// Whether \p RD has constructors that it does not declare one by one.
static bool hasOtherConstructors(const CXXRecordDecl *RD) {
  return llvm::any_of(RD->decls(), [](const Decl *D) {
    const auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    return isa<ConstructorUsingShadowDecl>(D) ||
           (Template && isa<CXXConstructorDecl>(Template->getTemplatedDecl()));
  });
}

/// Whether the only one of \p Arguments is such an object, which is copied.
static bool copies(const CXXRecordDecl *RD,
                   llvm::ArrayRef<const Expr *> Arguments) {
  const CXXRecordDecl *Of =
      Arguments.size() == 1
          ? Arguments[0]->getType().getNonReferenceType()->getAsCXXRecordDecl()
          : nullptr;
  return Of && Of->hasDefinition() &&
         (declaresSameEntity(Of, RD) || Of->isDerivedFrom(RD));
}

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
  llvm::SmallVector<const CXXConstructorDecl *, 2> TakingAsMany;
  RD = RD->getDefinition();
  for (const CXXConstructorDecl *Ctor : RD->ctors()) {
    if (Ctor->isDeleted() || Ctor->isCopyOrMoveConstructor() ||
        Arguments.size() < Ctor->getMinRequiredArguments() ||
        Arguments.size() > Ctor->getNumParams())
      continue;
    TakingAsMany.push_back(Ctor);
    bool Fits = true;
    for (std::size_t I = 0; I != Arguments.size(); ++I)
      Fits &= Takes(Ctor->getParamDecl(I)->getType(), Arguments[I]);
    if (Fits && Found)
      return nullptr;
    if (Fits)
      Found = Ctor;
  }
  // What compiles converts its arguments for the only one that takes as many.
  if (!Found && TakingAsMany.size() == 1 && !hasOtherConstructors(RD) &&
      !copies(RD, Arguments))
    return TakingAsMany.front();
  return Found;
}

} // namespace spmd::lint
