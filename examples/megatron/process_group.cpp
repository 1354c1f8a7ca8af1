#include "process_group.h"

#include <stdexcept>

namespace megatron {
namespace {

class Done : public c10d::Work {
public:
  bool isCompleted() override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
};

} // namespace

AxisProcessGroup::AxisProcessGroup(const spmd::Axis &axis)
    : ProcessGroup(axis.rank(), axis.size()), axis_(axis) {}

c10::intrusive_ptr<c10d::Work>
AxisProcessGroup::allreduce(std::vector<at::Tensor> &tensors,
                            const c10d::AllreduceOptions &options) {
  for (at::Tensor &tensor : tensors) {
    const at::Tensor own = tensor.contiguous();
    if (options.reduceOp == c10d::ReduceOp::SUM)
      tensor.copy_(spmd::all_reduce(own, axis_, spmd::P, spmd::R));
    else if (options.reduceOp == c10d::ReduceOp::MAX)
      tensor.copy_(spmd::all_gather(own, axis_, spmd::V, spmd::R).amax(0));
    else
      throw std::invalid_argument("a process group over an axis has sums and "
                                  "maxima only");
  }
  return c10::make_intrusive<Done>();
}

} // namespace megatron
