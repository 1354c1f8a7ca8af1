//===- OwnTensor.cpp - Tensor classes of the user's -----------------------===//

#include "OwnTensor.h"

#include "DeclaredClasses.h"
#include "KnownTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint {

/// Numbers that may have a gradient, or memory that nobody says more of.
static bool isData(QualType T) {
  const std::string Name = className(T);
  return T->isRealFloatingType() || T->isVoidType() || T->isStdByteType() ||
         Name == "__half" || Name == "__nv_bfloat16" || Name == "c10::Half" ||
         Name == "c10::BFloat16";
}

static bool isDataPointer(QualType T) {
  return T->isPointerType() && isData(T->getPointeeType());
}

static bool isDataField(const FieldDecl *F) {
  if (classifyWith(F->getType(), nullptr) != TypeClass::Buffer)
    return false;
  QualType Element = elementType(F->getType());
  // What std::unique_ptr<float[]> has is numbers, too.
  if (!Element.isNull() && Element->isIncompleteArrayType())
    Element = elementType(Element);
  return !Element.isNull() && isData(Element);
}

static bool isGradient(const NamedDecl *D) {
  return D->getDeclName().isIdentifier() && D->getName().starts_with("grad");
}

/// A method that gives a pointer to numbers, whatever it is called.
static bool givesData(const CXXMethodDecl *M) {
  return !M->isStatic() && M->getMinRequiredArguments() == 0 &&
         M->getAccess() == AS_public && isDataPointer(M->getReturnType());
}

/// Whether \p M changes nothing, as far as one sees, and returns what there is.
static bool onlyReturns(const CXXMethodDecl *M) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(M->getBody());
  return M->isConst() ||
         (Body && Body->size() == 1 && isa<ReturnStmt>(Body->body_front()));
}

/// Of a class with one buffer, the one method that gives a pointer to numbers,
/// overloads of it aside. Several may give parts of the buffer.
static bool isOnlyAccessor(const CXXMethodDecl *M) {
  const CXXRecordDecl *RD = M->getParent();
  return M->getDeclName().isIdentifier() && !isGradient(M) && onlyReturns(M) &&
         llvm::count_if(RD->fields(),
                        [](const FieldDecl *F) {
                          return isDataField(F) && !isGradient(F);
                        }) == 1 &&
         llvm::all_of(RD->methods(), [&](const CXXMethodDecl *Other) {
           return !givesData(Other) || isGradient(Other) ||
                  Other->getDeclName() == M->getDeclName();
         });
}

/// `float *data()`.
static bool isAccessor(const CXXMethodDecl *M) {
  if (!givesData(M))
    return false;
  if (isa<CXXConversionDecl>(M))
    return true;
  return M->getDeclName().isIdentifier() &&
         (llvm::StringSwitch<bool>(M->getName())
              .Cases({"data", "get", "ptr", "raw", "buffer", "device", "begin"},
                     true)
              .Cases({"data_ptr", "dataPtr", "device_ptr", "devicePtr",
                      "device_data", "raw_ptr", "mutable_data", "mutable_ptr"},
                     true)
              .Default(false) ||
          isOnlyAccessor(M));
}

static bool isDescribed(const Decl *D) {
  return llvm::any_of(D->specific_attrs<AnnotateAttr>(),
                      [](const AnnotateAttr *A) {
                        return A->getAnnotation().starts_with("spmd::") &&
                               A->getAnnotation() != "spmd::op";
                      });
}

static bool isNamedLikeOne(const CXXRecordDecl *RD) {
  const std::string Name = RD->getNameAsString();
  const llvm::StringRef N(Name);
  for (const char *Word :
       {"tensor", "buf", "array", "matrix", "vector", "storage"})
    if (N.contains_insensitive(Word))
      return true;
  return false;
}

/// Whether \p RD, a class of the user's, has buffers.
static bool hasData(const CXXRecordDecl *RD) {
  RD = RD ? RD->getDefinition() : nullptr;
  return RD && !RD->isInStdNamespace() && !RD->isDependentContext() &&
         llvm::any_of(RD->fields(), isDataField);
}

