// Operators of several communicators that are under way at once.

#include "StandIn.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace spmd::standin {
namespace {

using Key = std::pair<std::uint64_t, std::uint64_t>;

std::mutex Lock;
/// What is under way on a device, in the order in which it came.
std::map<int, std::vector<Key>> OnDevice;
/// What came after an operator on some device, before that had ended there.
std::map<Key, std::set<Key>> After;
/// On how many ranks an operator has ended.
std::map<Key, int> Ended;

bool comesTo(const Key &From, const Key &To, std::set<Key> &Seen) {
  if (From == To)
    return true;
  const auto Next = After.find(From);
  return Next != After.end() && Seen.insert(From).second &&
         std::any_of(Next->second.begin(), Next->second.end(),
                     [&](const Key &K) { return comesTo(K, To, Seen); });
}

} // namespace

void comes(const Underway &U) {
  const Key Mine{U.Of, U.Number};
  const std::lock_guard<std::mutex> Held(Lock);
  std::vector<Key> &Here = OnDevice[U.Device];
  for (const Key &Before : Here) {
    std::set<Key> Seen;
    if (Before.first != Mine.first && comesTo(Mine, Before, Seen))
      complain("communicators are used at once in orders that wait for each "
               "other");
    After[Before].insert(Mine);
  }
  Here.push_back(Mine);
}

void goes(const Underway &U) {
  const Key Mine{U.Of, U.Number};
  const std::lock_guard<std::mutex> Held(Lock);
  std::vector<Key> &Here = OnDevice[U.Device];
  Here.erase(std::find(Here.begin(), Here.end(), Mine));
  if (++Ended[Mine] < U.Ranks)
    return;
  Ended.erase(Mine);
  After.erase(Mine);
}

} // namespace spmd::standin
