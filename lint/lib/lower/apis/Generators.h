//===- Generators.h - Engines of random numbers -----------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_GENERATORS_H
#define SPMD_LINT_LOWER_APIS_GENERATORS_H

#include "../ExprLowering.h"

#include <optional>

namespace spmd::lint::lower {

/// The parameter of \p FD that is an engine of `<random>` to draw from; nothing
/// where there is none.
std::optional<unsigned> engineParameter(const clang::FunctionDecl *FD);

/// \p Engine has drawn a number, or leaves out as many as \p By says: those to
/// come are others.
void advanceEngine(ExprLowering &L, const clang::Expr *Engine,
                   const clang::Expr *At, const clang::Expr *By = nullptr);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_GENERATORS_H
