//===- SuggestSharding.h - --suggest-sharding for one file ------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_SUGGESTSHARDING_H
#define SPMD_LINT_LIB_SUGGESTSHARDING_H

#include "ProgramText.h"

namespace spmd::sharding {
struct Suggestion;
} // namespace spmd::sharding

namespace spmd::rules {
struct InlinedFunction;
} // namespace spmd::rules

namespace spmd::lint {

/// Adds to \p Result what is suggested for each function that \p Req means.
void suggestSharding(const rules::Module &M, const ProgramText &Text,
                     const Config &Cfg, const SuggestRequest &Req,
                     LintResult &Result);

/// The operators that redistribute what a suggestion redistributes, around the
/// expressions. None where one of them cannot be written: then the annotations
/// stand alone.
std::vector<Edit> insertOperators(const sharding::Suggestion &S,
                                  const rules::InlinedFunction &In,
                                  const ProgramText &Text);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_SUGGESTSHARDING_H
