//===- AnnotationSubjects.h - What an annotation may stand on ---*- C++ -*-===//
//
// Each function returns what is wrong, or an empty string.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_ANNOTATIONS_ANNOTATIONSUBJECTS_H
#define SPMD_LINT_ANNOTATIONS_ANNOTATIONSUBJECTS_H

#include "spmd/ops/OpSpec.h"
#include "spmd/types/TypeSpec.h"

#include "clang/AST/Decl.h"

#include <string>

namespace spmd::lint {

/// The kind of declaration that \p Attribute ("type", "mesh", …) needs.
std::string wrongSubject(llvm::StringRef Attribute, const clang::Decl *D);
/// An SPMD type needs a value: a tensor handle, a raw buffer, a scalar, or a
/// container or struct of those.
std::string cannotBeTyped(const clang::NamedDecl *D);
/// Why what \p T says of members, or of objects that \p D has many of, would
/// mean nothing.
std::string saysNothing(const rules::TypeAnnotation &T,
                        const clang::NamedDecl *D);
/// Why [[spmd::size]] cannot stand on \p D; empty if it can.
std::string cannotBeSize(const clang::NamedDecl *D);
/// `entry -> exit` needs a parameter through which the caller's value changes.
std::string cannotChangeType(const clang::NamedDecl *D, bool IsOutput);
/// The tensors that the rule names are those of the signature.
std::string wrongArity(const rules::OpSpec &Op, const clang::FunctionDecl *F);

/// True for tensors and buffers, which a contract must not leave out.
bool holdsTensor(clang::QualType T);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_ANNOTATIONSUBJECTS_H
