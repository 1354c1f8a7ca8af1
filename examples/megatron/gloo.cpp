#include "gloo.h"

#include <torch/torch.h>

namespace megatron {
namespace {

/// A tensor over the view's memory.
at::Tensor tensor_over(const spmd::View &view) {
  static constexpr at::ScalarType types[] = {
      at::kHalf, at::kBFloat16, at::kFloat, at::kDouble,
      at::kChar, at::kByte,     at::kInt,   at::kLong};
  return torch::from_blob(view.data(), view.shape(),
                          types[static_cast<int>(view.dtype())]);
}

c10d::ProcessGroup &group_of(const spmd::Axis &axis) {
  auto *communicator =
      dynamic_cast<spmd::ProcessGroupCommunicator *>(axis.communicator().get());
  TORCH_CHECK(communicator, "axis '", axis.name(), "' has no process group");
  return *communicator->group();
}

std::vector<at::Tensor> gather(const at::Tensor &value,
                               c10d::ProcessGroup &group) {
  std::vector<at::Tensor> inputs = {value};
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int i = 0; i < group.getSize(); ++i)
    outputs[0].push_back(torch::empty_like(value));
  group.allgather(outputs, inputs)->wait();
  return outputs[0];
}

} // namespace

void GlooBackend::allReduce(const spmd::View &in, const spmd::View &out,
                            const spmd::Axis &axis) {
  std::vector<at::Tensor> buffers = {tensor_over(out)};
  buffers[0].copy_(tensor_over(in));
  group_of(axis).allreduce(buffers)->wait();
}

void GlooBackend::allGather(const spmd::View &in, const spmd::View &out,
                            const spmd::Axis &axis, spmd::Placement src) {
  const std::vector<at::Tensor> parts = gather(tensor_over(in), group_of(axis));
  tensor_over(out).copy_(src.HasDim ? torch::cat(parts, src.Dim)
                                    : torch::stack(parts));
}

// Gloo has no reduce-scatter.
void GlooBackend::reduceScatter(const spmd::View &in, const spmd::View &out,
                                const spmd::Axis &axis, spmd::Placement dst) {
  std::vector<at::Tensor> buffers = {tensor_over(in).clone()};
  group_of(axis).allreduce(buffers)->wait();
  tensor_over(out).copy_(
      dst.HasDim ? buffers[0].chunk(axis.size(), dst.Dim)[axis.rank()]
                 : buffers[0].select(0, axis.rank()));
}

void GlooBackend::allToAll(const spmd::View &in, const spmd::View &out,
                           const spmd::Axis &axis, spmd::Placement src,
                           spmd::Placement dst) {
  std::vector<at::Tensor> mine;
  for (const at::Tensor &whole : gather(tensor_over(in), group_of(axis)))
    mine.push_back(dst.HasDim ? whole.chunk(axis.size(), dst.Dim)[axis.rank()]
                              : whole.select(0, axis.rank()));
  tensor_over(out).copy_(src.HasDim ? torch::cat(mine, src.Dim)
                                    : torch::stack(mine));
}

} // namespace megatron
