//===- KnownTypes.cpp - Types of the libraries, by name -------------------===//

#include "KnownTypes.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint {

std::string qualifiedName(const NamedDecl *D) {
  llvm::SmallVector<std::string, 4> Parts;
  if (const auto *Ctor = dyn_cast<CXXConstructorDecl>(D))
    Parts.push_back(Ctor->getParent()->getNameAsString());
  else
    Parts.push_back(D->getNameAsString());
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent()) {
    if (const auto *NS = dyn_cast<NamespaceDecl>(C)) {
      if (NS->isInline() || NS->isAnonymousNamespace())
        continue;
      Parts.push_back(NS->getNameAsString());
    } else if (const auto *Tag = dyn_cast<TagDecl>(C)) {
      Parts.push_back(Tag->getNameAsString());
    }
  }
  std::string Out;
  for (const std::string &P : llvm::reverse(Parts))
    Out += (Out.empty() ? "" : "::") + P;
  return Out;
}

std::string className(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  return RD ? qualifiedName(RD) : std::string();
}

std::string layerName(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const std::string Class = className(T);
  llvm::StringRef Name(Class);
  if (!Name.consume_front("torch::nn::"))
    return {};
  Name.consume_back("Impl");
  return Name.str();
}

QualType elementType(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  if (const auto *A = T->getAsArrayTypeUnsafe())
    return A->getElementType();
  if (T->isPointerType())
    return T->getPointeeType();
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!Spec || Spec->getTemplateArgs().size() == 0)
    return {};
  const TemplateArgument &First = Spec->getTemplateArgs()[0];
  return First.getKind() == TemplateArgument::Type ? First.getAsType()
                                                   : QualType();
}

static bool isWrapper(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"std::optional", "c10::optional", "std::shared_ptr",
              "std::unique_ptr", "c10::intrusive_ptr", "std::reference_wrapper",
              "c10::MaybeOwned"},
             true)
      .Default(false);
}

static bool isContainer(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"std::vector", "std::array", "std::span", "std::initializer_list",
              "c10::ArrayRef", "c10::IListRef", "std::deque", "std::list",
              "c10::SmallVector", "c10::List", "thrust::device_vector",
              "thrust::host_vector", "std::valarray"},
             true)
      .Default(false);
}

static bool isTensorName(llvm::StringRef Name) {
  // A handle to wait for is the tensor that it will be.
  return Name == "at::Tensor" || Name == "at::TensorBase" ||
         Name == "at::OptionalTensorRef" || Name == "spmd::TensorWork";
}

/// What torch::OrderedDict<Key, Value>, or an item of one, holds.
static QualType valueOfDict(QualType Dict, llvm::StringRef Name) {
  const CXXRecordDecl *RD = Dict->getAsCXXRecordDecl();
  if (Name == "torch::OrderedDict::Item")
    RD = dyn_cast<CXXRecordDecl>(RD->getDeclContext());
  else if (Name != "torch::OrderedDict")
    return {};
  const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(RD);
  return Of ? Of->getTemplateArgs()[1].getAsType() : QualType();
}

static bool isGroupName(llvm::StringRef Name) {
  return Name.starts_with("c10d::ProcessGroup") || Name == "c10d::Backend";
}

bool isGroupClass(QualType T) {
  const std::string Name = className(T);
  return isGroupName(Name) && // not its options
         llvm::StringRef(Name).count("::") == 1;
}

std::optional<AxisHandle::Kind> commKind(QualType T) {
  using K = AxisHandle::Kind;
  T = T.getNonReferenceType();
  for (QualType S = T; const auto *TT = S->getAs<TypedefType>();
       S = TT->desugar()) {
    if (TT->getDecl()->getName() == "MPI_Comm")
      return K::MpiComm;
    if (TT->getDecl()->getName() == "ncclComm_t")
      return K::NcclComm;
  }
  QualType C = T.getCanonicalType();
  if (C->isPointerType()) {
    const auto *RD = C->getPointeeType()->getAsRecordDecl();
    if (!RD)
      return std::nullopt;
    if (RD->getName() == "ncclComm")
      return K::NcclComm;
    if (RD->getName() == "ompi_communicator_t")
      return K::MpiComm;
    C = C->getPointeeType();
  }
  const bool IsPointer = T.getCanonicalType()->isPointerType();
  std::string Name = className(C), Wrapper;
  if (isWrapper(Name)) {
    QualType E = elementType(C);
    if (E.isNull())
      return std::nullopt;
    Wrapper = std::exchange(Name, className(E));
  }
  if (Name == "spmd::Axis")
    return IsPointer || !Wrapper.empty() ? K::Indirect : K::Axis;
  if (isGroupName(Name))
    return !IsPointer && Wrapper == "c10::intrusive_ptr" ? K::ProcessGroup
                                                         : K::Indirect;
  return std::nullopt;
}

