//===- CollectiveText.cpp - Findings about collectives as diagnostics -----===//

#include "spmd/lint/CollectiveText.h"

#include <array>

namespace spmd::lint {

static std::array<const CollectiveText *, 4> &registry() {
  static std::array<const CollectiveText *, 4> Texts{};
  return Texts;
}

CollectiveTextRegistration::CollectiveTextRegistration(
    const CollectiveText &Text) {
  registry()[static_cast<unsigned>(Text.Kind)] = &Text;
}

const CollectiveText *collectiveText(collectives::FindingKind K) {
  return registry()[static_cast<unsigned>(K)];
}

} // namespace spmd::lint
