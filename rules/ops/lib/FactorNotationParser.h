//===- FactorNotationParser.h - Reading `m k, k n -> m n` -------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_FACTORNOTATIONPARSER_H
#define SPMD_RULES_LIB_FACTORNOTATIONPARSER_H

#include "spmd/ops/OpSpec.h"
#include "spmd/types/PayloadScanner.h"

#include "llvm/ADT/StringSet.h"

namespace spmd::rules {

class FactorNotationParser {
public:
  /// \p AmongOthers: the notation ends before `|` and `of` as well.
  FactorNotationParser(PayloadScanner &In, bool AmongOthers)
      : In(In), AmongOthers(AmongOthers) {}

  FactorNotation parse();

private:
  void tensors(std::vector<FactorTensor> &Out, bool AreResults);
  FactorTensor tensor(bool IsResult);
  FactorUse factor(llvm::StringSet<> &Here, bool IsResult);
  bool atEnd();

  PayloadScanner &In;
  bool AmongOthers;
  bool OperandsHaveEllipsis = false;
  llvm::StringSet<> Known; ///< the operands' factors
  unsigned NumUses = 0;
};

std::string printFactorNotation(const FactorNotation &N);

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_FACTORNOTATIONPARSER_H
