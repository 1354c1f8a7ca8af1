//===- Records.cpp - Structs of numbers -----------------------------------===//

#include "Records.h"

#include "Strip.h"

#include "cxx/TypeClass.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::lower {

/// \p AnyReal: whether there is a real number in it. \p Annotated: even where
/// something is said of its members.
static bool holdsNumbers(QualType T, bool &AnyReal, bool Annotated = false) {
  while (const auto *A =
             dyn_cast<ConstantArrayType>(T.getCanonicalType().getTypePtr()))
    T = A->getElementType();
  AnyReal |= T->isRealFloatingType();
  if (T->isArithmeticType())
    return true;
  const RecordDecl *R = T->getAsRecordDecl();
  const auto *Class = dyn_cast_or_null<CXXRecordDecl>(R);
  return R && R->isCompleteDefinition() && !R->isUnion() &&
         (!Class || (Class->isPOD() && Class->getNumBases() == 0)) &&
         // What an annotation says of a member it says of that alone.
         llvm::all_of(R->fields(), [&](const FieldDecl *F) {
           return (Annotated || !F->hasAttr<AnnotateAttr>()) &&
                  holdsNumbers(F->getType(), AnyReal, Annotated);
         });
}

/// `samples[i]`, of an array, a pointer or a container.
static bool isElement(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E))
    return Call->getOperator() == OO_Subscript;
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return !M->isArrow() && isElement(M->getBase());
  return isa<ArraySubscriptExpr>(E);
}

bool isRecordOfNumbers(QualType T) {
  bool AnyReal = false;
  return T->isRecordType() && holdsNumbers(T, AnyReal) && AnyReal;
}

bool isRunOfNumbers(QualType T) {
  bool AnyReal = false;
  return T->isRecordType() && holdsNumbers(T, AnyReal, /*Annotated=*/true) &&
         AnyReal;
}

bool isStructOfNumbers(QualType T) {
  bool AnyReal = false;
  return T->isRecordType() && holdsNumbers(T, AnyReal);
}

bool isInSettings(const FieldDecl *D) {
  return isStructOfNumbers(
      D->getASTContext().getCanonicalTagType(D->getParent()));
}

/// Whether \p T is a struct of several buffers, as one of a layer's parameters
/// and their gradients, each of which is something by itself.
static bool hasBuffers(QualType T) {
  const auto IsBuffer = [](const FieldDecl *F) {
    const auto *Array = F->getType()->getAsArrayTypeUnsafe();
    return Array &&
           F->getASTContext().getBaseElementType(Array)->isRealFloatingType();
  };
  return llvm::count_if(T->getAsRecordDecl()->fields(), IsBuffer) > 1;
}

bool isNumberOfRecords(const MemberExpr *E) {
  const QualType Of = E->getBase()->getType();
  return !E->isArrow() && isa<FieldDecl>(E->getMemberDecl()) &&
         isElement(E->getBase()) && isRecordOfNumbers(Of) && !hasBuffers(Of);
}

bool isShapeOfData(const FieldDecl *D) {
  const QualType Of = elementType(D->getType());
  if (Of.isNull() || !Of->isIntegerType() || Of->isAnyCharacterType() ||
      Of->isBooleanType())
    return false;
  constexpr std::uint64_t MostDims = 8;
  const auto *Array =
      dyn_cast<ConstantArrayType>(D->getType().getCanonicalType());
  const bool IsShort = Array && Array->getZExtSize() <= MostDims;
  const bool IsNamed = llvm::StringSwitch<bool>(D->getName().rtrim('_'))
                           .Cases({"shape", "shapes", "dims", "sizes"}, true)
                           .Cases({"stride", "strides"}, true)
                           .Default(false);
  return (IsShort || IsNamed) &&
         llvm::any_of(D->getParent()->fields(), [D](const FieldDecl *Other) {
           const TypeClass Class = classify(Other->getType());
           return Other != D && !Other->getType()->isArrayType() &&
                  (Class == TypeClass::Buffer || Class == TypeClass::Tensor);
         });
}

} // namespace spmd::lint::lower
