//===- RankBackend.h - A backend for each thread ----------------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_RANKBACKEND_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_RANKBACKEND_H

#include <spmd/backend.h>

namespace spmd::test {

/// Where ranks are threads, though the backend is one for processes: each has
/// its own, which it sets.
struct RankBackend final : Backend {
  static std::shared_ptr<Backend> &mine() {
    static thread_local std::shared_ptr<Backend> Of;
    return Of;
  }
  const char *name() const override { return mine()->name(); }
  std::shared_ptr<Communicator> connect(const Axis &A) override {
    return mine()->connect(A);
  }
  Memory &memory() override { return mine()->memory(); }
};

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_RANKBACKEND_H
