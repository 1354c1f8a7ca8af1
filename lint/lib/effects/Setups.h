//===- Setups.h - Functions that prepare what others read -------*- C++ -*-===//
//
// Ranks and communicators are kept in fields and globals by a constructor or an
// initialiser, and read by functions that nobody in the file calls. Such a
// function is also run after those that set what it reads.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_SETUPS_H
#define SPMD_LINT_EFFECTS_SETUPS_H

#include "spmd/ops/CollectiveApi.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace spmd::lint::effects {

/// What a body, and what it calls, does with fields and globals.
struct StateUses {
  llvm::DenseSet<const clang::ValueDecl *> Read, Written;
  /// It asks for ranks or sizes, or makes a communicator.
  bool Asks = false;
  bool Starts = false; ///< operations with a request

  void merge(const StateUses &Other);
};
StateUses stateUses(const clang::FunctionDecl *FD,
                    const rules::CollectiveApis &Apis);

/// The functions of a file by their numbers.
struct FileCalls {
  std::vector<const clang::FunctionDecl *> Functions;
  std::vector<std::vector<unsigned>> Callees;
  /// \p Of and all that it calls.
  llvm::DenseSet<unsigned> closure(unsigned Of) const;
};

/// What is run before a function, and what is unknown after it all the same.
struct Setup {
  unsigned Of = 0;
  std::vector<unsigned> Before; ///< in their order
  std::vector<const clang::ValueDecl *> Unknown;
};
std::vector<Setup> findSetups(const FileCalls &Calls,
                              llvm::ArrayRef<unsigned> Roots,
                              const rules::CollectiveApis &Apis);

/// The record that a parameter is, or points to; null: none.
const clang::RecordDecl *recordOf(clang::QualType T);

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_SETUPS_H
