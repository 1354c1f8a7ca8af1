#include "spmd/store.h"

#include "Table.h"

#include "spmd/error.h"

#include <vector>

namespace spmd {

void bootstrap::nobodySet(const std::string &Key, const std::string &Why) {
  detail::fail("spmd::Store: nobody has set '" + Key + "' within " +
               std::to_string(deadline().count()) + " ms" +
               (Why.empty() ? "" : "; " + Why));
}

bool bootstrap::Table::await(const std::string &Key, std::string &Value) {
  std::unique_lock<std::mutex> Held(Lock);
  return Changed.wait_for(Held, deadline(), [&] { return look(Key, Value); });
}

/// What ranks that do not come for the same are told, or nothing.
static std::string difference(const std::vector<std::string> &Said) {
  for (std::size_t R = 1; R < Said.size(); ++R)
    if (Said[R] != Said[0])
      return "rank 0 comes for " + Said[0] + ", rank " + std::to_string(R) +
             " for " + Said[R];
  return {};
}

std::string Store::turn(const std::string &Name, int Rank) {
  const std::lock_guard<std::mutex> Held(TurnsLock);
  return Name + "/" + std::to_string(Turns[{Name, Rank}]++);
}

std::string Store::fromFirst(const std::string &Name, int Rank,
                             const std::string &Value) {
  const std::string Key = turn("first/" + Name, Rank);
  if (Rank != 0)
    return get(Key);
  set(Key, Value);
  return Value;
}

// Rank 0 leaves last: after it the store may be gone.
void Store::barrier(const std::string &Name, int Rank, int Size,
                    const std::string &Says) {
  const std::string Key = turn("barrier/" + Name, Rank);
  const auto Of = [&Key](const char *What, int R) {
    return Key + What + std::to_string(R);
  };
  std::string Why;
  if (Rank != 0) {
    set(Of("/came/", Rank), Says);
    Why = get(Key);
    set(Of("/left/", Rank), "");
  } else {
    std::vector<std::string> Said = {Says};
    for (int R = 1; R < Size; ++R)
      Said.push_back(get(Of("/came/", R)));
    set(Key, Why = difference(Said));
    for (int R = 1; R < Size; ++R)
      get(Of("/left/", R));
  }
  if (!Why.empty())
    detail::fail("the ranks disagree: " + Why);
}

namespace {

class MemoryStore final : public Store {
public:
  void set(const std::string &Key, const std::string &Value) override {
    Entries.set(Key, Value);
  }
  std::string get(const std::string &Key) override {
    std::string Value;
    if (!Entries.await(Key, Value))
      bootstrap::nobodySet(Key);
    return Value;
  }

private:
  bootstrap::Table Entries;
};

} // namespace

std::shared_ptr<Store> memory_store() {
  return std::make_shared<MemoryStore>();
}

} // namespace spmd
