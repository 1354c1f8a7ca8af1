//===- ApartModules.cpp - Models that share no layer ----------------------===//

#include "ApartModules.h"

#include "apis/DeclaredParameters.h"

#include "cxx/TypeClass.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

/// Modules in modules: a chain of them that is longer may hold anything.
constexpr unsigned MaxNesting = 8;

/// The class of the modules that \p T is, points to or is a list of; null if it
/// is of none.
static const CXXRecordDecl *classIn(QualType T) {
  const CXXRecordDecl *RD = moduleClass(T);
  return RD && isModule(RD->getASTContext().getCanonicalTagType(RD)) ? RD
                                                                     : nullptr;
}

static bool isLibraryClass(const CXXRecordDecl *RD) {
  return llvm::StringRef(qualifiedName(RD)).starts_with("torch::nn::");
}

/// Whether one object may be of both classes.
static bool areRelated(const CXXRecordDecl *A, const CXXRecordDecl *B) {
  return A->getCanonicalDecl() == B->getCanonicalDecl() ||
         A->isDerivedFrom(B) || B->isDerivedFrom(A);
}

/// Whether somebody may hand \p RD what becomes a part of it.
static bool isGivenParts(const CXXRecordDecl *RD) {
  return llvm::any_of(RD->methods(), [](const CXXMethodDecl *Method) {
    const bool Makes = isa<CXXConstructorDecl>(Method);
    return !Method->isImplicit() &&
           llvm::any_of(Method->parameters(), [&](const ParmVarDecl *P) {
             const QualType T = P->getType();
             // `Net &` is no holder: it cannot be registered.
             if (classIn(T))
               return !T->isReferenceType() ||
                      moduleClass(T) !=
                          T.getNonReferenceType()->getAsCXXRecordDecl();
             const TypeClass Class = classify(T);
             return Makes && (Class == TypeClass::Tensor ||
                              Class == TypeClass::TensorList);
           });
  });
}

/// Whether a module of class \p Of may be in one of class \p RD.
static bool mayHold(const CXXRecordDecl *RD, const CXXRecordDecl *Of,
                    unsigned Depth = 0) {
  if (isLibraryClass(RD))
    // A layer holds tensors. What a class fills a container with, it makes;
    // others put anything in.
    return !layerOf(RD) && (!Depth || qualifiedName(RD) == "torch::nn::Module");
  if (Depth > MaxNesting || isGivenParts(RD))
    return true;
  const auto IsIn = [&](QualType T) {
    const CXXRecordDecl *Part = classIn(T);
    return Part && (areRelated(Part, Of) || mayHold(Part, Of, Depth + 1));
  };
  const auto IsInBase = [&](const CXXBaseSpecifier &B) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    return Base && Base->hasDefinition() && !isLibraryClass(Base) &&
           mayHold(Base->getDefinition(), Of, Depth + 1);
  };
  return llvm::any_of(RD->fields(),
                      [&](const FieldDecl *F) { return IsIn(F->getType()); }) ||
         llvm::any_of(RD->bases(), IsInBase);
}

llvm::SmallVector<const ValueDecl *, 4>
apartModules(llvm::ArrayRef<const ValueDecl *> Objects) {
  llvm::SmallVector<std::pair<const ValueDecl *, const CXXRecordDecl *>, 4>
      Modules;
  for (const ValueDecl *D : Objects)
    // A reference is another name of what is seen elsewhere.
    if (const CXXRecordDecl *RD = classIn(D->getType());
        RD &&
        (isa<ParmVarDecl, FieldDecl>(D) || !D->getType()->isReferenceType()))
      Modules.emplace_back(D, RD);
  const auto MayShare = [](const auto &A, const auto &B) {
    if (areRelated(A.second, B.second)) // two variables may be one object
      return A.second != B.second || !isModule(A.first->getType()) ||
             !isModule(B.first->getType()) ||
             !isa<ParmVarDecl, FieldDecl>(A.first) ||
             !isa<ParmVarDecl, FieldDecl>(B.first);
    return mayHold(A.second, B.second) || mayHold(B.second, A.second);
  };
  llvm::SmallVector<const ValueDecl *, 4> Out;
  for (const auto &A : Modules)
    if (llvm::none_of(Modules, [&](const auto &B) {
          return A.first != B.first && MayShare(A, B);
        }))
      Out.push_back(A.first);
  return Out.size() > 1 ? Out : llvm::SmallVector<const ValueDecl *, 4>();
}

} // namespace spmd::lint::lower
