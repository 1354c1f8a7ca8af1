// The typed collectives over the process groups that the trainer has anyway.

#pragma once

#include <spmd/torch.h>

namespace megatron {

/// Takes the process group out of the axis.
class GlooBackend : public spmd::Backend {
public:
  const char *name() const override { return "gloo"; }

  void allReduce(const spmd::View &in, const spmd::View &out,
                 const spmd::Axis &axis) override;
  void allGather(const spmd::View &in, const spmd::View &out,
                 const spmd::Axis &axis, spmd::Placement src) override;
  void reduceScatter(const spmd::View &in, const spmd::View &out,
                     const spmd::Axis &axis, spmd::Placement dst) override;
  void allToAll(const spmd::View &in, const spmd::View &out,
                const spmd::Axis &axis, spmd::Placement src,
                spmd::Placement dst) override;
};

} // namespace megatron
