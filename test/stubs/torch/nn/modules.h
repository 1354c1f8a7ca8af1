// Stand-in for the layers that trainers use most.
#pragma once

#include <torch/nn/module.h>

namespace torch::nn {

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features);
  LinearOptions &bias(bool b);
};
struct LinearImpl : Module {
  LinearImpl(int64_t in, int64_t out) : LinearImpl(LinearOptions(in, out)) {}
  explicit LinearImpl(const LinearOptions &options);
  Tensor forward(const Tensor &input);
  void reset_parameters();
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Linear);

struct EmbeddingOptions {
  EmbeddingOptions(int64_t num_embeddings, int64_t embedding_dim);
  EmbeddingOptions &padding_idx(int64_t i);
};
struct EmbeddingImpl : Module {
  EmbeddingImpl(int64_t n, int64_t d) : EmbeddingImpl(EmbeddingOptions(n, d)) {}
  explicit EmbeddingImpl(EmbeddingOptions options);
  Tensor forward(const Tensor &indices);
  Tensor weight;
};
TORCH_MODULE(Embedding);

struct LayerNormOptions {
  LayerNormOptions(std::vector<int64_t> normalized_shape);
  LayerNormOptions &eps(double e);
  LayerNormOptions &elementwise_affine(bool b);
};
struct LayerNormImpl : Module {
  LayerNormImpl(std::vector<int64_t> shape)
      : LayerNormImpl(LayerNormOptions(std::move(shape))) {}
  explicit LayerNormImpl(LayerNormOptions options);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(LayerNorm);

struct DropoutOptions {
  DropoutOptions(double p = 0.5);
};
struct DropoutImpl : Module {
  explicit DropoutImpl(const DropoutOptions &options = {});
  explicit DropoutImpl(double p);
  Tensor forward(Tensor input);
};
TORCH_MODULE(Dropout);

struct Conv2dOptions {
  Conv2dOptions(int64_t in, int64_t out, int64_t kernel);
  Conv2dOptions &stride(int64_t s);
  Conv2dOptions &padding(int64_t p);
  Conv2dOptions &bias(bool b);
};
struct Conv2dImpl : Module {
  Conv2dImpl(int64_t in, int64_t out, int64_t kernel)
      : Conv2dImpl(Conv2dOptions(in, out, kernel)) {}
  explicit Conv2dImpl(Conv2dOptions options);
  Tensor forward(const Tensor &input);
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Conv2d);

#define SPMD_STUB_ACTIVATION(Name)                                             \
  struct Name##Impl : Module {                                                 \
    Tensor forward(Tensor input);                                              \
  };                                                                           \
  TORCH_MODULE(Name)
SPMD_STUB_ACTIVATION(ReLU);
SPMD_STUB_ACTIVATION(GELU);
SPMD_STUB_ACTIVATION(SiLU);
SPMD_STUB_ACTIVATION(Tanh);
SPMD_STUB_ACTIVATION(Sigmoid);
SPMD_STUB_ACTIVATION(Identity);
SPMD_STUB_ACTIVATION(Flatten);
#undef SPMD_STUB_ACTIVATION

struct SequentialImpl : Module {
  template <typename... M> explicit SequentialImpl(M &&...modules);
  template <typename... In> Tensor forward(In &&...in);
  template <typename M> void push_back(M &&module);
  size_t size() const noexcept;
  std::shared_ptr<Module> ptr(size_t i) const;
};
class Sequential : public ModuleHolder<SequentialImpl> {
public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  Sequential() : ModuleHolder() {}
};

struct ModuleListImpl : Module {
  template <typename M> void push_back(M &&module);
  size_t size() const noexcept;
  std::shared_ptr<Module> operator[](size_t i) const;
  std::shared_ptr<Module> *begin();
  std::shared_ptr<Module> *end();
  template <typename T> T &at(size_t i);
  template <typename T> std::shared_ptr<T> ptr(size_t i) const;
};
TORCH_MODULE(ModuleList);

struct CrossEntropyLossImpl : Module {
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(CrossEntropyLoss);
struct MSELossImpl : Module {
  Tensor forward(const Tensor &input, const Tensor &target);
};
TORCH_MODULE(MSELoss);

namespace init {
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
Tensor uniform_(Tensor tensor, double low = 0, double high = 1);
Tensor constant_(Tensor tensor, Scalar value);
Tensor zeros_(Tensor tensor);
Tensor ones_(Tensor tensor);
Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
Tensor kaiming_uniform_(Tensor tensor, double a = 0);
Tensor kaiming_normal_(Tensor tensor, double a = 0);
} // namespace init

namespace utils {
double clip_grad_norm_(const std::vector<Tensor> &parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(Tensor parameter, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
void clip_grad_value_(const std::vector<Tensor> &parameters, double clip_value);
Tensor parameters_to_vector(const std::vector<Tensor> &parameters);
void vector_to_parameters(const Tensor &vec,
                          const std::vector<Tensor> &parameters);
} // namespace utils

} // namespace torch::nn
