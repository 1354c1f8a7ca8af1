//===- OpRules.h - Rules written in tests, and their enumeration -*- C++
//-*-===//

#ifndef SPMD_TEST_UNIT_RULES_OPRULES_H
#define SPMD_TEST_UNIT_RULES_OPRULES_H

#include "spmd/ops/OpRule.h"

/// A rule from its operands and its term, as in rules/ops.
spmd::rules::OpRule ruleOf(const std::string &Operands,
                           const std::string &Term);

/// Applies \p Rule to one operand per formal, or as \p FormalOf says.
spmd::rules::RuleResult apply(const spmd::rules::OpRule &Rule,
                              std::vector<spmd::rules::TypeSet> Sets,
                              std::vector<unsigned> FormalOf);
spmd::rules::RuleResult apply(const spmd::rules::OpRule &Rule,
                              std::vector<spmd::rules::TypeSet> Sets);

/// Compares applyRule with enumeration of all tuples, for all sets of types of
/// one operand per formal. Empty, or the first operands that differ.
std::string firstInexact(const spmd::rules::OpRule &Rule);

/// The letters of \p Set, "RV".
std::string letters(spmd::rules::TypeSet Set);

#endif // SPMD_TEST_UNIT_RULES_OPRULES_H
