//===- AnnotationSubjects.cpp - What an annotation may stand on -----------===//

#include "AnnotationSubjects.h"

#include "LayerSplits.h"
#include "MemberNames.h"
#include "ScanAttributes.h"

#include "cxx/OwnTensor.h"
#include "cxx/TypeClass.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint {

static llvm::StringRef kindOf(const Decl *D) {
  if (isa<ParmVarDecl>(D))
    return "a parameter";
  if (isa<VarDecl, BindingDecl>(D))
    return "a variable";
  if (isa<FieldDecl>(D))
    return "a field";
  if (isa<FunctionDecl>(D))
    return "a function";
  if (isa<TypedefNameDecl>(D))
    return "a type alias";
  if (isa<RecordDecl>(D))
    return "a class";
  if (isa<NamespaceDecl>(D))
    return "a namespace";
  if (isa<EnumDecl>(D))
    return "an enumeration";
  return "this declaration";
}

std::string wrongSubject(llvm::StringRef Attribute, const Decl *D) {
  const bool IsFunction = isa<FunctionDecl>(D);
  const bool IsValue = isa<VarDecl, FieldDecl, BindingDecl>(D) || IsFunction;
  const bool Fits =
      llvm::StringSwitch<bool>(Attribute)
          .Case("type", IsValue || isa<TypedefNameDecl>(D))
          .Cases({"axis", "size"}, IsValue)
          .Case("mesh", IsFunction || isa<NamespaceDecl, CXXRecordDecl>(D))
          .Case("allow", true)
          .Default(IsFunction);
  if (Fits)
    return {};
  return ("'spmd::" + Attribute + "' belongs on " +
          llvm::StringSwitch<llvm::StringRef>(Attribute)
              .Case("type", "a variable, parameter, field, type alias or "
                            "function")
              .Cases({"axis", "size"},
                     "a variable, parameter, field or function")
              .Case("mesh", "a namespace, class or function")
              .Case("no_typecheck", "a function or statement")
              .Default("a function") +
          ", not on " + kindOf(D))
      .str();
}

/// The type of the value that an annotation of \p D is about.
static QualType valueType(const NamedDecl *D) {
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    return F->getReturnType();
  if (const auto *A = dyn_cast<TypedefNameDecl>(D))
    return A->getUnderlyingType();
  return cast<ValueDecl>(D)->getType();
}

static bool holdsNothing(QualType T);

static bool holdsNothing(const TemplateArgument &A) {
  if (A.getKind() == TemplateArgument::Pack)
    return llvm::all_of(A.pack_elements(), [](const TemplateArgument &X) {
      return holdsNothing(X);
    });
  return A.getKind() != TemplateArgument::Type || holdsNothing(A.getAsType());
}

/// True where \p T cannot hold numbers that ranks share.
static bool holdsNothing(QualType T) {
  T = T.getNonReferenceType();
  if (T->isNullPtrType() || T->isMemberPointerType() ||
      (T->isEnumeralType() && !T->isStdByteType()))
    return true;
  switch (classify(T)) {
  case TypeClass::Untracked:
  case TypeClass::Comm:
  case TypeClass::Mesh:
    return true;
  case TypeClass::Other:
    break;
  default:
    return false;
  }
  if (T->isPointerType())
    return false;
  if (T->isArrayType())
    return holdsNothing(elementType(T));
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  // A map from names to tensors holds tensors, a vector of names nothing.
  if (const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R);
      Of && Of->isInStdNamespace() && Of->getTemplateArgs().size())
    return llvm::all_of(
        Of->getTemplateArgs().asArray(),
        [](const TemplateArgument &A) { return holdsNothing(A); });
  // Methods may give what no member is: a file sees half of what is said.
  return R && R->hasDefinition() && R->isEmpty() &&
         llvm::none_of(R->methods(), [](const CXXMethodDecl *M) {
           return M->isUserProvided() && !M->isStatic();
         });
}

std::string cannotBeTyped(const NamedDecl *D) {
  const QualType T = valueType(D);
  if (T->isDependentType() || T->isUndeducedType())
    return {};
  const auto *F = dyn_cast<FunctionDecl>(D);
  if (F && T->isVoidType())
    return "'" + D->getNameAsString() +
           "' returns nothing that could have an SPMD type";
  if (classify(T) == TypeClass::Comm)
    return "a communicator has no SPMD type; the axis it spans is written "
           "[[spmd::axis(\"...\")]]";
  if (!holdsNothing(T))
    return {};
  return "'" + T.getAsString(PrintingPolicy(D->getASTContext().getLangOpts())) +
         "' holds no tensor, so it cannot have an SPMD type";
}

