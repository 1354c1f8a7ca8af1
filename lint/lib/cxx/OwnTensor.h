//===- OwnTensor.h - Tensor classes of the user's ---------------*- C++ -*-===//
//
// Trainers without libtorch bring a class for a buffer and its shape. An object
// of it and the buffer are one storage, as with a tensor of libtorch.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CXX_OWNTENSOR_H
#define SPMD_LINT_CXX_OWNTENSOR_H

#include "clang/AST/Type.h"

namespace clang {
class CXXRecordDecl;
class ValueDecl;
} // namespace clang

namespace spmd::lint {

/// A class of the user's with one buffer: an accessor such as `data()` gives
/// it, or the one field that could be it. Not one whose members are described.
bool isOwnTensor(const clang::CXXRecordDecl *RD);
bool isOwnTensor(clang::QualType T);
/// Whether \p T is a container that has numbers of its own, or others that do.
bool isContainerOfNumbers(clang::QualType T);
/// Whether a copy of it is another buffer: of such an object, or of a container
/// of numbers.
bool copiesDeeply(clang::QualType T);

/// What such an object may be made of: a pointer to numbers, or another one.
bool holdsOwnData(clang::QualType T);

enum class OwnMember { Other, Data, Gradient, Backward };
/// What a field, or a method without parameters, of such a class gives; or that
/// it runs the backward pass.
OwnMember ownMember(const clang::ValueDecl *Member);

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_OWNTENSOR_H
