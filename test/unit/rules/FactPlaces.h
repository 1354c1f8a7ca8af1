//===- FactPlaces.h - Where the facts of a module are -----------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RULES_FACTPLACES_H
#define SPMD_TEST_UNIT_RULES_FACTPLACES_H

#include "spmd/ir/IR.h"

#include <vector>

/// Of each block: findings point to its facts.
inline std::vector<const spmd::rules::Fact *>
factsOf(const spmd::rules::Module &M) {
  std::vector<const spmd::rules::Fact *> Out;
  for (const auto &F : M.Functions)
    for (const spmd::rules::Block &B : F->Blocks)
      Out.push_back(B.Facts.data());
  return Out;
}

#endif // SPMD_TEST_UNIT_RULES_FACTPLACES_H
