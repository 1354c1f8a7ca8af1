// Stand-in for the free functions of ATen.
#pragma once

#include <ATen/core/Tensor.h>

namespace at {
struct NoGradGuard {
  NoGradGuard();
  ~NoGradGuard();
};


#define SPMD_STUB_FUNCTION(name)                                               \
  Tensor name(const Tensor &self);                                             \
  Tensor &name##_(Tensor &self);                                               \
  Tensor &name##_out(Tensor &out, const Tensor &self);
SPMD_STUB_UNARY(SPMD_STUB_FUNCTION)
#undef SPMD_STUB_FUNCTION
#define SPMD_STUB_FUNCTION(name) Tensor name(const Tensor &self);
SPMD_STUB_UNARY_PURE(SPMD_STUB_FUNCTION)
SPMD_STUB_UNARY_FREE(SPMD_STUB_FUNCTION)
#undef SPMD_STUB_FUNCTION
#define SPMD_STUB_FUNCTION(name)                                               \
  Tensor name(const Tensor &self, const Tensor &other);                        \
  Tensor name(const Tensor &self, const Scalar &other);                        \
  Tensor &name##_out(Tensor &out, const Tensor &self, const Tensor &other);
SPMD_STUB_BINARY(SPMD_STUB_FUNCTION)
#undef SPMD_STUB_FUNCTION
#define SPMD_STUB_FUNCTION(name)                                               \
  Tensor name(const Tensor &self, const Tensor &other,                         \
              const Scalar &alpha = 1);                                        \
  Tensor name(const Tensor &self, const Scalar &other,                         \
              const Scalar &alpha = 1);                                        \
  Tensor &name##_out(Tensor &out, const Tensor &self, const Tensor &other,     \
                     const Scalar &alpha = 1);
SPMD_STUB_BINARY_ALPHA(SPMD_STUB_FUNCTION)
#undef SPMD_STUB_FUNCTION
#define SPMD_STUB_FUNCTION(name)                                               \
  Tensor name(const Tensor &self, const Tensor &other);                        \
  Tensor &name##_out(Tensor &out, const Tensor &self, const Tensor &other);
SPMD_STUB_BINARY_TENSOR(SPMD_STUB_FUNCTION)
SPMD_STUB_BINARY_PURE(SPMD_STUB_FUNCTION)
#undef SPMD_STUB_FUNCTION

Tensor div(const Tensor &self, const Tensor &other,
           optional<string_view> rounding_mode);
Tensor pow(const Tensor &self, const Tensor &exponent);
Tensor pow(const Tensor &self, const Scalar &exponent);
Tensor pow(const Scalar &self, const Tensor &exponent);
Tensor rsub(const Tensor &self, const Tensor &other, const Scalar &alpha = 1);
bool equal(const Tensor &self, const Tensor &other);
bool allclose(const Tensor &self, const Tensor &other, double rtol = 1e-05,
              double atol = 1e-08, bool equal_nan = false);
Tensor isclose(const Tensor &self, const Tensor &other, double rtol = 1e-05,
               double atol = 1e-08, bool equal_nan = false);

// Linear algebra.
Tensor linear(const Tensor &input, const Tensor &weight,
              const optional<Tensor> &bias = {});
Tensor bilinear(const Tensor &input1, const Tensor &input2,
                const Tensor &weight, const optional<Tensor> &bias = {});
Tensor einsum(string_view equation, TensorList tensors,
              OptionalIntArrayRef path = nullopt);
Tensor addmm(const Tensor &self, const Tensor &mat1, const Tensor &mat2,
             const Scalar &beta = 1, const Scalar &alpha = 1);
Tensor addmv(const Tensor &self, const Tensor &mat, const Tensor &vec,
             const Scalar &beta = 1, const Scalar &alpha = 1);
Tensor addbmm(const Tensor &self, const Tensor &batch1, const Tensor &batch2,
              const Scalar &beta = 1, const Scalar &alpha = 1);
Tensor baddbmm(const Tensor &self, const Tensor &batch1, const Tensor &batch2,
               const Scalar &beta = 1, const Scalar &alpha = 1);
