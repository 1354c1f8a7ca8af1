//===- LibraryNames.h - What libraries bring, by name -----------*- C++ -*-===//

#ifndef SPMD_LINT_CXX_LIBRARYNAMES_H
#define SPMD_LINT_CXX_LIBRARYNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace spmd::lint {

/// Whether libtorch's or the standard library's. Where their headers lie does
/// not tell: many name those of libtorch by -I.
inline bool isOfLibrary(llvm::StringRef QualifiedName) {
  return llvm::any_of(
      llvm::ArrayRef({"torch::", "at::", "c10::", "c10d::", "std::"}),
      [&](const char *Of) { return QualifiedName.starts_with(Of); });
}

} // namespace spmd::lint

#endif // SPMD_LINT_CXX_LIBRARYNAMES_H
