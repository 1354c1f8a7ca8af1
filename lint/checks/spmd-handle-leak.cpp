//===- spmd-handle-leak.cpp - See spmd-handle-leak.md ---------------------===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-handle-leak", Severity::Warning,
              "a communicator, group, datatype, reduction, window or request "
              "that nobody frees"});

static std::string message(const Finding &F) {
  return "nothing frees what this '" + F.Other + "' makes before " + F.By +
         ": the library keeps it to the end";
}

static const CollectiveTextRegistration Text({FindingKind::Leak,
                                              "spmd-handle-leak", message});

} // namespace spmd::lint
