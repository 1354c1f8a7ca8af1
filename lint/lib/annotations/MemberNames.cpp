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
    llvm::StringRef Qualified(Text = qualifiedName(RD));
    if (Qualified == "torch::nn::Module")
      return false;
    if (Qualified.consume_front("torch::nn::")) {
      Qualified.consume_back("Impl");
      const rules::LayerRule *Layer =
          rules::LayerCatalogue::builtin().find(Qualified);
      return !Layer || Layer->Op.empty() ||
             llvm::is_contained(Layer->Parameters, Name);
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
  std::string Text;
  llvm::SmallPtrSet<const CXXRecordDecl *, 8> Seen;
};

} // namespace

std::string wrongMembers(const rules::TypeAnnotation &A, QualType T) {
  if (A.Members.empty() || T->isDependentType() || isOwnTensor(T))
    return {};
  switch (classifyWith(T, nullptr)) {
  case TypeClass::Tensor:
  case TypeClass::Scalar:
    return "a tensor has no member '" + A.Members.front().Name +
           "': give one type without members";
  case TypeClass::Other:
    break;
  default:
    return {};
  }
  const CXXRecordDecl *RD = objectsOf(T);
  if (!RD || isOptimizer(T))
    return {};
  // As users know the library's layers.
  const std::string Written = RD->getNameAsString();
  llvm::StringRef Name(Written);
  if (llvm::StringRef(qualifiedName(RD)).starts_with("torch::nn::"))
    Name.consume_back("Impl");
  for (const rules::MemberType &M : A.Members)
    if (!MemberSearch(M.Name).mayHave(RD))
      return ("'" + Name + "' has no member '" + M.Name +
              "' that could have a type")
          .str();
  return {};
}

} // namespace spmd::lint
