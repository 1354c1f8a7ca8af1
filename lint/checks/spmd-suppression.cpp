//===- spmd-suppression.cpp - See spmd-suppression.md ---------------------===//

#include "spmd/lint/Check.h"

using namespace spmd::lint;

static const CheckRegistration
    Register({"spmd-suppression", Severity::Warning,
              "a suppression that suppresses nothing, or gives no reason"});
