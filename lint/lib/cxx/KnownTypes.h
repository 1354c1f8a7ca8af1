//===- KnownTypes.h - Types of the libraries, by name -----------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_KNOWNTYPES_H
#define SPMD_LINT_CXX_KNOWNTYPES_H

#include "spmd/lint/AxisHandle.h"

#include "clang/AST/Type.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace clang {
class CXXRecordDecl;
class NamedDecl;
} // namespace clang

namespace spmd::lint {

enum class TypeClass : std::uint8_t {
  Untracked, ///< void, functions, strings
  Tensor,
  TensorList, ///< vector, array or list of tensors: one summary
  Scalar,     ///< arithmetic: copied by value
  Buffer,     ///< pointer, array, vector of arithmetic: one storage
  Comm,       ///< communicator, process group, axis
  Mesh,
  Other, ///< structs and handles, by field paths
};

using IsTensorClass = llvm::function_ref<bool(const clang::CXXRecordDecl *)>;

/// By the types of libtorch, CUDA and the standard library; of the user's
/// classes those are tensors of which \p IsTensor says so, none when it is
/// null.
TypeClass classifyWith(clang::QualType T, IsTensorClass IsTensor);
std::optional<AxisHandle::Kind> commKind(clang::QualType T);
/// Whether \p T is a process group itself, not what points to one.
bool isGroupClass(clang::QualType T);
/// Whether \p T is, or refers to, a tensor that is no class of the user's.
inline bool isLibraryTensor(clang::QualType T) {
  return classifyWith(T.getNonReferenceType(), nullptr) == TypeClass::Tensor;
}
/// Whether \p T is, or refers to, this class of the standard library.
bool isStdClass(clang::QualType T, llvm::StringRef Name);
/// Of one object, which several may share.
bool isSmartPointer(clang::QualType T);

/// A name in full, without inline and anonymous namespaces and without template
/// arguments.
std::string qualifiedName(const clang::NamedDecl *D);
/// The qualified name of T's class, without inline namespaces; empty for other
/// types. Looks through references and smart pointers when asked.
std::string className(clang::QualType T);
/// The layer of libtorch's that \p T is, holds or points to: `Linear`; empty if
/// it is none.
std::string layerName(clang::QualType T);
/// Whether \p Name is that of a few numbers side by side: `float4`.
bool isVectorName(llvm::StringRef Name);
/// The element of a smart pointer, optional, span or container; null if none.
clang::QualType elementType(clang::QualType T);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_KNOWNTYPES_H
