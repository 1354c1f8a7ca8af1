//===- ElementCopies.h - Lists of the pointers in another -------*- C++ -*-===//
//
// `for (i = 0; i < n; i++) args.p[i] = net.w[i];` makes a list of the pointers
// in another, as code does that hands many buffers to one kernel: behind the
// loop, one is a name of the other.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_ELEMENTCOPIES_H
#define SPMD_LINT_LOWER_ELEMENTCOPIES_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// Behind \p Loop the local lists that it filled so are bound, if nothing else
/// puts anything into them.
void bindCopiedLists(ExprLowering &L, const EachLoop &Loop);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ELEMENTCOPIES_H
