//===- OutPointers.h - Where a caller's pointer is --------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_OUTPOINTERS_H
#define SPMD_LINT_LOWER_OUTPOINTERS_H

namespace clang {
class Expr;
class ParmVarDecl;
class Stmt;
} // namespace clang

namespace spmd::lint::lower {

/// Whether \p P, `float **dst`, is used for nothing but the one pointer that it
/// points to, and gets storage for it: as good as a reference to that. An array
/// of pointers is subscripted, or walked through.
bool isOutPointer(const clang::ParmVarDecl *P);
/// Whether \p E, `*dst`, is the pointer that such a parameter points to.
bool namesOutPointer(const clang::Expr *E);
/// Whether all that \p S, `if (dst) *dst = src;`, does where \p Pointer, such a
/// parameter, is not null is to give that out: who passes null has nothing that
/// could be told from what others get.
bool givesOutIfAsked(const clang::Stmt *S, const clang::Expr *Pointer);
/// Whether what it points to is new storage, and a copy of some memory.
bool isUploaded(const clang::ParmVarDecl *P);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_OUTPOINTERS_H
