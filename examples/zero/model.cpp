#include "model.h"

namespace zero {

Model::Model(const Shape &shape, Parameters &parameters, Launch on)
    : shape_(shape), parameters_(parameters), on_(on) {
  const std::size_t row = shape.rows(), stream = row * shape.channels;
  for (int l = 0; l < shape.layers; ++l) {
    Saved s = {};
    s.in = allocate(stream);
    s.norm1 = allocate(stream);
    s.qkv = allocate(3 * stream);
    s.weights = allocate(row * shape.heads * shape.sequence);
    s.attention = allocate(stream);
    s.middle = allocate(stream);
    s.norm2 = allocate(stream);
    s.up = allocate(4 * stream);
    s.gelu = allocate(4 * stream);
    saved_.push_back(s);
  }
  out_ = allocate(stream);
  normal_ = allocate(stream);
  logits_ = allocate(row * shape.vocabulary);
  losses_ = allocate(row);
  branch_ = allocate(stream);
  stream_gradient_ = allocate(stream);
  wide_gradient_ = allocate(4 * stream);
}

Model::~Model() {
  for (void *p : allocations_)
    cudaFree(p);
}

float *Model::allocate(std::size_t count) {
  float *p = nullptr;
  CUDACHECK(cudaMalloc(&p, count * sizeof(float)));
  allocations_.push_back(p);
  return p;
}

double Model::accumulate(const int *tokens, const int *targets, float share) {
  forward(tokens);
  loss_and_gradient(losses_, logits_, targets, share, shape_.rows(),
                    shape_.vocabulary, on_);
  backward(tokens);
  std::vector<float> losses(shape_.rows());
  CUDACHECK(cudaMemcpyAsync(losses.data(), losses_,
                            losses.size() * sizeof(float),
                            cudaMemcpyDeviceToHost, on_.stream));
  CUDACHECK(cudaStreamSynchronize(on_.stream));
  double sum = 0;
  for (float loss : losses)
    sum += loss;
  return sum;
}

void Model::forward(const int *tokens) {
  const Parameters &p = parameters_;
  const int rows = shape_.rows(), c = shape_.channels;
  embedding_forward(shape_.layers ? saved_[0].in : out_, tokens,
                    p.value(Weight::Tokens), p.value(Weight::Positions), shape_,
                    on_);
  for (int l = 0; l < shape_.layers; ++l)
    forward_layer(l);
  layernorm_forward(normal_, out_, p.value(Weight::FinalNorm),
                    p.value(Weight::FinalNormBias), rows, c, on_);
  // The output layer is the token table again.
  linear_forward(logits_, normal_, p.value(Weight::Tokens), rows, c,
                 shape_.vocabulary, on_);
}

void Model::forward_layer(int l) {
  const Parameters &p = parameters_;
  const Saved &s = saved_[l];
  const int rows = shape_.rows(), c = shape_.channels;
  layernorm_forward(s.norm1, s.in, p.value(Weight::Norm1, l),
                    p.value(Weight::Norm1Bias, l), rows, c, on_);
  linear_forward(s.qkv, s.norm1, p.value(Weight::Qkv, l), rows, c, 3 * c, on_);
  add_bias(s.qkv, p.value(Weight::QkvBias, l), rows, 3 * c, on_);
  attention_forward(s.attention, s.weights, s.qkv, shape_, on_);
  linear_forward(branch_, s.attention, p.value(Weight::Projection, l), rows, c,
                 c, on_);
  add_bias(branch_, p.value(Weight::ProjectionBias, l), rows, c, on_);
  residual(s.middle, s.in, branch_, rows * c, on_);

  layernorm_forward(s.norm2, s.middle, p.value(Weight::Norm2, l),
                    p.value(Weight::Norm2Bias, l), rows, c, on_);
  linear_forward(s.up, s.norm2, p.value(Weight::Up, l), rows, c, 4 * c, on_);
  add_bias(s.up, p.value(Weight::UpBias, l), rows, 4 * c, on_);
  gelu_forward(s.gelu, s.up, rows * 4 * c, on_);
  linear_forward(branch_, s.gelu, p.value(Weight::Down, l), rows, 4 * c, c,
                 on_);
  add_bias(branch_, p.value(Weight::DownBias, l), rows, c, on_);
  float *next = l + 1 < shape_.layers ? saved_[l + 1].in : out_;
  residual(next, s.middle, branch_, rows * c, on_);
}

void Model::backward(const int *tokens) {
  const Parameters &p = parameters_;
  const int rows = shape_.rows(), c = shape_.channels;
  CUDACHECK(cudaMemsetAsync(stream_gradient_, 0, sizeof(float) * rows * c,
                            on_.stream));
  linear_backward_weight(p.gradient(Weight::Tokens), logits_, normal_, rows, c,
                         shape_.vocabulary, on_);
  linear_backward_input(branch_, logits_, p.value(Weight::Tokens), rows, c,
                        shape_.vocabulary, on_);
  layernorm_backward(stream_gradient_, p.gradient(Weight::FinalNorm),
                     p.gradient(Weight::FinalNormBias), branch_, out_,
                     p.value(Weight::FinalNorm), rows, c, on_);
  for (int l = shape_.layers - 1; l >= 0; --l)
    backward_layer(l);
  embedding_backward(p.gradient(Weight::Tokens), p.gradient(Weight::Positions),
                     stream_gradient_, tokens, shape_, on_);
}

void Model::backward_layer(int l) {
  const Parameters &p = parameters_;
  const Saved &s = saved_[l];
  const int rows = shape_.rows(), c = shape_.channels;
  linear_backward_weight(p.gradient(Weight::Down, l), stream_gradient_, s.gelu,
                         rows, 4 * c, c, on_);
  bias_backward(p.gradient(Weight::DownBias, l), stream_gradient_, rows, c,
                on_);
  linear_backward_input(wide_gradient_, stream_gradient_,
                        p.value(Weight::Down, l), rows, 4 * c, c, on_);
  gelu_backward(wide_gradient_, s.up, rows * 4 * c, on_);
  linear_backward_weight(p.gradient(Weight::Up, l), wide_gradient_, s.norm2,
                         rows, c, 4 * c, on_);
  bias_backward(p.gradient(Weight::UpBias, l), wide_gradient_, rows, 4 * c,
                on_);
  linear_backward_input(branch_, wide_gradient_, p.value(Weight::Up, l), rows,
                        c, 4 * c, on_);
  layernorm_backward(stream_gradient_, p.gradient(Weight::Norm2, l),
                     p.gradient(Weight::Norm2Bias, l), branch_, s.middle,
                     p.value(Weight::Norm2, l), rows, c, on_);

  linear_backward_weight(p.gradient(Weight::Projection, l), stream_gradient_,
                         s.attention, rows, c, c, on_);
  bias_backward(p.gradient(Weight::ProjectionBias, l), stream_gradient_, rows,
                c, on_);
  linear_backward_input(branch_, stream_gradient_,
                        p.value(Weight::Projection, l), rows, c, c, on_);
  attention_backward(wide_gradient_, branch_, s.weights, s.qkv, shape_, on_);
  linear_backward_weight(p.gradient(Weight::Qkv, l), wide_gradient_, s.norm1,
                         rows, c, 3 * c, on_);
  bias_backward(p.gradient(Weight::QkvBias, l), wide_gradient_, rows, 3 * c,
                on_);
  linear_backward_input(branch_, wide_gradient_, p.value(Weight::Qkv, l), rows,
                        c, 3 * c, on_);
  layernorm_backward(stream_gradient_, p.gradient(Weight::Norm1, l),
                     p.gradient(Weight::Norm1Bias, l), branch_, s.in,
                     p.value(Weight::Norm1, l), rows, c, on_);
}

} // namespace zero