std::string saysNothing(const rules::TypeAnnotation &A, const NamedDecl *D) {
  const QualType T = valueType(D).getNonReferenceType();
  if (std::string Wrong = wrongMembers(A, T); !Wrong.empty())
    return Wrong;
  QualType Of = T->isPointerType() ? T->getPointeeType() : T;
  const bool IsMany = Of->isPointerType();
  if (IsMany)
    Of = Of->getPointeeType();
  const CXXRecordDecl *RD = Of->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition() || RD->isDependentContext())
    return {};
  const std::string Name = "'" + RD->getNameAsString() + "'";
  if (isOwnTensor(RD))
    return A.Members.empty()
               ? std::string()
               : Name +
                     " is one tensor, whose gradient has the type that a "
                     "backward pass leaves: give one type without members, "
                     "or annotate the fields of " +
                     Name;
  if (classify(Of) != TypeClass::Other)
    return {};
  if (IsMany)
    return "objects in an array are not told apart, so this would be about "
           "none of them: annotate the fields of " +
           Name;
  return splitsNothing(A, T);
}

std::string cannotBeSize(const NamedDecl *D) {
  const QualType T = valueType(D);
  if (T->isDependentType() || T->isUndeducedType() || T->isArithmeticType())
    return {};
  return "the number of ranks of an axis is not '" +
         T.getAsString(PrintingPolicy(D->getASTContext().getLangOpts())) +
         "': 'spmd::size' belongs on a number";
}

std::string cannotChangeType(const NamedDecl *D, bool IsOutput) {
  const std::string Message =
      "a type on entry and another on exit need a parameter that the function "
      "can write through";
  const auto *P = dyn_cast<ParmVarDecl>(D);
  if (const auto *VD = dyn_cast<VarDecl>(D); VD && !P && VD->isLocalVarDecl()) {
    if (IsOutput || !VD->hasInit())
      return "a variable changes its type from what it is made of: it needs an "
             "initialiser and a type in front of the arrow";
    return {};
  }
  if (!P)
    return Message + ", not " + kindOf(D).str();
  const QualType T = P->getType();
  if (T->isDependentType() || classify(T) != TypeClass::Scalar) {
    // The pointer is by value, what it points to is written.
    const QualType To = T->isPointerType() || T->isReferenceType()
                            ? T->getPointeeType()
                            : QualType();
    const bool OnlyRead = !To.isNull() && To.isConstQualified() &&
                          (To->isArithmeticType() || To->isVoidType());
    return OnlyRead ? Message + ": '" + P->getNameAsString() + "' is const"
                    : std::string();
  }
  if (T->isReferenceType() && !T->getPointeeType().isConstQualified())
    return {};
  return Message + ": '" + P->getNameAsString() +
         (T->isReferenceType() ? "' is const" : "' is passed by value");
}

bool holdsTensor(QualType T) {
  const TypeClass C = classify(T);
  return C == TypeClass::Tensor || C == TypeClass::TensorList ||
         C == TypeClass::Buffer;
}

std::string wrongArity(const rules::OpSpec &Op, const FunctionDecl *F) {
  if (F->isDependentContext() || F->isVariadic())
    return {};
  unsigned Read = 0, Written = 0, Scalars = 0;
  for (const ParmVarDecl *P : F->parameters()) {
    const QualType T = P->getType();
    if (classify(T) == TypeClass::TensorList)
      return {}; // as many tensors as the caller likes
    if (classify(T) == TypeClass::Scalar && !T->isReferenceType())
      ++Scalars;
    else if (classify(T) == TypeClass::Other)
      return {}; // a struct of tensors
    else if (holdsTensor(T) || classify(T) == TypeClass::Scalar)
      ++((T->isPointerType() || T->isReferenceType()) &&
                 !T->getPointeeType().isConstQualified()
             ? Written
             : Read);
  }
  const unsigned Results = Written + !F->getReturnType()->isVoidType();
  if (Read + Results == 0)
    return "'" + F->getNameAsString() +
           "' has no tensor that a rule could be about";
  if (!Op.Factors)
    return {};
  auto Count = [](std::size_t N, llvm::StringRef What) {
    return std::to_string(N) + " " + What.str() + (N == 1 ? "" : "s");
  };
  const std::size_t Operands = Op.Factors->Operands.size();
  // What is written may be read as well; a scalar may be a tensor of no dims.
  if (Operands < Read || Operands > Read + Written + Scalars)
    return "the rule has " + Count(Operands, "operand") + ", but '" +
           F->getNameAsString() + "' reads " + Count(Read, "tensor");
  if (Op.Factors->Results.size() > Results)
    return "the rule has " + Count(Op.Factors->Results.size(), "result") +
           ", but '" + F->getNameAsString() + "' writes or returns " +
           Count(Results, "tensor");
  return {};
}

} // namespace spmd::lint
