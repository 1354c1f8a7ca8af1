//===- MemberNames.cpp - The members that annotations name ----------------===//

#include "MemberNames.h"

#include "cxx/OwnTensor.h"
#include "cxx/TypeClass.h"

#include "spmd/ops/LayerCatalogue.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

static QualType typeOf(const CXXRecordDecl *RD) {
  return RD->getASTContext().getCanonicalTagType(RD);
}

/// The class that \p RD, a holder of libtorch's or derived from one, is a
/// pointer to.
static const CXXRecordDecl *heldModule(const CXXRecordDecl *RD) {
  if (qualifiedName(RD) == "torch::nn::ModuleHolder")
    return elementType(typeOf(RD))->getAsCXXRecordDecl();
  for (const CXXBaseSpecifier &B : RD->bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
        Base && Base->hasDefinition())
      if (const CXXRecordDecl *Held = heldModule(Base))
        return Held;
  return nullptr;
}

/// The class of the objects whose members an annotation of \p T is about: those
/// that pointers lead to, and that are in lists. Null if that is not known.
static const CXXRecordDecl *objectsOf(QualType T) {
  for (;;) {
    T = T.getNonReferenceType();
    if (!T->isPointerType() && !T->isArrayType() && !isSmartPointer(T) &&
        !isStdClass(T, "vector") && !isStdClass(T, "array"))
      break;
    T = elementType(T);
    if (T.isNull())
      return nullptr;
  }
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition() || RD->isDependentContext())
    return nullptr;
  const CXXRecordDecl *Held = heldModule(RD);
  RD = Held ? Held : RD;
  return RD->hasDefinition() ? RD->getDefinition() : nullptr;
}

/// As users know \p RD, a layer of the library by its holder.
static std::string nameOf(const CXXRecordDecl *RD) {
  const std::string Layer = layerName(typeOf(RD));
  return Layer.empty() ? RD->getNameAsString() : Layer;
}

namespace {

/// Looks for a tensor of one name in an object and in those that it is made of.
class MemberSearch {
public:
  explicit MemberSearch(llvm::StringRef Name) : Name(Name) {}

  bool mayHave(const CXXRecordDecl *RD) {
    RD = RD ? RD->getDefinition() : nullptr;
    if (!RD)
      return true;
    if (!Seen.insert(RD).second)
      return false;
    if (const std::string Of = layerName(typeOf(RD)); !Of.empty()) {
      const rules::LayerRule *Layer = rules::LayerCatalogue::builtin().find(Of);
      return Layer ? Layer->Op.empty() ||
                         llvm::is_contained(Layer->Parameters, Name)
                   : Of != "Module";
    }
    if (!isModule(typeOf(RD)))
      return mayStructHave(RD);
    return llvm::any_of(RD->bases(),
                        [&](const CXXBaseSpecifier &B) {
                          return mayHave(B.getType()->getAsCXXRecordDecl());
                        }) ||
           llvm::any_of(RD->fields(), [&](const FieldDecl *F) {
             return F->getName() == Name || mayMemberHave(F->getType());
           });
  }

private:
  bool mayStructHave(const CXXRecordDecl *RD) {
    // Classes give their tensors names of their own.
    if (!RD->isAggregate() || RD->getNumBases() ||
        llvm::any_of(RD->methods(),
                     [](const CXXMethodDecl *M) { return !M->isImplicit(); }))
      return true;
    return llvm::any_of(RD->fields(), [&](const FieldDecl *F) {
      if (F->getName() == Name)
        return true;
      const QualType T = F->getType();
      const QualType Of = T->isPointerType() ? T->getPointeeType() : T;
      const CXXRecordDecl *In = Of->getAsCXXRecordDecl();
      return In ? mayHave(In) : T->isArrayType() || Of->isPointerType();
    });
  }

  /// Of a module's member: numbers, texts and options have no tensors.
  bool mayMemberHave(QualType T) {
    if (classify(T) != TypeClass::Other)
      return false;
    const CXXRecordDecl *RD = objectsOf(T);
    if (!RD)
      return T->getAsCXXRecordDecl() || T->isDependentType();
    return isModule(typeOf(RD)) || !RD->isInStdNamespace()
               ? mayHave(RD)
               : isa<ClassTemplateSpecializationDecl>(RD);
  }

  const llvm::StringRef Name;
  llvm::SmallPtrSet<const CXXRecordDecl *, 8> Seen;
};

} // namespace

std::string wrongMembers(const rules::TypeAnnotation &A, QualType T) {
  if (T->isDependentType() || isOwnTensor(T))
    return {};
  switch (classifyWith(T, nullptr)) {
  case TypeClass::Tensor:
  case TypeClass::Scalar:
    return A.Members.empty()
               ? ""
               : "a tensor has no member '" + A.Members.front().Name +
                     "': give one type without members";
  case TypeClass::Other:
    break;
  default:
    return {};
  }
  const CXXRecordDecl *RD = objectsOf(T);
  if (!RD || isOptimizer(T))
    return {};
  const rules::LayerRule *Layer =
      rules::LayerCatalogue::builtin().find(layerName(typeOf(RD)));
  if (Layer && !Layer->Op.empty() && Layer->Parameters.empty())
    return "'" + nameOf(RD) + "' has no parameters that could have a type";
  for (const rules::MemberType &M : A.Members)
    if (!MemberSearch(M.Name).mayHave(RD))
      return "'" + nameOf(RD) + "' has no member '" + M.Name +
             "' that could have a type";
  return {};
}

} // namespace spmd::lint
