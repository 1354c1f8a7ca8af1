//===- FailedGroups.h - Groups of which a call has failed -------*- C++ -*-===//

#ifndef SPMD_C10D_FAILEDGROUPS_H
#define SPMD_C10D_FAILEDGROUPS_H

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <string>

namespace spmd {

/// A call that has failed on one rank may have come to its end on another: from
/// then on the ranks would meet in calls that do not belong together. A group
/// is made to several communicators, so it is kept by itself.
void noteFailed(const c10::intrusive_ptr<c10d::ProcessGroup> &Group,
                const std::string &Cause);

/// The first cause, or empty.
std::string whyFailed(const c10d::ProcessGroup &Group);

} // namespace spmd

#endif // SPMD_C10D_FAILEDGROUPS_H
