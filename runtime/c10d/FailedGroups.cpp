#include "FailedGroups.h"

#include <atomic>
#include <map>
#include <mutex>

namespace spmd {
namespace {

/// A group that is gone leaves its address to nobody while it is here.
struct Failed {
  c10::weak_intrusive_ptr<c10d::ProcessGroup> Group;
  std::string Cause;
};

struct Table {
  std::atomic<bool> Any{false};
  std::mutex Lock;
  std::map<const c10d::ProcessGroup *, Failed> Of;
};

/// Never destroyed: operators may still fail as the program ends.
Table &table() {
  static Table &All = *new Table;
  return All;
}

} // namespace

void noteFailed(const c10::intrusive_ptr<c10d::ProcessGroup> &Group,
                const std::string &Cause) {
  Table &All = table();
  const std::lock_guard<std::mutex> Held(All.Lock);
  All.Of.emplace(
      Group.get(),
      Failed{c10::weak_intrusive_ptr<c10d::ProcessGroup>(Group), Cause});
  All.Any = true;
}

std::string whyFailed(const c10d::ProcessGroup &Group) {
  Table &All = table();
  if (!All.Any.load())
    return {};
  const std::lock_guard<std::mutex> Held(All.Lock);
  const auto It = All.Of.find(&Group);
  return It == All.Of.end() ? std::string() : It->second.Cause;
}

} // namespace spmd
