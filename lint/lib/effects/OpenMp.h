//===- OpenMp.h - Statements that several threads run -----------*- C++ -*-===//
//
// Threads of one rank that communicate are in no order. What they only compute
// is as if one thread did it. Without -fopenmp the directives are comments to
// Clang, but the program is still meant for threads.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_OPENMP_H
#define SPMD_LINT_EFFECTS_OPENMP_H

#include "Recursion.h"

#include "clang/AST/ASTContext.h"

#include <map>

namespace spmd::lint::effects {

class OpenMp {
public:
  explicit OpenMp(const clang::ASTContext &Ctx) : Ctx(Ctx) {}

  /// Whether it follows a directive that Clang ignores.
  bool isForThreads(const clang::Stmt *S);

private:
  const clang::ASTContext &Ctx;
  std::map<clang::FileID, bool> HasDirectives;
};

/// Whether a call is made that may.
bool mayCommunicate(const Stmt *S);

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_OPENMP_H
