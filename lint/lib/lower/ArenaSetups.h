//===- ArenaSetups.h - Calls that lay out an allocation ---------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_ARENASETUPS_H
#define SPMD_LINT_LOWER_ARENASETUPS_H

#include "ModuleLowering.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::lint::lower {

/// What the pointers in the elements of \p List point into.
llvm::SmallVector<const clang::FieldDecl *, 2>
memoriesOfElements(const Arenas &Known, const clang::FieldDecl *List);

/// The functions that one function calls which make pointers point into
/// memory: behind such a call they are parts of what is there then.
class ArenaSetups {
public:
  /// Members, or globals.
  using Pointers = llvm::SmallPtrSet<const clang::ValueDecl *, 16>;

  ArenaSetups(ModuleLowering &M, const clang::FunctionDecl *FD,
              const Pointers &Of);

  bool empty() const { return Symbols.empty(); }
  /// Binds \p Parts anew behind the calls in \p F that get the objects that
  /// have them, as all do that have globals, and where what such a call returns
  /// becomes their memory.
  void bindBehind(rules::Function &F,
                  llvm::ArrayRef<rules::ViewFact> Parts) const;

private:
  llvm::StringSet<> Symbols;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ARENASETUPS_H
