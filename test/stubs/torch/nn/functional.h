// Stand-in for torch::nn::functional.
#pragma once

#include <torch/nn/module.h>

namespace torch {

namespace enumtype {
struct kNone {};
struct kMean {};
struct kSum {};
} // namespace enumtype
inline constexpr enumtype::kNone kNone;
inline constexpr enumtype::kMean kMean;
inline constexpr enumtype::kSum kSum;

namespace nn::functional {

struct CrossEntropyFuncOptions {
  template <typename T> CrossEntropyFuncOptions &reduction(T r);
  CrossEntropyFuncOptions &weight(Tensor w);
  CrossEntropyFuncOptions &ignore_index(int64_t i);
};
using NLLLossFuncOptions = CrossEntropyFuncOptions;
struct MSELossFuncOptions {
  MSELossFuncOptions();
  template <typename T> MSELossFuncOptions(T r);
  template <typename T> MSELossFuncOptions &reduction(T r);
};
struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(int64_t dim);
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
struct DropoutFuncOptions {
  DropoutFuncOptions &p(double p);
  DropoutFuncOptions &training(bool t);
};
struct GELUFuncOptions {
  GELUFuncOptions &approximate(std::string a);
};
struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape);
  LayerNormFuncOptions &weight(Tensor w);
  LayerNormFuncOptions &bias(Tensor b);
  LayerNormFuncOptions &eps(double e);
};
struct EmbeddingFuncOptions {
  EmbeddingFuncOptions &padding_idx(int64_t i);
};
struct NormalizeFuncOptions {
  NormalizeFuncOptions &p(double p);
  NormalizeFuncOptions &dim(int64_t d);
};
struct PadFuncOptions {
  PadFuncOptions(std::vector<int64_t> pad);
  PadFuncOptions &value(double v);
};
struct LeakyReLUFuncOptions {
  LeakyReLUFuncOptions &negative_slope(double s);
};

Tensor linear(const Tensor &input, const Tensor &weight,
              const Tensor &bias = {});
Tensor bilinear(const Tensor &input1, const Tensor &input2,
                const Tensor &weight, const Tensor &bias = Tensor());
Tensor embedding(const Tensor &input, const Tensor &weight,
                 const EmbeddingFuncOptions &options = {});
Tensor one_hot(const Tensor &tensor, int64_t num_classes = -1);
Tensor relu(Tensor input, bool inplace = false);
Tensor relu6(Tensor input, bool inplace = false);
Tensor gelu(const Tensor &input, const GELUFuncOptions &options = {});
Tensor silu(const Tensor &input);
Tensor mish(const Tensor &input);
Tensor elu(Tensor input);
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions &options = {});
Tensor softplus(const Tensor &input);
Tensor softsign(const Tensor &input);
Tensor tanhshrink(const Tensor &input);
Tensor logsigmoid(const Tensor &input);
Tensor glu(const Tensor &input);
Tensor softmax(const Tensor &input, const SoftmaxFuncOptions &options);
Tensor log_softmax(const Tensor &input, const LogSoftmaxFuncOptions &options);
Tensor dropout(Tensor input, const DropoutFuncOptions &options = {});
Tensor layer_norm(const Tensor &input, const LayerNormFuncOptions &options);
Tensor normalize(const Tensor &input, NormalizeFuncOptions options = {});
Tensor pad(const Tensor &input, const PadFuncOptions &options);
Tensor cosine_similarity(const Tensor &x1, const Tensor &x2);
Tensor conv1d(const Tensor &input, const Tensor &weight);
Tensor conv2d(const Tensor &input, const Tensor &weight);
Tensor cross_entropy(const Tensor &input, const Tensor &target,
                     const CrossEntropyFuncOptions &options = {});
Tensor nll_loss(const Tensor &input, const Tensor &target,
                const NLLLossFuncOptions &options = {});
Tensor mse_loss(const Tensor &input, const Tensor &target,
                const MSELossFuncOptions &options = {});
Tensor l1_loss(const Tensor &input, const Tensor &target);
Tensor smooth_l1_loss(const Tensor &input, const Tensor &target);
Tensor huber_loss(const Tensor &input, const Tensor &target);
Tensor kl_div(const Tensor &input, const Tensor &target);
Tensor binary_cross_entropy(const Tensor &input, const Tensor &target);
Tensor binary_cross_entropy_with_logits(const Tensor &input,
                                        const Tensor &target);

} // namespace nn::functional
} // namespace torch
