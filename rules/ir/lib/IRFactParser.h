//===- IRFactParser.h - Reading facts ---------------------------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_IRFACTPARSER_H
#define SPMD_RULES_LIB_IRFACTPARSER_H

#include "IRPartParser.h"
#include "spmd/ops/OpCatalogue.h"

namespace spmd::rules {

/// One fact, in the function that is being read.
class IRFactParser : protected IRPartParser {
protected:
  IRFactParser(llvm::StringRef Text, const OpCatalogue &Ops)
      : IRPartParser(Text), Ops(Ops) {}

  Fact fact();

  llvm::StringMap<const OpRule *> OwnRules; ///< by what the text calls them

private:
  bool atDefinition();
  Fact definition(SlotId Dst, DefineFact::Kind K);
  Fact view(SlotId Dst);
  Fact op(SlotId Dst);
  Fact transfer(SlotId Dst, TransferKind K);
  Fact assertion();
  Fact call(SlotId Dst);
  GivenNumber givenNumber(std::size_t Argument);
  Fact havoc();
  Fact result();
  Fact point();
  const OpRule *findRule(llvm::StringRef Name) const;

  const OpCatalogue &Ops;
};

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_IRFACTPARSER_H
