#include "LocalBackend.h"

#include "Sum.h"
#include "World.h"

#include "spmd/shapes.h"

#include <cstring>

namespace spmd {
namespace {

using local::Meeting;
using local::Offer;

/// The ranks read each other's buffers: no copy is made but the result.
class LocalCommunicator final : public Communicator {
public:
  LocalCommunicator(std::shared_ptr<local::World> Run, Meeting &At, int Rank)
      : In(std::move(Run)), At(&At), Self(Rank), Ins(At.members().size()),
        Outs(Ins.size()) {}

  int size() const override { return static_cast<int>(Ins.size()); }
  int rank() const override { return Self; }
  const char *kind() const override { return "local"; }

  void allReduce(const Call &C, const void *In, void *Out,
                 std::int64_t Count) override {
    meet({&C, In, Out, nullptr});
    // Each rank sums its share for all. In place, nobody else reads or writes
    // that share.
    const std::int64_t Share = (Count + size() - 1) / size();
    const std::int64_t Begin = std::min(Count, Self * Share);
    local::sum(C.Type, Ins.data(), size(), Begin,
               std::min(Count, Begin + Share), Outs.data(), size(), Begin);
    At->leave(Self);
  }

  void allGather(const Call &C, const void *In, void *Out,
                 const Counts &Parts) override {
    meet({&C, In, Out, nullptr});
    for (int R = 0; R < size(); ++R)
      copy(C.Type, Out, Parts.before(R), Ins[static_cast<std::size_t>(R)], 0,
           Parts[R]);
    At->leave(Self);
  }

  void reduceScatter(const Call &C, const void *In, void *Out,
                     const Counts &Parts) override {
    meet({&C, In, Out, nullptr});
    const std::int64_t Begin = Parts.before(Self);
    local::sum(C.Type, Ins.data(), size(), Begin, Begin + Parts[Self], &Out, 1,
               0);
    At->leave(Self);
  }

  void allToAll(const Call &C, const void *In, const Counts &Sent, void *Out,
                const Counts &Received) override {
    meet({&C, In, Out, &Sent});
    for (int R = 0; R < size(); ++R)
      copy(C.Type, Out, Received.before(R), Ins[static_cast<std::size_t>(R)],
           At->offer(R).Sent->before(Self), Received[R]);
    At->leave(Self);
  }

  void abandon(Started &, const std::string &Why) noexcept override {
    At->abandon(Why);
  }

private:
  void meet(const Offer &Mine) {
    if (local::self().In != In.get())
      failOn(*Mine.C, "the spmd::run_local that connected it has ended");
    At->come(Self, Mine);
    for (int R = 0; R < size(); ++R) {
      Ins[static_cast<std::size_t>(R)] = At->offer(R).In;
      Outs[static_cast<std::size_t>(R)] = At->offer(R).Out;
    }
  }

  static void copy(DType Type, void *To, std::int64_t ToAt, const void *From,
                   std::int64_t FromAt, std::int64_t Count) {
    const auto Size = static_cast<std::int64_t>(sizeOf(Type));
    if (Count)
      std::memcpy(static_cast<char *>(To) + ToAt * Size,
                  static_cast<const char *>(From) + FromAt * Size,
                  static_cast<std::size_t>(Count * Size));
  }

  /// Kept for what is under way as the run ends.
  std::shared_ptr<local::World> In;
  Meeting *At;
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
    return std::make_shared<LocalCommunicator>(
        Here.In->shared_from_this(), Here.In->meeting(Members), A.rank());
  }
};

} // namespace

std::shared_ptr<Backend> localBackend() {
  return std::make_shared<LocalBackend>();
}

} // namespace spmd
