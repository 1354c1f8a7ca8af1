//===- GlobalArenas.h - Globals that point into one allocation --*- C++ -*-===//
//
// As members of a struct may, globals may point into what another one holds:
// `db = grads + n;`, in a function that others rely on having been called.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_GLOBALARENAS_H
#define SPMD_LINT_LOWER_GLOBALARENAS_H

#include "PointerOrigins.h"

namespace spmd::lint::lower {

class GlobalArenas {
public:
  GlobalArenas() = default;
  explicit GlobalArenas(llvm::ArrayRef<PointerOrigins> Bodies);

  /// The global that holds what \p Pointer points into, or \p Pointer itself if
  /// others point into what it holds. Null: nobody says so, or of several.
  const clang::VarDecl *memoryOf(const clang::VarDecl *Pointer) const {
    return MemoryOf.lookup(Pointer->getCanonicalDecl());
  }
  /// All that point into \p Memory.
  llvm::ArrayRef<const clang::VarDecl *>
  pointersInto(const clang::VarDecl *Memory) const;
  bool empty() const { return MemoryOf.empty(); }

private:
  llvm::DenseMap<const clang::VarDecl *, const clang::VarDecl *> MemoryOf;
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::VarDecl *>>
      PointersInto;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GLOBALARENAS_H
