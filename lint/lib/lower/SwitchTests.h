//===- SwitchTests.h - A switch as comparisons ------------------*- C++ -*-===//
//
// `switch (mode) { case 0: … }` decides as `if (mode == 0) …` does.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_SWITCHTESTS_H
#define SPMD_LINT_LOWER_SWITCHTESTS_H

#include "ExprLowering.h"

#include "clang/Analysis/CFG.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::lower {

/// Where the switch at the end of \p B goes on to, by blocks that compare the
/// number that \p Of compares with one case each: the first is that which is
/// being lowered. False, and nothing is done, where it cannot be told by some.
bool lowerSwitch(
    ExprLowering &L, const clang::CFGBlock &B, const rules::BranchTest &Of,
    llvm::function_ref<std::optional<rules::BlockId>(const clang::CFGBlock *)>
        NumberOf);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SWITCHTESTS_H
