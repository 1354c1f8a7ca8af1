//===- FindAttribute.h - The annotation in force for a declaration -*- C++ -*-//

#ifndef SPMD_LINT_ANNOTATIONS_FINDATTRIBUTE_H
#define SPMD_LINT_ANNOTATIONS_FINDATTRIBUTE_H

#include "clang/AST/Attr.h"
#include "clang/AST/Type.h"

namespace spmd::lint {

/// The attribute called \p Name ("spmd::type") of the first redeclaration that
/// has one; else that of what \p D overrides or is instantiated from.
const clang::AnnotateAttr *findAttribute(const clang::Decl *D,
                                         llvm::StringRef Name);
/// What \p D inherits annotations from: overridden methods and, for their
/// parameters, the overridden methods' parameters.
llvm::SmallVector<const clang::Decl *, 2> overridden(const clang::Decl *D);

/// The alias with a [[spmd::type]] that \p T is spelled by; null for none.
const clang::TypedefNameDecl *annotatedAlias(clang::QualType T,
                                             const clang::ASTContext &Ctx);

/// An argument that is a string literal of bytes; null for any other.
const clang::StringLiteral *stringArgument(const clang::AnnotateAttr *A,
                                           unsigned Index);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_FINDATTRIBUTE_H
