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

#include "TypedNodes.h"
#include "spmd/collectives/EffectProgram.h"
#include "spmd/lint/Annotations.h"

namespace spmd::lint::effects {

class DeclaredVarying {
public:
  /// \p OnlyAxis: the one that the file names; empty: it names none, or more.
  DeclaredVarying(clang::ASTContext &Ctx, std::string OnlyAxis,
                  const TypedNodes &Typed)
      : OnlyAxis(std::move(OnlyAxis)), Typed(Typed),
        Annotations(Ctx, nullptr, [](clang::SourceLocation, std::string) {}) {}

  bool varies(const clang::ValueDecl *D);
  /// The axes of the communicator \p D, with commas between.
  std::string axesOf(const clang::ValueDecl *D);
  /// What annotations say of the variable or member \p E.
  collectives::Declared number(const clang::Expr *E);
  /// The number of \p E among what types may say to be each rank's own: what
  /// is computed or read here.
  std::optional<unsigned> typed(const clang::Expr *E);
  /// Where those are, by their numbers.
  std::vector<TypesAt> takeTyped() { return std::move(Places); }

private:
  const std::string OnlyAxis;
  const TypedNodes &Typed;
  std::vector<TypesAt> Places;
  AnnotationReader Annotations;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_DECLAREDVARYING_H
