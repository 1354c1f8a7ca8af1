//===- DeclaredVarying.h - What is other on each rank -----------*- C++ -*-===//
//
// Numbers that each rank has computed from its own data decide for it alone, as
// annotations say and as types are inferred. Which axis a communicator is over
// is not known here, so that only files with one axis are looked at. A whole
// number that is other on each rank is taken for the rank: of ranks more is
// known than that they differ, and what goes wrong for their numbers does for
// those of some others.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_DECLAREDVARYING_H
#define SPMD_LINT_EFFECTS_DECLAREDVARYING_H

#include "spmd/collectives/EffectProgram.h"
#include "spmd/lint/Annotations.h"

namespace spmd::lint::effects {

class DeclaredVarying {
public:
  /// \p OnlyAxis: the one that the file names; empty: it names none, or more.
  /// \p Differing: what types say to differ between its ranks.
  DeclaredVarying(clang::ASTContext &Ctx, std::string OnlyAxis,
                  const llvm::DenseSet<const clang::Stmt *> &Differing)
      : OnlyAxis(std::move(OnlyAxis)), Differing(Differing),
        Annotations(Ctx, nullptr, [](clang::SourceLocation, std::string) {}) {}

  bool varies(const clang::ValueDecl *D);
  /// The axes of the communicator \p D, with commas between.
  std::string axesOf(const clang::ValueDecl *D);
  /// What annotations say of the variable or member \p E.
  collectives::Declared number(const clang::Expr *E);
  /// Whether the types say that the number \p E, which is computed or read
  /// here, is each rank's own.
  bool differs(const clang::Expr *E) const;

private:
  const std::string OnlyAxis;
  const llvm::DenseSet<const clang::Stmt *> &Differing;
  AnnotationReader Annotations;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_DECLAREDVARYING_H
