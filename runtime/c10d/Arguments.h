//===- Arguments.h - What a process group's call is given -------*- C++ -*-===//

#ifndef SPMD_C10D_ARGUMENTS_H
#define SPMD_C10D_ARGUMENTS_H

#include "spmd/communicator.h"

#include <ATen/ATen.h>

#include <array>

namespace spmd {

at::ScalarType scalarType(DType T);
/// The type that elements are moved as: not every group knows bfloat16.
at::ScalarType movedType(DType T);
/// A tensor over \p Count elements at \p Data.
at::Tensor tensorOver(const void *Data, std::int64_t Count, at::ScalarType Type,
                      at::Device On);

/// Tensors over the buffers of one call, as the group's functions take them.
struct Arguments {
  /// \p Sums: the group adds what an operator scatters, and does not only move
  /// it.
  Arguments(const Call &C, const Transfer &Data, at::Device On, bool Sums);

  /// Whether they are those of this call.
  bool fit(const Call &C, const Transfer &Data) const;

  at::Tensor Input, Output;
  /// The operand of an all_gather, what an all_reduce sums in place.
  std::vector<at::Tensor> Operand;
  /// The ranks' parts of what is gathered, in one list if they are even, else a
  /// list each.
  std::vector<std::vector<at::Tensor>> Parts;
  /// How many elements each rank has of both; none if they are even.
  std::vector<std::int64_t> Sent, Received;

private:
  void gather(const Call &C, const Transfer &Data, at::Device On);

  rules::OperatorKind Op;
  DType Type;
  const void *In;
  void *Out;
  std::int64_t Count, EachSent, EachReceived;
};

/// To make tensors takes as long as the rest of a call, and programs use the
/// same buffers again and again. A tensor is but an address and a size here, so
/// one whose buffer has gone does no harm.
class KeptArguments {
public:
  KeptArguments(at::Device On, bool Sums) : On(On), Sums(Sums) {}
  Arguments &of(const Call &C, const Transfer &Data);
  at::Device device() const { return On; }

private:
  const at::Device On;
  const bool Sums;
  std::array<std::unique_ptr<Arguments>, 61> Last;
};

} // namespace spmd

#endif // SPMD_C10D_ARGUMENTS_H
