//===- ExitFindings.h - What is found, with its place and type --*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RULES_EXITFINDINGS_H
#define SPMD_TEST_UNIT_RULES_EXITFINDINGS_H

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include <string>
#include <vector>

/// "3:1 w V" per finding in the program \p Text.
inline std::vector<std::string> exitFindings(llvm::StringRef Text) {
  using namespace spmd::rules;
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(std::to_string(P.Line) + ":" + std::to_string(P.Column) +
                  " " + V.Op + " " + printAxisType(V.Operands[0].Type));
  }
  return Out;
}

#endif // SPMD_TEST_UNIT_RULES_EXITFINDINGS_H
