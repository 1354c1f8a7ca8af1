// A process group over an axis of the mesh: what is written against c10d runs
// on every backend of the runtime library.

#pragma once

#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace megatron {

/// Sums and maxima over the ranks of an axis. Calls are done when they return.
class AxisProcessGroup : public c10d::ProcessGroup {
public:
  explicit AxisProcessGroup(const spmd::Axis &axis);

  const std::string getBackendName() const override { return "spmd"; }

  c10::intrusive_ptr<c10d::Work>
  allreduce(std::vector<at::Tensor> &tensors,
            const c10d::AllreduceOptions &options) override;

private:
  spmd::Axis axis_;
};

} // namespace megatron
