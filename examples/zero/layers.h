// The layers, forward and backward, as launches on a stream.
//
// Every rank has the same weights, R, and its own rows, V. What a backward
// launch adds to a weight's gradient comes from the rank's rows alone: it is
// one term of the sum over the ranks, so that buffer is P. Kernels cannot show
// that, and backward launches are trusted for it.

#pragma once

#include "shape.h"

namespace zero {

struct Launch {
  cudaStream_t stream;
  cublasHandle_t blas;
};

//===--- embedding.cu: out = table[tokens] + positions
//---------------------===//
void embedding_forward([[spmd::type("dp: V")]] float *out,
                       [[spmd::type("dp: V")]] const int *tokens,
                       [[spmd::type("dp: R")]] const float *table,
                       [[spmd::type("dp: R")]] const float *positions,
                       const Shape &shape, Launch on);
[[spmd::no_typecheck]] void
embedding_backward([[spmd::type("dp: P")]] float *dtable,
                   [[spmd::type("dp: P")]] float *dpositions,
                   [[spmd::type("dp: V")]] const float *dout,
                   [[spmd::type("dp: V")]] const int *tokens,
                   const Shape &shape, Launch on);

//===--- layernorm.cu
//-------------------------------------------------------===//
void layernorm_forward([[spmd::type("dp: V")]] float *out,
                       [[spmd::type("dp: V")]] const float *in,
                       [[spmd::type("dp: R")]] const float *weight,
                       [[spmd::type("dp: R")]] const float *bias, int rows,
                       int channels, Launch on);
/// Adds to \p din: the residual stream's gradient is already there.
[[spmd::no_typecheck]] void
layernorm_backward([[spmd::type("dp: V")]] float *din,
                   [[spmd::type("dp: P")]] float *dweight,
                   [[spmd::type("dp: P")]] float *dbias,
                   [[spmd::type("dp: V")]] const float *dout,
                   [[spmd::type("dp: V")]] const float *in,
                   [[spmd::type("dp: R")]] const float *weight, int rows,
                   int channels, Launch on);

//===--- linear.cu: out[rows, outs] = in[rows, ins] weight[outs, ins]^T
//-----===//
void linear_forward([[spmd::type("dp: V")]] float *out,
                    [[spmd::type("dp: V")]] const float *in,
                    [[spmd::type("dp: R")]] const float *weight, int rows,
                    int ins, int outs, Launch on);
void add_bias([[spmd::type("dp: V")]] float *out,
              [[spmd::type("dp: R")]] const float *bias, int rows, int outs,
              Launch on);
void linear_backward_input([[spmd::type("dp: V")]] float *din,
                           [[spmd::type("dp: V")]] const float *dout,
                           [[spmd::type("dp: R")]] const float *weight,
                           int rows, int ins, int outs, Launch on);
[[spmd::no_typecheck]] void
linear_backward_weight([[spmd::type("dp: P")]] float *dweight,
                       [[spmd::type("dp: V")]] const float *dout,
                       [[spmd::type("dp: V")]] const float *in, int rows,
                       int ins, int outs, Launch on);
[[spmd::no_typecheck]] void
bias_backward([[spmd::type("dp: P")]] float *dbias,
              [[spmd::type("dp: V")]] const float *dout, int rows, int outs,
              Launch on);

//===--- attention.cu: causal; qkv is [rows, 3, heads, head size]
//-----------===//
void attention_forward([[spmd::type("dp: V")]] float *out,
                       [[spmd::type("dp: V")]] float *weights,
                       [[spmd::type("dp: V")]] const float *qkv,
                       const Shape &shape, Launch on);
void attention_backward([[spmd::type("dp: V")]] float *dqkv,
                        [[spmd::type("dp: V")]] const float *dout,
                        [[spmd::type("dp: V")]] const float *weights,
                        [[spmd::type("dp: V")]] const float *qkv,
                        const Shape &shape, Launch on);

//===--- pointwise.cu
//-------------------------------------------------------===//
void gelu_forward([[spmd::type("dp: V")]] float *out,
                  [[spmd::type("dp: V")]] const float *in, int count,
                  Launch on);
/// In place: \p dout becomes the gradient of \p in.
void gelu_backward([[spmd::type("dp: V")]] float *dout,
                   [[spmd::type("dp: V")]] const float *in, int count,
                   Launch on);
void residual([[spmd::type("dp: V")]] float *out,
              [[spmd::type("dp: V")]] const float *a,
              [[spmd::type("dp: V")]] const float *b, int count, Launch on);

//===--- loss.cu
//------------------------------------------------------------===//
/// Cross entropy of each row. \p logits become their gradient, scaled by
/// \p share: the part of one row in the mean over all ranks and micro-steps.
void loss_and_gradient([[spmd::type("dp: V")]] float *losses,
                       [[spmd::type("dp: V")]] float *logits,
                       [[spmd::type("dp: V")]] const int *targets, float share,
                       int rows, int vocabulary, Launch on);

} // namespace zero
