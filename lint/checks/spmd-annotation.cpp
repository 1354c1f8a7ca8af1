//===- spmd-annotation.cpp - See spmd-annotation.md -----------------------===//

#include "spmd/lint/Check.h"

namespace spmd::lint {

static constexpr CheckOption Options[] = {
    {"ForeignAttributes", OptionKind::Globs, "",
     "Attributes of other tools that look like slips of ours, as globs: "
     "'spm::*'."}};

static const CheckRegistration Register(
    {"spmd-annotation", Severity::Error,
     "an annotation that cannot be understood or cannot stand here", Options});

} // namespace spmd::lint