bool isSmartPointer(QualType T) {
  const std::string Name = className(T);
  return Name == "std::shared_ptr" || Name == "std::unique_ptr" ||
         Name == "c10::intrusive_ptr";
}

bool isStdClass(QualType T, llvm::StringRef Name) {
  const CXXRecordDecl *RD = T.getNonReferenceType()->getAsCXXRecordDecl();
  return RD && RD->isInStdNamespace() && RD->getIdentifier() &&
         RD->getName() == Name;
}

bool isVectorName(llvm::StringRef Name) {
  if (Name == "__half2" || Name == "__nv_bfloat162")
    return true;
  return (Name.consume_back("2") || Name.consume_back("4")) &&
         llvm::StringSwitch<bool>(Name)
             .Cases({"char", "uchar", "short", "ushort", "int", "uint"}, true)
             .Cases(
                 {"long", "ulong", "longlong", "ulonglong", "float", "double"},
                 true)
             .Default(false);
}

TypeClass classifyWith(QualType T, IsTensorClass IsTensor) {
  if (T.isNull() || T->isDependentType() || T->isVoidType() ||
      T->isFunctionType() || T->isFunctionPointerType())
    return TypeClass::Untracked;
  T = T.getNonReferenceType();
  if (commKind(T))
    return TypeClass::Comm;
  QualType C = T.getCanonicalType();
  if (C->isArithmeticType() || C->isEnumeralType())
    return TypeClass::Scalar;
  if (C->isPointerType() || C->isArrayType()) {
    const QualType E = elementType(C);
    if (E->isVoidType() || E->isArithmeticType())
      return TypeClass::Buffer;
    const TypeClass Of = classifyWith(E, IsTensor);
    if (Of == TypeClass::Scalar)
      return TypeClass::Buffer;
    if (Of == TypeClass::Tensor || Of == TypeClass::TensorList)
      return C->isArrayType() ? TypeClass::TensorList : Of;
    return Of == TypeClass::Untracked ? TypeClass::Other : Of;
  }
  const std::string Name = className(C);
  if (Name.empty())
    return TypeClass::Other;
  if (isTensorName(Name))
    return TypeClass::Tensor;
  if (Name == "spmd::Mesh")
    return TypeClass::Mesh;
  if (Name == "spmd::View")
    return TypeClass::Buffer;
  if (Name == "c10::Scalar" || Name == "c10::Half" || Name == "c10::BFloat16" ||
      Name == "__half" || Name == "__nv_bfloat16" || Name == "std::byte" ||
      Name == "std::chrono::duration" || Name == "std::chrono::time_point" ||
      isVectorName(Name))
    return TypeClass::Scalar;
  if (Name == "std::basic_string")
    return TypeClass::Buffer;
  if (Name == "std::basic_string_view")
    return TypeClass::Untracked;
  if (const QualType Value = valueOfDict(C, Name); !Value.isNull()) {
    if (classifyWith(Value, IsTensor) == TypeClass::Tensor)
      return Name == "torch::OrderedDict" ? TypeClass::TensorList
                                          : TypeClass::Tensor;
    return TypeClass::Other;
  }
  // Buckets to wait for are the tensors that they will be; what reduces the
  // gradients of parameters, or shards these, stands for them.
  if (Name == "torch::optim::OptimizerParamGroup" ||
      Name == "spmd::BucketWork" || Name == "spmd::DataParallel" ||
      Name == "spmd::FullySharded")
    return TypeClass::TensorList;
  if (isWrapper(Name) || isContainer(Name)) {
    const QualType E = elementType(C);
    const TypeClass Of = classifyWith(E, IsTensor);
    if (Of == TypeClass::Tensor)
      return isWrapper(Name) ? TypeClass::Tensor : TypeClass::TensorList;
    if (Of == TypeClass::Scalar)
      return isWrapper(Name) && Name.find("ptr") == std::string::npos
                 ? TypeClass::Scalar
                 : TypeClass::Buffer;
    return Of == TypeClass::Untracked ? TypeClass::Other : Of;
  }
  return IsTensor && IsTensor(C->getAsCXXRecordDecl()) ? TypeClass::Tensor
                                                       : TypeClass::Other;
}

} // namespace spmd::lint
