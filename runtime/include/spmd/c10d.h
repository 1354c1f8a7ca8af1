//===- c10d.h - A process group as an axis ----------------------*- C++ -*-===//
//
// Makes any c10::intrusive_ptr to a c10d::ProcessGroup, or to a class derived
// from it, convertible to spmd::Axis.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_C10D_H
#define SPMD_C10D_H

#include "spmd/axis.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace spmd {

/// An axis over a process group. Backends that know c10d take the group back
/// out of it.
class ProcessGroupCommunicator : public Communicator {
public:
  explicit ProcessGroupCommunicator(c10::intrusive_ptr<c10d::ProcessGroup> G)
      : Group(std::move(G)) {}
  int size() const override { return Group->getSize(); }
  int rank() const override { return Group->getRank(); }
  const char *kind() const override { return "c10d"; }
  const c10::intrusive_ptr<c10d::ProcessGroup> &group() const { return Group; }

private:
  c10::intrusive_ptr<c10d::ProcessGroup> Group;
};

template <class Group>
struct AxisSource<
    c10::intrusive_ptr<Group>,
    std::enable_if_t<std::is_base_of<c10d::ProcessGroup, Group>::value>> {
  static std::shared_ptr<Communicator>
  communicator(const c10::intrusive_ptr<Group> &G) {
    if (!G)
      detail::fail("spmd::Axis: the process group is null");
    return std::make_shared<ProcessGroupCommunicator>(G);
  }
};

} // namespace spmd

#endif // SPMD_C10D_H
