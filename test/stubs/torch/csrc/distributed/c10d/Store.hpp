// Stand-in for c10d's key-value store.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace c10d {

class Store : public torch::CustomClassHolder {
public:
  Store();
  ~Store() override;
  virtual void set(const std::string &key,
                   const std::vector<uint8_t> &value) = 0;
  virtual std::vector<uint8_t> get(const std::string &key) = 0;
  virtual int64_t add(const std::string &key, int64_t value) = 0;
  virtual void wait(const std::vector<std::string> &keys) = 0;
};

struct TCPStoreOptions {
  static constexpr uint16_t kDefaultPort = 29500;
  uint16_t port = kDefaultPort;
  bool isServer = false;
  std::optional<std::size_t> numWorkers;
  bool waitWorkers = true;
  std::chrono::milliseconds timeout = std::chrono::seconds(300);
};

#define SPMD_STUB_STORE(Name, ...)                                             \
  class Name : public Store {                                                  \
  public:                                                                      \
    explicit Name(__VA_ARGS__);                                                \
    void set(const std::string &, const std::vector<uint8_t> &) override;      \
    std::vector<uint8_t> get(const std::string &) override;                    \
    int64_t add(const std::string &, int64_t) override;                        \
    void wait(const std::vector<std::string> &) override;                      \
  }
SPMD_STUB_STORE(TCPStore, std::string host, const TCPStoreOptions &opts = {});
SPMD_STUB_STORE(FileStore, std::string path, int numWorkers);
SPMD_STUB_STORE(HashStore, );
SPMD_STUB_STORE(PrefixStore, std::string prefix,
                c10::intrusive_ptr<Store> store);
#undef SPMD_STUB_STORE

} // namespace c10d
