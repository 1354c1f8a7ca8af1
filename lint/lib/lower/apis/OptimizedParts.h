//===- OptimizedParts.h - The parts of a model, for its optimizer -*- C++
//-*-===//

#ifndef SPMD_LINT_LOWER_APIS_OPTIMIZEDPARTS_H
#define SPMD_LINT_LOWER_APIS_OPTIMIZEDPARTS_H

#include "../ExprLowering.h"

namespace spmd::lint::lower {

/// The tensors of the module \p Module, a \p T, and the lists of parameters of
/// the modules in it, where what is said of them is not the same for all, so
/// that it says nothing of the list that has them all.
llvm::SmallVector<SlotId, 8> differentParts(ExprLowering &L, SlotId Module,
                                            clang::QualType T);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_OPTIMIZEDPARTS_H