bool isOwnTensor(const CXXRecordDecl *RD) {
  RD = RD ? RD->getDefinition() : nullptr;
  if (const llvm::StringRef Kind = declaredKind(RD); !Kind.empty())
    return Kind == "tensor";
  if (!RD || RD->isUnion() || RD->isLambda() || RD->isDependentContext() ||
      RD->isInStdNamespace() || RD->isInvalidDecl() ||
      RD->getASTContext().getSourceManager().isInSystemHeader(
          RD->getLocation()))
    return false;
  unsigned Data = 0;
  bool Holds = false; ///< others that have data
  for (const FieldDecl *F : RD->fields()) {
    QualType Of = F->getType();
    while (Of->isPointerType())
      Of = Of->getPointeeType();
    // A node of a graph knows those it was made of.
    const CXXRecordDecl *In = Of->getAsCXXRecordDecl();
    Holds |= In && !declaresSameEntity(In, RD) && hasData(In);
    const TypeClass Class = classifyWith(F->getType(), nullptr);
    if (isDescribed(F) || Class == TypeClass::Comm ||
        Class == TypeClass::Mesh || Class == TypeClass::Tensor ||
        Class == TypeClass::TensorList)
      return false;
    Data += isDataField(F) && !isGradient(F);
  }
  bool Accessor = false, Acts = false;
  for (const CXXMethodDecl *M : RD->methods()) {
    if (isDescribed(M))
      return false;
    Accessor |= isAccessor(M);
    Acts |=
        M->isVirtual() || (M->getDeclName().isIdentifier() && !M->isConst());
  }
  if (Data > 1)
    return false;
  return Accessor || (Data == 1 && !Holds && (!Acts || isNamedLikeOne(RD)));
}

bool isOwnTensor(QualType T) {
  return isOwnTensor(
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
}

bool isContainerOfNumbers(QualType T) {
  T = T.getNonReferenceType();
  const std::string Name = className(T);
  const QualType Of = elementType(T);
  return (Name == "std::vector" || Name == "std::array" ||
          Name == "std::valarray" || Name == "std::deque" ||
          Name == "std::basic_string") &&
         !Of.isNull() && (Of->isArithmeticType() || isContainerOfNumbers(Of));
}

bool copiesDeeply(QualType T) {
  if (!isOwnTensor(T))
    return isContainerOfNumbers(T);
  const CXXRecordDecl *RD =
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  RD = RD ? RD->getDefinition() : nullptr;
  if (!RD)
    return false;
  for (const FieldDecl *F : RD->fields())
    if (isDataField(F) && !F->getType()->isPointerType() &&
        !llvm::StringRef(className(F->getType())).ends_with("_ptr"))
      return true;
  return RD->hasUserDeclaredCopyConstructor();
}

bool holdsOwnData(QualType T) {
  T = T.getNonReferenceType();
  if (isOwnTensor(T) || isDataPointer(T))
    return true;
  const QualType Element = classifyWith(T, nullptr) == TypeClass::Buffer
                               ? elementType(T)
                               : QualType();
  return !Element.isNull() && isData(Element);
}

OwnMember ownMember(const ValueDecl *Member) {
  const auto *RD = dyn_cast<CXXRecordDecl>(Member->getDeclContext());
  if (!isOwnTensor(RD))
    return OwnMember::Other;
  if (const llvm::StringRef Role = declaredRole(Member); !Role.empty())
    return Role == "storage"    ? OwnMember::Data
           : Role == "gradient" ? OwnMember::Gradient
                                : OwnMember::Backward;
  const auto *M = dyn_cast<CXXMethodDecl>(Member);
  const auto *F = dyn_cast<FieldDecl>(Member);
  // `handle->data()` is data of what the handle is a name of.
  if (M && M->getOverloadedOperator() == OO_Arrow &&
      M->getReturnType()->isPointerType() &&
      isOwnTensor(M->getReturnType()->getPointeeType()))
    return OwnMember::Data;
  const bool Holds = F ? isDataField(F)
                       : M && M->getMinRequiredArguments() == 0 &&
                             isDataPointer(M->getReturnType());
  if (!Holds)
    return OwnMember::Other;
  if (isGradient(Member))
    return OwnMember::Gradient;
  return F || isAccessor(M) ? OwnMember::Data : OwnMember::Other;
}

} // namespace spmd::lint
