//===- Arenas.h - Members that point into one allocation --------*- C++ -*-===//
//
// A trainer in C has its parameters in one allocation: `m->memory` goes to the
// optimizer and to collectives, `m->weights.b`, which points into it, to the
// kernels. Which members of a struct point into which other one is written
// where they are set up, often in a function that gets the struct's address.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_ARENAS_H
#define SPMD_LINT_LOWER_ARENAS_H

#include "PointerOrigins.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace spmd::lint::lower {

class RankNumbers;

class Arenas {
public:
  Arenas() = default;
  Arenas(llvm::ArrayRef<PointerOrigins> Bodies, const RankNumbers &Ranks);

  /// The member that holds what \p Pointer points into, of the object that has
  /// \p Pointer itself, or the struct \p In that has it. Null: nobody says so,
  /// or of several.
  const clang::FieldDecl *memoryOf(const clang::FieldDecl *In,
                                   const clang::FieldDecl *Pointer) const;
  /// A member, in a member of struct type or null.
  using Path = std::pair<const clang::FieldDecl *, const clang::FieldDecl *>;
  /// All that point into \p Memory.
  llvm::ArrayRef<Path> pointersInto(const clang::FieldDecl *Memory) const;
  bool empty() const { return MemoryOf.empty(); }

private:
  llvm::DenseMap<Path, const clang::FieldDecl *> MemoryOf;
  llvm::DenseMap<const clang::FieldDecl *, std::vector<Path>> PointersInto;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ARENAS_H
