//===- Generators.h - Engines of random numbers -----------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_GENERATORS_H
#define SPMD_LINT_LOWER_APIS_GENERATORS_H

#include "clang/AST/Decl.h"

#include <optional>

namespace spmd::lint::lower {

/// The parameter of \p FD that is an engine of `<random>` to draw from; nothing
/// where there is none.
std::optional<unsigned> engineParameter(const clang::FunctionDecl *FD);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_GENERATORS_H
