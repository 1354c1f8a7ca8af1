#pragma once

#include <ATen/core/Tensor.h>

namespace at {
#define SPMD_STUB_OPERATOR(op)                                                 \
  Tensor operator op(const Tensor &x, const Tensor &y);                        \
  Tensor operator op(const Tensor &x, Scalar y);                               \
  Tensor operator op(Scalar x, const Tensor &y);
SPMD_STUB_OPERATOR(+)
SPMD_STUB_OPERATOR(-)
SPMD_STUB_OPERATOR(*)
SPMD_STUB_OPERATOR(/)
SPMD_STUB_OPERATOR(%)
SPMD_STUB_OPERATOR(&)
SPMD_STUB_OPERATOR(|)
SPMD_STUB_OPERATOR(^)
SPMD_STUB_OPERATOR(<)
SPMD_STUB_OPERATOR(<=)
SPMD_STUB_OPERATOR(>)
SPMD_STUB_OPERATOR(>=)
SPMD_STUB_OPERATOR(==)
SPMD_STUB_OPERATOR(!=)
#undef SPMD_STUB_OPERATOR
} // namespace at
