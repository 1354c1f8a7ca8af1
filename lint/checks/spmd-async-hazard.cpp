//===- spmd-async-hazard.cpp - See spmd-async-hazard.md -------------------===//

#include "spmd/lint/CollectiveText.h"

using namespace spmd::collectives;

namespace spmd::lint {

static const CheckRegistration
    Register({"spmd-async-hazard", Severity::Error,
              "storage or a request of an operation that may still run is "
              "touched, or nobody completes it"});

static std::string of(const Finding &F) {
  return "'" + F.Other + "' of line " + std::to_string(F.OtherAt.Line);
}

static std::string quoted(const std::string &Name, const char *Else) {
  return Name.empty() ? Else : "'" + Name + "'";
}

static std::string message(const Finding &F) {
  const std::string Storage = quoted(F.Storage, "a buffer");
  switch (F.Hazard) {
  case HazardKind::Read:
    return Storage + " is read by " + F.By + " while the " + of(F) +
           " may still write it: " + F.Missing;
  case HazardKind::Written:
    return Storage + " is written by " + F.By + " while the " + of(F) +
           " may still use it: " + F.Missing;
  case HazardKind::Freed:
    return Storage + " is given back by '" + F.By + "' while the " + of(F) +
           " may still use it: " + F.Missing;
  case HazardKind::Gone:
    return Storage + " goes out of scope while the " + of(F) +
           " may still use it: " + F.Missing;
  case HazardKind::Overwritten:
    return quoted(F.Storage, "the request") + " of the " + of(F) +
           " is overwritten by " + F.By +
           ", so that nobody can complete the first";
  case HazardKind::Restarted:
    return quoted(F.Storage, "the request") + " is started again while the " +
           of(F) + " is active: " + F.Missing;
  case HazardKind::Lost:
    return "nothing completes this '" + F.Other + "'" +
           (F.By.empty() ? std::string(" before its request is lost")
                         : " before " + F.By) +
           ": " + F.Missing;
  case HazardKind::NoEpoch:
    return "this '" + F.Other +
           "' is in no epoch of its window: no fence and no lock comes before "
           "it";
  case HazardKind::Unended:
    return "nothing ends what this '" + F.Other + "' begins before " + F.By +
           ": neither a fence nor an unlock";
  case HazardKind::Leaked:
    break; // spmd-handle-leak
  case HazardKind::OpenGroup:
    return "this '" + F.Other +
           "' is not ended on every way, so that what follows is never put on "
           "its streams";
  }
  return {};
}

static const CollectiveTextRegistration Text({FindingKind::Hazard,
                                              "spmd-async-hazard", message});

} // namespace spmd::lint
