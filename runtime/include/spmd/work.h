//===- work.h - Operators that have been started ----------------*- C++ -*-===//
//
// What spmd/async.h returns, and what communicators are given to start.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_WORK_H
#define SPMD_WORK_H

#include "spmd/axis.h"
#include "spmd/profile.h"
#include "spmd/view.h"

#include <optional>

namespace spmd {

class Recorder;

namespace detail {
class Redistribution;
}

/// An operator between its start and its wait. Kept by the communicator for the
/// next one, so that a start allocates nothing once warm.
class Started {
public:
  /// A dense copy of a strided operand, and a strided result. Most have
  /// neither, and touch what lies beside them alone.
  std::optional<View> Packed, Strided;
  /// What is called; all that it refers to is kept here.
  Call C{rules::OperatorKind::AllReduce, On, Src, Dst, DType::F32, {}, {}};
  Transfer Data;

  /// What a communicator keeps with it, also for the next one.
  struct State {
    virtual ~State() = default;
  };
  std::unique_ptr<State> Own;

  Started() = default;
  Started(const Started &) = delete;
  Started &operator=(const Started &) = delete;

  /// One that is free, of the communicator of \p Like.On, for the same call.
  static Started &take(const Call &Like);
  /// It is done, whatever came of it.
  void giveBack();

  /// At least \p Bytes in the communicator's memory; slots 0 and 1 hold pieces,
  /// 0 also what a redistribution needs, 2 and 3 dense copies of strided views.
  void *scratch(int Slot, std::size_t Bytes);
  /// After a failure: what they hold stays as it is for good.
  void leaveScratch();

  /// The communicator of \c C.On, whatever backend is installed by the wait;
  /// null on an axis of one rank.
  std::shared_ptr<Communicator> With;
  /// Dense pieces that the wait puts into \c Out; null if they are there.
  void *Pieces = nullptr;
  /// Dense; then, where there is one, into \c Strided.
  View Out{nullptr, DType::F32, {}};
  /// Of a redistribution over a mesh, whose call is a step of it; else null.
  /// And where it has come to, kept for the next one.
  std::shared_ptr<const detail::Redistribution> Plan;
  std::unique_ptr<State> Passage;
  /// Notes that it begins, and that it is done.
  void enter();
  void leave();
  /// Where its call is recorded, and whether it is with the communicator still.
  Recorder *In = nullptr;
  bool Running = false;
  /// On which side of host_and_device.
  bool OnDevice = false;
  /// Exceptions under way as it was started.
  int Exceptions = 0;

private:
  static Communicator::Kept &keptWith(Communicator *With);

  Axis On;
  Placement Src{LocalType::R}, Dst{LocalType::R};
  std::uint64_t Number = 0;
  detail::ProfiledRange Range;
  std::shared_ptr<void> Buffers[4];
  std::size_t Sizes[4] = {};
};

/// An operator under way, to be waited for. Its buffers are the operator's
/// until then: they live, the operand is not written, the result not touched.
///
/// One that ends without a wait is an error: where that is, the operator is
/// waited for all the same, for the sake of its buffers, the message goes to
/// stderr, and the next operator of this rank throws it, or run_local when
/// there is none. No such error while an exception passes by: the operator is
/// then given up, and is an Error on the ranks that have not come to it.
class [[nodiscard]] Work {
public:
  /// Nothing to wait for.
  Work() = default;
  explicit Work(Started &S) : Of(&S) {}
  Work(Work &&Other) noexcept : Of(Other.Of) { Other.Of = nullptr; }
  Work &operator=(Work &&Other) noexcept {
    std::swap(Of, Other.Of);
    return *this;
  }
  ~Work() {
    if (Of)
      drop();
  }

  /// Until the result is there; on a stream, what is put on it from now on sees
  /// the result. What the operator met is thrown here, once. Waiting again does
  /// nothing.
  void wait();
  /// Whether what was started is done. Then wait() returns at once, but for a
  /// redistribution by several steps, which goes on there.
  bool done() const;

private:
  void drop() noexcept;
  Started *Of = nullptr;
};

} // namespace spmd

#endif // SPMD_WORK_H
