//===- OptimizedParts.h - The parts of what is optimized --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_OPTIMIZEDPARTS_H
#define SPMD_LINT_LOWER_APIS_OPTIMIZEDPARTS_H

#include "../ExprLowering.h"

namespace spmd::lint::lower {

/// The tensors of the module \p Module, a \p T, and the lists of parameters of
/// the modules in it, where what is said of them is not the same for all, so
/// that it says nothing of the list that has them all.
llvm::SmallVector<SlotId, 8> differentParts(ExprLowering &L, SlotId Module,
                                            clang::QualType T);

/// The lists and tensors of which all that \p Given, the argument of an
/// optimizer of \p L's function, lists is put together: each is another
/// model's, or another part of one. None where it is no more than one.
llvm::SmallVector<SlotId, 8> partsGiven(ExprLowering &L,
                                        const clang::Expr *Given);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_OPTIMIZEDPARTS_H