Tensor addr(const Tensor &self, const Tensor &vec1, const Tensor &vec2,
            const Scalar &beta = 1, const Scalar &alpha = 1);
Tensor tensordot(const Tensor &self, const Tensor &other, IntArrayRef dims_self,
                 IntArrayRef dims_other);
Tensor chain_matmul(TensorList matrices);
Tensor cross(const Tensor &self, const Tensor &other,
             optional<int64_t> dim = nullopt);
Tensor linalg_norm(const Tensor &self, const optional<Scalar> &ord = nullopt,
                   OptionalIntArrayRef dim = nullopt, bool keepdim = false);
Tensor linalg_vector_norm(const Tensor &self, const Scalar &ord = 2,
                          OptionalIntArrayRef dim = nullopt,
                          bool keepdim = false);

// Pointwise with more operands.
Tensor where(const Tensor &condition, const Tensor &self, const Tensor &other);
Tensor where(const Tensor &condition, const Tensor &self, const Scalar &other);
Tensor where(const Tensor &condition, const Scalar &self, const Tensor &other);
Tensor addcmul(const Tensor &self, const Tensor &tensor1, const Tensor &tensor2,
               const Scalar &value = 1);
Tensor addcdiv(const Tensor &self, const Tensor &tensor1, const Tensor &tensor2,
               const Scalar &value = 1);
Tensor lerp(const Tensor &self, const Tensor &end, const Scalar &weight);
Tensor lerp(const Tensor &self, const Tensor &end, const Tensor &weight);
Tensor clamp(const Tensor &self, const optional<Scalar> &min,
             const optional<Scalar> &max = nullopt);
Tensor clamp_min(const Tensor &self, const Scalar &min);
Tensor clamp_max(const Tensor &self, const Scalar &max);
Tensor masked_fill(const Tensor &self, const Tensor &mask, const Scalar &value);
Tensor masked_fill(const Tensor &self, const Tensor &mask, const Tensor &value);
Tensor nan_to_num(const Tensor &self, optional<double> nan = nullopt,
                  optional<double> posinf = nullopt,
                  optional<double> neginf = nullopt);
Tensor gelu(const Tensor &self, string_view approximate = "none");
Tensor leaky_relu(const Tensor &self, const Scalar &negative_slope = 0.01);
Tensor elu(const Tensor &self, const Scalar &alpha = 1, const Scalar &scale = 1,
           const Scalar &input_scale = 1);
Tensor glu(const Tensor &self, int64_t dim = -1);
Tensor softplus(const Tensor &self, const Scalar &beta = 1,
                const Scalar &threshold = 20);
Tensor hardtanh(const Tensor &self, const Scalar &min_val = -1,
                const Scalar &max_val = 1);
Tensor threshold(const Tensor &self, const Scalar &threshold,
                 const Scalar &value);
Tensor polar(const Tensor &abs, const Tensor &angle);

// Reductions.
Tensor sum(const Tensor &self, optional<ScalarType> dtype = nullopt);
Tensor sum(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false,
           optional<ScalarType> dtype = nullopt);
