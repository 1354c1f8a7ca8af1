//===- spmd-suppression.cpp - See spmd-suppression.md ---------------------===//

#include "spmd/lint/Check.h"

using namespace spmd::lint;

static constexpr CheckOption Options[] = {
    {"ReportUnused", OptionKind::Flag, "true",
     "Whether a suppression that suppresses nothing is reported."},
    {"RequireReason", OptionKind::Flag, "true",
     "Whether a suppression without a reason is reported."}};

static const CheckRegistration Register(
    {"spmd-suppression", Severity::Warning,
     "a suppression that suppresses nothing, or gives no reason", Options});
