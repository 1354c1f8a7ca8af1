#include "LocalBackend.h"

#include "../Sum.h"
#include "World.h"

#include "spmd/shapes.h"

#include <cstring>

namespace spmd {
namespace {

using local::Offer;
using local::ThreadBarrier;

/// The ranks read each other's buffers: no copy is made but the result.
class LocalCommunicator final : public Communicator {
public:
  LocalCommunicator(std::shared_ptr<local::World> Run, ThreadBarrier &At,
                    int Rank)
      : In(std::move(Run)), At(&At), Self(Rank), Ins(At.members().size()),
        Outs(Ins.size()) {}

  int size() const override { return static_cast<int>(Ins.size()); }
  int rank() const override { return Self; }
  const char *kind() const override { return "local"; }

  bool averages() const override { return true; }

  void allReduce(const Call &C, const void *In, void *Out,
                 std::int64_t Count) override {
    const double By = C.Mean ? 1.0 / size() : 1;
    if (meet(C, {In, Out, nullptr}, Count))
      return combine(C, 0, Count, &Out, 1, 0, By);
    // Each rank sums its share for all. In place, nobody else reads or writes
    // that share.
    const std::int64_t Share = shareOf(C, Count);
    const std::int64_t Begin = std::min(Count, Self * Share);
    combine(C, Begin, std::min(Count, Begin + Share), Outs.data(), size(),
            Begin, By);
    At->leave(Self);
  }

  void allGather(const Call &C, const void *In, void *Out,
                 const Counts &Parts) override {
    const bool Copied = meet(C, {In, Out, nullptr}, Parts[Self]);
    for (int R = 0; R < size(); ++R)
      copy(C.Type, Out, Parts.before(R), Ins[static_cast<std::size_t>(R)], 0,
           Parts[R]);
    if (!Copied)
      At->leave(Self);
  }

  void reduceScatter(const Call &C, const void *In, void *Out,
                     const Counts &Parts) override {
    const bool Copied = meet(C, {In, Out, nullptr}, Parts.before(size()));
    const std::int64_t Begin = Parts.before(Self);
    combine(C, Begin, Begin + Parts[Self], &Out, 1, 0,
            C.Mean ? 1.0 / size() : 1);
    if (!Copied)
      At->leave(Self);
  }

  void allToAll(const Call &C, const void *In, const Counts &Sent, void *Out,
                const Counts &Received) override {
    // Where the parts begin is read from the others' own counts.
    meet(C, {In, Out, &Sent}, Sent.before(size()), /*MayCopy=*/false);
    int Other = -1;
    for (int R = 0; R < size(); ++R) {
      const Counts &Theirs = *At->offer(Self, R).Sent;
      if (Theirs[Self] != Received[R])
        Other = R;
      else
        copy(C.Type, Out, Received.before(R), Ins[static_cast<std::size_t>(R)],
             Theirs.before(Self), Received[R]);
    }
    At->leave(Self);
    if (Other >= 0)
      failOn(C, "rank " +
                    std::to_string(
                        At->members()[static_cast<std::size_t>(Other)]) +
                    " sends another number of elements than this rank expects");
  }

  void abandon(const Call &, const std::string &Why) noexcept override {
    At->abandon(Why);
  }

private:
  /// Comes to \p C and looks at what the others bring. True when these are
  /// copies, and nobody reads this rank's buffers.
  bool meet(const Call &C, const Offer &Mine, std::int64_t Count,
            bool MayCopy = true) {
    // Another thread of the rank's, as in a backward, may call while it lasts.
    if (local::self().In != In.get() &&
        !In->whyAbsent(At->members()[static_cast<std::size_t>(Self)]).empty())
      failOn(C, "the spmd::run_local that connected it has ended");
    // What all ranks agree on is the whole, which is no less than a part.
    const auto Bytes = static_cast<std::size_t>(Count) * sizeOf(C.Type);
    const bool Copied =
        MayCopy && static_cast<std::size_t>(C.Whole.numel()) * sizeOf(C.Type) <=
                       ThreadBarrier::Small;
    At->come(Self, C, Mine, Copied ? Bytes : 0);
    for (int R = 0; R < size(); ++R) {
      const Offer &Brought = At->offer(Self, R);
      Ins[static_cast<std::size_t>(R)] =
          Copied ? At->copy(Self, R) : Brought.In;
      Outs[static_cast<std::size_t>(R)] = Brought.Out;
    }
    return Copied;
  }

  /// What \p C makes of the ranks' elements from \p Begin to \p End.
  void combine(const Call &C, std::int64_t Begin, std::int64_t End,
               void *const *To, int Copies, std::int64_t At, double By) const {
    if (rules::isSelection(C.Op))
      detail::extreme(C.Type, C.Op == rules::OperatorKind::AllReduceMax,
                      Ins.data(), size(), Begin, End, To, Copies, At);
    else
      detail::sum(C.Type, Ins.data(), size(), Begin, End, To, Copies, At, By);
  }

  /// Elements of an all_reduce that each rank sums: whole cache lines, that no
  /// two ranks write to one.
  std::int64_t shareOf(const Call &C, std::int64_t Count) const {
    const auto Line = static_cast<std::int64_t>(64 / sizeOf(C.Type));
    const std::int64_t Even = (Count + size() - 1) / size();
    return (Even + Line - 1) / Line * Line;
  }

  static void copy(DType Type, void *To, std::int64_t ToAt, const void *From,
                   std::int64_t FromAt, std::int64_t Count) {
    const auto Size = static_cast<std::int64_t>(sizeOf(Type));
    char *const Into = static_cast<char *>(To) + ToAt * Size;
    const char *const Of = static_cast<const char *>(From) + FromAt * Size;
    // In place a rank's own part is there already, and others read it.
    if (Count && Into != Of)
      std::memcpy(Into, Of, static_cast<std::size_t>(Count * Size));
  }

  /// Kept for what is under way as the run ends.
  std::shared_ptr<local::World> In;
  ThreadBarrier *At;
  int Self;
  /// Of the operator under way, by rank.
  std::vector<const void *> Ins;
  std::vector<void *> Outs;
};

class LocalBackend final : public Backend {
public:
  const char *name() const override { return "local"; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    const local::Self &Here = local::self();
    if (!Here.In)
      detail::cannotConnect(
          A, "this thread is not a rank of spmd::run_local, and no other "
             "backend is installed, see spmd::set_backend");
    const std::vector<int> Members = A.members();
    detail::checkMembers(A, Members, Here.Rank, Here.In->size(), "the run");
    std::weak_ptr<Communicator> &Known =
        Here.In->connection(Here.Rank, Members);
    std::shared_ptr<Communicator> Out = Known.lock();
    if (!Out)
      Known = Out = std::make_shared<LocalCommunicator>(
          Here.In->shared_from_this(), Here.In->barrier(Members), A.rank());
    return Out;
  }
};

} // namespace

std::shared_ptr<Backend> localBackend() {
  return std::make_shared<LocalBackend>();
}

} // namespace spmd
