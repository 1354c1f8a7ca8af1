//===- ModuleParts.h - Parameters of some modules of a list -----*- C++ -*-===//
//
// `seq->ptr(i)->parameters()` in a loop that leaves the last layer out: what is
// done to them is not done to those of all layers.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_APIS_MODULEPARTS_H
#define SPMD_LINT_LOWER_APIS_MODULEPARTS_H

#include "../ExprLowering.h"

namespace spmd::lint::lower {

/// The list of modules of which \p Module is some, but not all in turn, where
/// \p In names no other of them; null if it is none.
const clang::Expr *listOfSome(const clang::FunctionDecl *In,
                              const clang::Expr *Module);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_MODULEPARTS_H