Tensor mean(const Tensor &self, optional<ScalarType> dtype = nullopt);
Tensor mean(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor prod(const Tensor &self, optional<ScalarType> dtype = nullopt);
Tensor prod(const Tensor &self, int64_t dim, bool keepdim = false,
            optional<ScalarType> dtype = nullopt);
Tensor var(const Tensor &self, bool unbiased);
Tensor var(const Tensor &self, OptionalIntArrayRef dim, bool unbiased,
           bool keepdim = false);
Tensor std(const Tensor &self, bool unbiased);
std::tuple<Tensor, Tensor> var_mean(const Tensor &self, OptionalIntArrayRef dim,
                                    bool unbiased, bool keepdim = false);
Tensor norm(const Tensor &self, const Scalar &p = 2);
Tensor norm(const Tensor &self, const optional<Scalar> &p, IntArrayRef dim,
            bool keepdim = false);
Tensor dist(const Tensor &self, const Tensor &other, const Scalar &p = 2);
Tensor logsumexp(const Tensor &self, IntArrayRef dim, bool keepdim = false);
Tensor amax(const Tensor &self, IntArrayRef dim = {}, bool keepdim = false);
Tensor amin(const Tensor &self, IntArrayRef dim = {}, bool keepdim = false);
Tensor max(const Tensor &self);
Tensor max(const Tensor &self, const Tensor &other);
std::tuple<Tensor, Tensor> max(const Tensor &self, int64_t dim,
                               bool keepdim = false);
Tensor min(const Tensor &self);
Tensor min(const Tensor &self, const Tensor &other);
std::tuple<Tensor, Tensor> min(const Tensor &self, int64_t dim,
                               bool keepdim = false);
Tensor argmax(const Tensor &self, optional<int64_t> dim = nullopt,
              bool keepdim = false);
Tensor argmin(const Tensor &self, optional<int64_t> dim = nullopt,
              bool keepdim = false);
Tensor all(const Tensor &self);
Tensor any(const Tensor &self);
Tensor bincount(const Tensor &self, const optional<Tensor> &weights = {},
                int64_t minlength = 0);
Tensor cumsum(const Tensor &self, int64_t dim,
              optional<ScalarType> dtype = nullopt);
Tensor cumprod(const Tensor &self, int64_t dim,
               optional<ScalarType> dtype = nullopt);
Tensor softmax(const Tensor &self, int64_t dim,
               optional<ScalarType> dtype = nullopt);
Tensor log_softmax(const Tensor &self, int64_t dim,
                   optional<ScalarType> dtype = nullopt);
std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim = -1,
                                bool descending = false);
Tensor argsort(const Tensor &self, int64_t dim = -1, bool descending = false);
std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k, int64_t dim = -1,
                                bool largest = true, bool sorted = true);

// Shapes.
Tensor reshape(const Tensor &self, IntArrayRef shape);
Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor transpose(const Tensor &self, int64_t dim0, int64_t dim1);
Tensor t(const Tensor &self);
Tensor permute(const Tensor &self, IntArrayRef dims);
Tensor movedim(const Tensor &self, int64_t source, int64_t destination);
Tensor movedim(const Tensor &self, IntArrayRef source, IntArrayRef destination);
Tensor swapaxes(const Tensor &self, int64_t axis0, int64_t axis1);
Tensor squeeze(const Tensor &self);
Tensor squeeze(const Tensor &self, int64_t dim);
Tensor squeeze(const Tensor &self, IntArrayRef dim);
Tensor unsqueeze(const Tensor &self, int64_t dim);
Tensor unflatten(const Tensor &self, int64_t dim, IntArrayRef sizes);
Tensor broadcast_to(const Tensor &self, IntArrayRef size);
Tensor repeat_interleave(const Tensor &self, int64_t repeats,
                         optional<int64_t> dim = nullopt,
                         optional<int64_t> output_size = nullopt);
Tensor tile(const Tensor &self, IntArrayRef dims);
Tensor diagonal(const Tensor &self, int64_t offset = 0, int64_t dim1 = 0,
                int64_t dim2 = 1);
Tensor diag(const Tensor &self, int64_t diagonal = 0);
Tensor tril(const Tensor &self, int64_t diagonal = 0);
Tensor triu(const Tensor &self, int64_t diagonal = 0);
Tensor flip(const Tensor &self, IntArrayRef dims);
Tensor roll(const Tensor &self, IntArrayRef shifts, IntArrayRef dims = {});
Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor concat(TensorList tensors, int64_t dim = 0);
Tensor &cat_out(Tensor &out, TensorList tensors, int64_t dim = 0);
Tensor stack(TensorList tensors, int64_t dim = 0);
Tensor hstack(TensorList tensors);
Tensor vstack(TensorList tensors);
Tensor block_diag(TensorList tensors);
std::vector<Tensor> broadcast_tensors(TensorList tensors);
std::vector<Tensor> chunk(const Tensor &self, int64_t chunks, int64_t dim = 0);
std::vector<Tensor> split(const Tensor &self, int64_t split_size,
                          int64_t dim = 0);
std::vector<Tensor> split(const Tensor &self, IntArrayRef split_size,
                          int64_t dim = 0);
