//===- OutPointers.h - Where a caller's pointer is --------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_OUTPOINTERS_H
#define SPMD_LINT_LOWER_OUTPOINTERS_H

namespace clang {
class ParmVarDecl;
} // namespace clang

namespace spmd::lint::lower {

/// Whether \p P, `float **dst`, is used for nothing but the one pointer that it
/// points to, and gets storage for it: as good as a reference to that. An array
/// of pointers is subscripted, or walked through.
bool isOutPointer(const clang::ParmVarDecl *P);
/// Whether what it points to is new storage, and a copy of some memory.
bool isUploaded(const clang::ParmVarDecl *P);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_OUTPOINTERS_H
