//===- BranchTests.h - Conditions that decide alike -------------*- C++ -*-===//
//
// `if (cfg.stage == 2)`, `if (last)`: what a number decides that keeps its
// value in a function is decided alike wherever the function tests it. Numbers
// that are computed from what is tested, as whether a call failed or a tensor
// is defined, are none: whoever takes that way has nothing left to do right.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_BRANCHTESTS_H
#define SPMD_LINT_LOWER_BRANCHTESTS_H

#include "Amounts.h"
#include "Constancy.h"
#include "CountedMembers.h"
#include "GivenOptions.h"
#include "Settings.h"

#include "spmd/ir/IR.h"

#include "clang/Analysis/CFG.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::lint::lower {

struct NumbersOfFile {
  const clang::ASTContext &Ctx;
  const GivenOptions &Given;
  const Settings &Chosen;
  const CountedMembers &Counted;
};

struct NumbersOfBody {
  const Constancy &Constant;
  const Amounts &Counts;
};

/// How a loop over all elements of a list numbers them may be tested, too, if
/// \p OfElements: what hangs on it is done to some of them only. The test at
/// the end of \p B in the body of \p In; none where it is a loop's, a switch's,
/// or of no such number.
/// \p LoopOf names the block that begins the loop whose iterations a variable
/// counts, \p All what is known of members and parameters in all of the file.
std::optional<rules::BranchTest>
branchTest(const clang::CFGBlock &B, const clang::FunctionDecl *In,
           const NumbersOfBody &Here, const NumbersOfFile &All, bool OfElements,
           llvm::function_ref<rules::BlockId(const clang::VarDecl *)> LoopOf);
/// Whether \p E is true, where that tells the iterations of a loop apart.
std::optional<rules::BranchTest> iterationTest(
    const clang::Expr *E, const clang::FunctionDecl *In,
    const NumbersOfBody &Here, const NumbersOfFile &All,
    llvm::function_ref<rules::BlockId(const clang::VarDecl *)> LoopOf);
/// The number that the switch at the end of \p B asks for, compared with zero.
std::optional<rules::BranchTest> switchTest(const clang::CFGBlock &B,
                                            const clang::FunctionDecl *In,
                                            const NumbersOfBody &Here,
                                            const NumbersOfFile &All);
/// The test at the end of \p B, which data decide.
rules::BranchTest dataTest(const clang::CFGBlock &B,
                           const clang::ASTContext &Ctx);
/// Whether \p Bound, `i < list.size() / 2`, lets an iteration come.
rules::BranchTest boundTest(const clang::Expr *Bound,
                            const clang::ASTContext &Ctx);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BRANCHTESTS_H
