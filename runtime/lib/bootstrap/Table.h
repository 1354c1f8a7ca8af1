//===- Table.h - Keys and values that threads wait for ----------*- C++ -*-===//

#ifndef SPMD_LIB_BOOTSTRAP_TABLE_H
#define SPMD_LIB_BOOTSTRAP_TABLE_H

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace spmd::bootstrap {

/// Error: "spmd::Store: nobody has set 'key' within 300 ms", and \p Why.
[[noreturn]] void nobodySet(const std::string &Key,
                            const std::string &Why = {});

class Table {
public:
  void set(const std::string &Key, const std::string &Value) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Entries[Key] = Value;
    }
    Changed.notify_all();
  }
  /// False if nobody has set it.
  bool find(const std::string &Key, std::string &Value) {
    const std::lock_guard<std::mutex> Held(Lock);
    return look(Key, Value);
  }
  /// Waits for it; false at the deadline.
  bool await(const std::string &Key, std::string &Value);

private:
  bool look(const std::string &Key, std::string &Value) const {
    const auto It = Entries.find(Key);
    if (It == Entries.end())
      return false;
    Value = It->second;
    return true;
  }

  std::mutex Lock;
  std::condition_variable Changed;
  std::map<std::string, std::string> Entries;
};

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_TABLE_H
