//===- SameElements.h - One struct of a list, named again -------*- C++ -*-===//

#ifndef SPMD_IR_SAMEELEMENTS_H
#define SPMD_IR_SAMEELEMENTS_H

#include "spmd/ir/IR.h"

namespace spmd::rules {

/// `layers[i].g` and, while \p F changes neither, `layers[i].w` are members of
/// one struct: what takes it again is left out, and what it took is the first.
void nameSameElements(Function &F);

} // namespace spmd::rules

#endif // SPMD_IR_SAMEELEMENTS_H
