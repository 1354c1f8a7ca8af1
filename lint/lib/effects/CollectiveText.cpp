//===- CollectiveText.cpp - Findings about collectives as diagnostics -----===//

#include "spmd/lint/CollectiveText.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::lint {

static std::vector<CollectiveText> &registry() {
  static std::vector<CollectiveText> Texts;
  return Texts;
}

CollectiveTextRegistration::CollectiveTextRegistration(
    const CollectiveText &Text) {
  registry().push_back(Text);
}

const CollectiveText *collectiveText(collectives::FindingKind K) {
  const auto Of = llvm::find_if(
      registry(), [K](const CollectiveText &T) { return T.Kind == K; });
  return Of == registry().end() ? nullptr : &*Of;
}

} // namespace spmd::lint
