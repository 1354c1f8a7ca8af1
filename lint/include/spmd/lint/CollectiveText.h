//===- CollectiveText.h - Findings on collectives in words ------*- C++ -*-===//

#ifndef SPMD_LINT_COLLECTIVETEXT_H
#define SPMD_LINT_COLLECTIVETEXT_H

#include "spmd/collectives/Finding.h"
#include "spmd/lint/Check.h"

namespace spmd::lint {

/// How one kind of finding about collectives is told. Each check of lint/checks
/// that speaks about one registers it.
struct CollectiveText {
  collectives::FindingKind Kind;
  llvm::StringRef Check;
  /// What is wrong, then why in one clause.
  std::string (*Message)(const collectives::Finding &);
};

class CollectiveTextRegistration {
public:
  explicit CollectiveTextRegistration(const CollectiveText &Text);
};

/// The text for \p K. Not before main.
const CollectiveText *collectiveText(collectives::FindingKind K);

} // namespace spmd::lint

#endif // SPMD_LINT_COLLECTIVETEXT_H
