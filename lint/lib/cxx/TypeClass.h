//===- TypeClass.h - What kind of value a C++ type holds --------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_TYPECLASS_H
#define SPMD_LINT_CXX_TYPECLASS_H

#include "KnownTypes.h"

namespace spmd::lint {

/// Of all types: of the libraries, and of the user's own.
TypeClass classify(clang::QualType T);

/// A struct that is what it holds: its members end with it. Not a handle, nor a
/// container.
bool isObject(clang::QualType T);
/// Copies of it name one storage: a tensor, a list of tensors, a pointer.
bool isHandle(clang::QualType T);
inline bool isTensor(clang::QualType T) {
  return classify(T) == TypeClass::Tensor;
}

/// Whether \p T is a pointer to numbers, or an iterator that is made of one.
bool isNumberIterator(clang::QualType T);

/// Whether \p T is a class of torch::nn, or derives from one, or refers to one.
bool isModule(clang::QualType T);
/// Whether \p T is a class of torch::optim, or derives from one.
bool isOptimizer(clang::QualType T);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_TYPECLASS_H
