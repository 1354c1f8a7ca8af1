//===- TypeClass.h - What kind of value a C++ type holds --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_TYPECLASS_H
#define SPMD_LINT_LOWER_TYPECLASS_H

#include "spmd/lint/Lowering.h"

#include "clang/AST/Type.h"

#include <optional>

namespace clang {
class NamedDecl;
} // namespace clang

namespace spmd::lint::lower {

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

/// Tensor classes of the user's are Other where \p Own is false.
TypeClass classify(clang::QualType T, bool Own = true);
std::optional<AxisHandle::Kind> commKind(clang::QualType T);

/// A name in full, without inline and anonymous namespaces and without template
/// arguments.
std::string qualifiedName(const clang::NamedDecl *D);
/// The qualified name of T's class, without inline namespaces; empty for other
/// types. Looks through references and smart pointers when asked.
std::string className(clang::QualType T);
/// The element of a smart pointer, optional, span or container; null if none.
clang::QualType elementType(clang::QualType T);

/// A struct that is what it holds: its members end with it. Not a handle, nor a
/// container.
bool isObject(clang::QualType T);
/// Copies of it name one storage: a tensor, a list of tensors, a pointer.
bool isHandle(clang::QualType T);
inline bool isTensor(clang::QualType T) {
  return classify(T) == TypeClass::Tensor;
}

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_TYPECLASS_H
