//===- GlobalArenas.h - Globals that point into one allocation --*- C++ -*-===//
//
// As members of a struct may, globals may point into what another one holds:
// `db = grads + n;`, in a function that others rely on having been called.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_GLOBALARENAS_H
#define SPMD_LINT_LOWER_GLOBALARENAS_H

#include "PointerOrigins.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace spmd::lint::lower {

class RankNumbers;

class GlobalArenas {
public:
  GlobalArenas() = default;
  GlobalArenas(llvm::ArrayRef<PointerOrigins> Bodies, const RankNumbers &Ranks);

  /// The global that holds what \p Pointer points into, or \p Pointer itself if
  /// others point into what it holds. Null: nobody says so, or of several.
  const clang::VarDecl *memoryOf(const clang::VarDecl *Pointer) const {
    return MemoryOf.lookup(Pointer->getCanonicalDecl());
  }
  /// All that point into \p Memory.
  llvm::ArrayRef<const clang::VarDecl *>
  pointersInto(const clang::VarDecl *Memory) const;
  /// Whether \p Memory is the only name of where its memory begins: what code
  /// does by it may be meant for the first part alone.
  bool isFirstPart(const clang::VarDecl *Memory) const {
    return FirstParts.contains(Memory->getCanonicalDecl());
  }
  /// What the code that lays out \p Memory calls the size of its first part;
  /// null: nobody says so.
  const clang::Expr *firstSize(const clang::VarDecl *Memory) const {
    return FirstSizes.lookup(Memory->getCanonicalDecl());
  }
  bool empty() const { return MemoryOf.empty(); }

private:
  llvm::DenseMap<const clang::VarDecl *, const clang::VarDecl *> MemoryOf;
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::VarDecl *>>
      PointersInto;
  llvm::SmallPtrSet<const clang::VarDecl *, 4> FirstParts;
  llvm::DenseMap<const clang::VarDecl *, const clang::Expr *> FirstSizes;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GLOBALARENAS_H
