// The ops of ATen that share one shape of declaration, listed once: Tensor.h
// makes methods of them, Functions.h free functions.
#pragma once

// f(x), x.f(), x.f_(), f_(x), f_out(y, x)
#define SPMD_STUB_UNARY(X)                                                     \
  X(abs)                                                                       \
  X(absolute) X(neg) X(negative) X(acos) X(arccos) X(acosh) X(arccosh) X(asin) \
      X(arcsin) X(asinh) X(arcsinh) X(atan) X(arctan) X(atanh) X(arctanh)      \
          X(bitwise_not) X(ceil) X(conj_physical) X(cos) X(cosh) X(deg2rad)    \
              X(digamma) X(erf) X(erfc) X(erfinv) X(exp) X(exp2) X(expm1)      \
                  X(fix) X(floor) X(frac) X(i0) X(lgamma) X(log) X(log10)      \
                      X(log1p) X(log2) X(logical_not) X(rad2deg) X(reciprocal) \
                          X(relu) X(round) X(rsqrt) X(sgn) X(sigmoid) X(sign)  \
                              X(sin) X(sinc) X(sinh) X(sqrt) X(square) X(tan)  \
                                  X(tanh) X(trunc)

// Methods and free functions of one tensor without an in-place form.
#define SPMD_STUB_UNARY_PURE(X)                                                \
  X(angle)                                                                     \
  X(positive) X(resolve_conj) X(resolve_neg) X(isnan) X(isfinite) X(isinf)     \
      X(isneginf) X(isposinf) X(isreal) X(signbit) X(ravel) X(fliplr)          \
          X(flipud) X(nonzero) X(argwhere) X(trace) X(inverse) X(det)          \
              X(logdet) X(adjoint) X(msort) X(matrix_exp) X(corrcoef) X(alias)

// Free functions only; in namespace at.
#define SPMD_STUB_UNARY_FREE(X)                                                \
  X(silu)                                                                      \
  X(mish) X(selu) X(hardsigmoid) X(hardswish) X(relu6) X(log_sigmoid)          \
      X(view_as_real) X(view_as_complex) X(real) X(imag) X(conj)               \
          X(special_expit) X(special_erf) X(special_gammaln) X(linalg_inv)     \
              X(linalg_det) X(linalg_eigvals)

// Second operand a tensor or a scalar; x.f(y), x.f_(y), f(x, y)
#define SPMD_STUB_BINARY(X)                                                    \
  X(mul)                                                                       \
  X(multiply) X(div) X(divide) X(true_divide) X(floor_divide) X(fmod)          \
      X(remainder) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(not_equal) X(less)    \
          X(less_equal) X(greater) X(greater_equal) X(bitwise_and)             \
              X(bitwise_or) X(bitwise_xor) X(bitwise_left_shift)               \
                  X(bitwise_right_shift) X(copysign) X(xlogy) X(float_power)

// The same with a factor for the second operand.
#define SPMD_STUB_BINARY_ALPHA(X) X(add) X(sub) X(subtract)

// Both operands tensors, with in-place form.
#define SPMD_STUB_BINARY_TENSOR(X)                                             \
  X(atan2)                                                                     \
  X(arctan2) X(hypot) X(heaviside) X(gcd) X(lcm) X(nextafter) X(ldexp)         \
      X(igamma) X(igammac) X(logical_and) X(logical_or) X(logical_xor)

// Both operands tensors, no in-place form.
#define SPMD_STUB_BINARY_PURE(X)                                               \
  X(maximum)                                                                   \
  X(minimum) X(fmax) X(fmin) X(matmul) X(mm) X(bmm) X(mv) X(dot) X(vdot)       \
      X(inner) X(outer) X(ger) X(kron) X(logaddexp) X(logaddexp2) X(smm)       \
          X(take) X(masked_select) X(orgqr)
