//===- MatcherText.h - Matchers in clang-query's language -------*- C++ -*-===//

#ifndef SPMD_LINT_MATCHERTEXT_H
#define SPMD_LINT_MATCHERTEXT_H

#include "spmd/ops/CollectiveApi.h"

#include "clang/ASTMatchers/ASTMatchersInternal.h"

namespace spmd::lint {

/// What `callExpr(collectiveCall("all_reduce")).bind("call")` says: Clang's
/// matchers and ours. Calls are those of \p Apis, which must outlive it. The
/// error has line, column and what was expected.
llvm::Expected<clang::ast_matchers::internal::DynTypedMatcher>
parseMatcher(llvm::StringRef Text, const rules::CollectiveApis &Apis);

} // namespace spmd::lint

#endif // SPMD_LINT_MATCHERTEXT_H
