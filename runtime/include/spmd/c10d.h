//===- c10d.h - A process group as an axis ----------------------*- C++ -*-===//
//
// Makes any c10::intrusive_ptr to a c10d::ProcessGroup, or to a class derived
// from it, convertible to spmd::Axis: a trainer keeps its own groups.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_C10D_H
#define SPMD_C10D_H

#include "spmd/backend.h"
#include "spmd/work.h"

#include <functional>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace spmd {

/// The ranks of a process group. Buffers are in the memory that the group works
/// on: the current CUDA device for one of NCCL, the host for all others. What
/// the group does not offer is made of what it does: a sum that is scattered,
/// for Gloo, of an exchange and a local sum.
///
/// A call that fails or is past its deadline ends the group: each later one
/// fails at once with the first cause, as ranks that have come to its end would
/// meet the others in calls that do not belong together. The group cannot be
/// stopped: raw buffers of what has failed stay its own, as for what was
/// started; those of tensors, and memory for packing, are kept for it.
class ProcessGroupCommunicator : public Communicator {
public:
  /// \p Group is not null.
  explicit ProcessGroupCommunicator(
      c10::intrusive_ptr<c10d::ProcessGroup> Group);
  ~ProcessGroupCommunicator() override;

  int size() const override { return Group->getSize(); }
  int rank() const override { return Group->getRank(); }
  const char *kind() const override { return "c10d"; }
  Memory &memory() override;
  const c10::intrusive_ptr<c10d::ProcessGroup> &group() const { return Group; }

  void allReduce(const Call &C, const void *In, void *Out,
                 std::int64_t Count) override {
    run(C, {In, Out, Count});
  }
  void allGather(const Call &C, const void *In, void *Out,
                 const Counts &Parts) override {
    run(C, {In, Out, 0, Parts});
  }
  void reduceScatter(const Call &C, const void *In, void *Out,
                     const Counts &Parts) override {
    run(C, {In, Out, 0, Parts});
  }
  void allToAll(const Call &C, const void *In, const Counts &Sent, void *Out,
                const Counts &Received) override {
    run(C, {In, Out, 0, Sent, Received});
  }

  /// The group's own work. Started on a group of NCCL, it is done on the
  /// device: a wait puts it before what the current stream is given next.
  void start(Started &S) override;
  void finish(Started &S) override;
  bool isDone(Started &S) override;
  void settle() override {}

  bool mayHold() const override;

private:
  void run(const Call &C, const Transfer &Data);
  void checkWorks(const Call &C) const;
  template <class Begun> void wait(const Call &C, Begun &Run) const;

  c10::intrusive_ptr<c10d::ProcessGroup> Group;
  /// "gloo", "nccl", "mpi", …; empty when the group does not say.
  std::string Transport;
  /// Those of the last calls.
  std::unique_ptr<class KeptArguments> Kept;
};

/// Makes the process group of \c A.members(), in their order, of which this
/// process is \c A.rank(): all of them ask for it, each once, at their first
/// operator on it.
using MakeGroup =
    std::function<c10::intrusive_ptr<c10d::ProcessGroup>(const Axis &A)>;

/// Connects the axes of a mesh over groups that \p Make makes, such as of Gloo
/// over one store with a prefix for each axis.
std::shared_ptr<Backend> c10d_backend(MakeGroup Make);

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
