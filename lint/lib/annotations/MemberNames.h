//===- MemberNames.h - The members that annotations name --------*- C++ -*-===//

#ifndef SPMD_LINT_ANNOTATIONS_MEMBERNAMES_H
#define SPMD_LINT_ANNOTATIONS_MEMBERNAMES_H

#include "spmd/types/TypeSpec.h"

#include "clang/AST/Type.h"

#include <string>

namespace spmd::lint {

/// Why what \p A says of members, on a value of type \p T, is about none that
/// there is; empty if it may be.
std::string wrongMembers(const rules::TypeAnnotation &A, clang::QualType T);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_MEMBERNAMES_H