std::vector<Tensor> split_with_sizes(const Tensor &self,
                                     IntArrayRef split_sizes, int64_t dim = 0);
std::vector<Tensor> unbind(const Tensor &self, int64_t dim = 0);
std::vector<Tensor> meshgrid(TensorList tensors);
Tensor constant_pad_nd(const Tensor &self, IntArrayRef pad,
                       const Scalar &value = 0);

// Indexing.
Tensor narrow(const Tensor &self, int64_t dim, int64_t start, int64_t length);
Tensor slice(const Tensor &self, int64_t dim = 0,
             optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
             int64_t step = 1);
Tensor select(const Tensor &self, int64_t dim, int64_t index);
Tensor index_select(const Tensor &self, int64_t dim, const Tensor &index);
Tensor gather(const Tensor &self, int64_t dim, const Tensor &index,
              bool sparse_grad = false);
Tensor scatter(const Tensor &self, int64_t dim, const Tensor &index,
               const Tensor &src);
Tensor scatter_add(const Tensor &self, int64_t dim, const Tensor &index,
                   const Tensor &src);
Tensor index_add(const Tensor &self, int64_t dim, const Tensor &index,
                 const Tensor &source, const Scalar &alpha = 1);
Tensor take_along_dim(const Tensor &self, const Tensor &indices,
                      optional<int64_t> dim = nullopt);
Tensor one_hot(const Tensor &self, int64_t num_classes = -1);
Tensor searchsorted(const Tensor &sorted_sequence, const Tensor &self);
Tensor embedding(const Tensor &weight, const Tensor &indices,
                 int64_t padding_idx = -1, bool scale_grad_by_freq = false,
                 bool sparse = false);

// Layers and losses.
Tensor layer_norm(const Tensor &input, IntArrayRef normalized_shape,
                  const optional<Tensor> &weight = {},
                  const optional<Tensor> &bias = {}, double eps = 1e-05,
                  bool cudnn_enable = true);
Tensor group_norm(const Tensor &input, int64_t num_groups,
                  const optional<Tensor> &weight = {},
                  const optional<Tensor> &bias = {}, double eps = 1e-05,
                  bool cudnn_enabled = true);
Tensor dropout(const Tensor &input, double p, bool train);
Tensor conv1d(const Tensor &input, const Tensor &weight,
              const optional<Tensor> &bias = {}, IntArrayRef stride = 1,
              IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
Tensor conv2d(const Tensor &input, const Tensor &weight,
              const optional<Tensor> &bias = {}, IntArrayRef stride = 1,
              IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
Tensor max_pool2d(const Tensor &self, IntArrayRef kernel_size,
                  IntArrayRef stride = {}, IntArrayRef padding = 0,
                  IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor nll_loss(const Tensor &self, const Tensor &target,
                const optional<Tensor> &weight = {}, int64_t reduction = 1,
                int64_t ignore_index = -100);
Tensor cross_entropy_loss(const Tensor &self, const Tensor &target,
                          const optional<Tensor> &weight = {},
                          int64_t reduction = 1, int64_t ignore_index = -100,
                          double label_smoothing = 0.0);
Tensor mse_loss(const Tensor &self, const Tensor &target,
                int64_t reduction = 1);
Tensor l1_loss(const Tensor &self, const Tensor &target, int64_t reduction = 1);
Tensor binary_cross_entropy_with_logits(const Tensor &self,
                                        const Tensor &target);

Tensor scaled_dot_product_attention(const Tensor &query, const Tensor &key,
                                    const Tensor &value,
                                    const optional<Tensor> &attn_mask = {},
                                    double dropout_p = 0.0,
                                    bool is_causal = false,
                                    optional<double> scale = nullopt);

Tensor normal(double mean, double std, IntArrayRef size,
              optional<Generator> generator = nullopt,
              TensorOptions options = {});
Tensor multinomial(const Tensor &self, int64_t num_samples,
                   bool replacement = false,
                   optional<Generator> generator = nullopt);

// In torch these are also declared in namespace torch, see factories.h.
#include <ATen/Factories.inc>

} // namespace at
