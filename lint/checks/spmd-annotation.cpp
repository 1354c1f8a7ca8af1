//===- spmd-annotation.cpp - See spmd-annotation.md -----------------------===//

#include "spmd/lint/Check.h"

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-annotation", Severity::Error,
              "an annotation that cannot be understood or cannot stand here"});

} // namespace spmd::lint
