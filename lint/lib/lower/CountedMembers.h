//===- CountedMembers.h - Members that count calls --------------*- C++ -*-===//
//
// `if (steps_++ % 2 == 0)`: what hangs on a number that only counts, and that
// nothing else asks for, is done in some calls and not in others, and no other
// condition has anything to do with it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_COUNTEDMEMBERS_H
#define SPMD_LINT_LOWER_COUNTEDMEMBERS_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class CountedMembers {
public:
  CountedMembers() = default;
  /// Of a file with these bodies.
  explicit CountedMembers(llvm::ArrayRef<const clang::FunctionDecl *> Bodies);

  bool contains(const clang::ValueDecl *D) const { return Found.contains(D); }

private:
  llvm::DenseSet<const clang::ValueDecl *> Found;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_COUNTEDMEMBERS_H
