//===- KindsOfClasses.h - Numbers that tell classes apart -------*- C++ -*-===//
//
// `if (layers[i]->kind() == Convolution) reduce(layers[i]);`: a member that all
// constructors of a class set to one number, and nobody else sets, says which
// class an object is of. A condition on it leaves out the objects of some.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_KINDSOFCLASSES_H
#define SPMD_LINT_LOWER_KINDSOFCLASSES_H

#include "clang/AST/Expr.h"

namespace spmd::lint::lower {

/// Whether \p Comparison is of such a number that a method without parameters
/// returns, does not hold for some class, and no condition in \p In on how much
/// there is leaves that one out anyway: `if (layers[i]->size() > 0)`, where
/// those of a class have nothing.
bool leavesOutClass(const clang::BinaryOperator *Comparison,
                    const clang::FunctionDecl *In);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_KINDSOFCLASSES_H
