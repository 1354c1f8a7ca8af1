//===- spmd-varying-metadata.cpp - See spmd-varying-metadata.md -----------===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static constexpr llvm::StringRef Arguments[] = {
    "root", "reduction", "datatype", "count", "communicator", "tag"};

static constexpr CheckOption Options[] = {
    {"IgnoredArguments", OptionKind::Names, "",
     "Arguments that may differ between ranks: root, reduction, datatype, "
     "count, communicator, tag.",
     Arguments}};

static const CheckRegistration
    Register({"spmd-varying-metadata", Severity::Error,
              "ranks make one collective call with different roots, "
              "reductions, types, counts or communicators",
              Options});

static std::string message(const Finding &F) {
  if (F.OfMessages)
    return "the " + F.Differs + " of this '" + F.Call +
           "' does not fit that of the '" + F.Other +
           "' on the other rank: " + F.Witness;
  return "the " + F.Differs + " of this '" + F.Call +
         "' is not the same on all ranks, which must agree on it: " + F.Witness;
}

static const CollectiveTextRegistration
    Text({FindingKind::Metadata, "spmd-varying-metadata", message});

} // namespace spmd::lint
