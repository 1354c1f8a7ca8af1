//===- LowerModuleLoops.h - One turn for all modules in a module -*- C++ -*-==//

#ifndef SPMD_LINT_LOWER_LOWERMODULELOOPS_H
#define SPMD_LINT_LOWER_LOWERMODULELOOPS_H

#include "BlockOrder.h"
#include "ExprLowering.h"

namespace spmd::lint::lower {

/// `for (auto &child : net->children())`: what \p VD is, which has all their
/// parameters; none if it is an element of something else.
rules::Operand moduleOfLoop(ExprLowering &L, const clang::VarDecl *VD);
/// Gives the loops over modules of the function the turns that they have.
void unrollModules(ExprLowering &L, const BlockOrder &Order);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERMODULELOOPS_H
