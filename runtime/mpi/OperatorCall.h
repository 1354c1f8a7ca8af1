//===- OperatorCall.h - An operator that ranks come to ----------*- C++ -*-===//

#ifndef SPMD_MPI_OPERATORCALL_H
#define SPMD_MPI_OPERATORCALL_H

#include "CheckedBarrier.h"

#include "../lib/CallHash.h"

#include "spmd/axis.h"

namespace spmd::mpi {

class OperatorCall final : public Operation {
public:
  explicit OperatorCall(const Call &C) : C(C) {}
  std::uint64_t hash() const override { return detail::hashOf(C); }
  std::uint64_t place() const override { return detail::hashOf(C.At); }
  std::string text() const override { return describeCall(C) + at(C.At); }
  std::string where() const override { return detail::describe(C.On); }
  [[noreturn]] void fail(const std::string &Cause) const override {
    failOn(C, Cause);
  }

private:
  const Call &C;
};

} // namespace spmd::mpi

#endif // SPMD_MPI_OPERATORCALL_H
