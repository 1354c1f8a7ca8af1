#include "spmd/store.h"

#include "Table.h"

#include "spmd/error.h"

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

// Rank 0 leaves last: after it the store may be gone.
void Store::barrier(const std::string &Name, int Rank, int Size) {
  const std::string Key = "barrier/" + Name;
  const auto Of = [&Key](const char *What, int R) {
    return Key + What + std::to_string(R);
  };
  if (Rank != 0) {
    set(Of("/came/", Rank), "");
    get(Key);
    set(Of("/left/", Rank), "");
    return;
  }
  for (int R = 1; R < Size; ++R)
    get(Of("/came/", R));
  set(Key, "");
  for (int R = 1; R < Size; ++R)
    get(Of("/left/", R));
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
