#include "spmd/c10d.h"

#include "../lib/Awake.h"
#include "Arguments.h"
#include "FailedGroups.h"
#include "Termination.h"

#include "spmd/deadline.h"

#include <torch/torch.h>

#include <c10/util/SmallVector.h>

#include <cctype>
#include <map>

namespace spmd {
namespace {

/// Runs \p Do, whose errors become ours.
template <class Fn> void guarded(const Call &C, Fn Do) {
  try {
    Do();
  } catch (const c10::Error &E) {
    failOn(C, std::string("c10d: ") + E.what_without_backtrace());
  } catch (const Error &) {
    throw;
  } catch (const std::exception &E) {
    failOn(C, std::string("c10d: ") + E.what());
  }
}

/// The one that moves the data, however the group writes it or wraps it:
/// "NCCL", "cuda:nccl".
std::string transportOf(const c10d::ProcessGroup &Group) {
  std::string Name;
  try {
    Name = Group.getBackendName();
  } catch (const c10::Error &) {
    return "";
  }
  for (char &C : Name)
    C = static_cast<char>(std::tolower(static_cast<unsigned char>(C)));
  for (const char *Known : {"nccl", "gloo", "mpi"})
    if (Name.find(Known) != std::string::npos)
      return Known;
  return Name;
}

/// Whether the group itself can add what it scatters.
bool addsUp(const std::string &Transport) { return Transport == "nccl"; }

at::Device deviceOf(const std::string &Transport) {
  return Transport == "nccl" ? at::kCUDA : at::kCPU;
}

/// Device memory by tensor operations, on the current stream.
class DeviceMemory final : public Memory {
public:
  bool isDevice() const override { return true; }
  void copyRows(void *To, std::size_t ToPitch, const void *From,
                std::size_t FromPitch, std::size_t RowBytes,
                std::size_t Rows) override {
    if (RowBytes && Rows && To != From)
      rows(To, ToPitch, RowBytes, Rows)
          .copy_(rows(const_cast<void *>(From), FromPitch, RowBytes, Rows));
  }
  void zero(void *To, std::size_t Bytes) override {
    if (Bytes)
      rows(To, Bytes, Bytes, 1).zero_();
  }
  void scale(void *X, DType Type, std::int64_t Count, double By) override {
    if (Type != DType::F16 && Type != DType::BF16 && Type != DType::F32 &&
        Type != DType::F64)
      detail::fail(std::string("spmd: ") +
                   (isWhole(Type) ? "whole numbers, " : "floats of 8 bits, ") +
                   nameOf(Type) + ", are not scaled");
    at::from_blob(X, {Count}, at::device(at::kCUDA).dtype(scalarType(Type)))
        .mul_(By);
  }
  std::shared_ptr<void> allocate(std::size_t Bytes) override {
    const auto Buffer = std::make_shared<at::Tensor>(
        at::empty({static_cast<std::int64_t>(Bytes)},
                  at::device(at::kCUDA).dtype(at::kByte)));
    return {Buffer, Buffer->data_ptr()};
  }

  void *scratch(int Slot, std::size_t Bytes) override {
    // Of the current stream, which the next operator may not have.
    at::Tensor &Buffer = scratchOfThread()[static_cast<std::size_t>(Slot)];
    Buffer = at::empty({static_cast<std::int64_t>(Bytes)},
                       at::device(at::kCUDA).dtype(at::kByte));
    return Buffer.data_ptr();
  }
  void release(int Slot) override {
    scratchOfThread()[static_cast<std::size_t>(Slot)] = at::Tensor();
  }
  void leaveScratch() override {
    for (at::Tensor &Buffer : scratchOfThread())
      detail::keepForGood(
          std::make_shared<at::Tensor>(std::exchange(Buffer, {})));
  }

  void upload(void *To, const void *Host, std::size_t Bytes) override {
    if (Bytes)
      rows(To, Bytes, Bytes, 1).copy_(onHost(const_cast<void *>(Host), Bytes));
  }
  void download(void *Host, const void *From, std::size_t Bytes) override {
    if (Bytes)
      onHost(Host, Bytes)
          .copy_(rows(const_cast<void *>(From), Bytes, Bytes, 1));
  }

private:
  static std::array<at::Tensor, Slots> &scratchOfThread() {
    thread_local std::array<at::Tensor, Slots> Mine;
    return Mine;
  }
  static at::Tensor onHost(void *Data, std::size_t Bytes) {
    return at::from_blob(Data, {1, static_cast<std::int64_t>(Bytes)},
                         at::kByte);
  }
  static at::Tensor rows(void *Data, std::size_t Pitch, std::size_t RowBytes,
                         std::size_t Rows) {
    return at::from_blob(
        Data,
        {static_cast<std::int64_t>(Rows), static_cast<std::int64_t>(RowBytes)},
        {static_cast<std::int64_t>(Pitch), 1},
        at::device(at::kCUDA).dtype(at::kByte));
  }
};

/// One operator of the group's, or several, and what is left to do after.
struct Begun {
  c10::SmallVector<c10::intrusive_ptr<c10d::Work>, 1> All;
  std::function<void()> Then;

  /// One of NCCL only puts it on a stream; the host goes on.
  static void finish(const Call &C, c10d::Work &W, bool OnStream) {
    if (OnStream) {
      W.wait();
      return;
    }
    detail::giveWay([&W] { return W.isCompleted(); });
    try {
      W.wait(deadline());
    } catch (const c10::Error &) {
      // The group's own limit, if it is shorter, has its own words.
      if (W.isCompleted())
        throw;
      failOn(C, "a rank did not come within " +
                    std::to_string(deadline().count()) + " ms");
    }
  }
  void wait(const Call &C, bool OnStream) {
    guarded(C, [&] {
      for (const auto &Work : All)
        finish(C, *Work, OnStream);
      if (Then)
        Then();
    });
  }
};

/// Starts one call of a group.
class Beginning {
public:
  Beginning(const Call &C, const Transfer &Data, Memory &M,
            c10d::ProcessGroup &Group, const std::string &Transport,
            KeptArguments &Kept)
      : C(C), Data(Data), M(M), Group(Group), Transport(Transport), Kept(Kept) {
  }

  Begun begin() const {
    if (isEmpty())
      return {};
    checkComputes();
    Arguments &With = Kept.of(C, Data);
    switch (detail::carrierOf(C.Op)) {
    case rules::OperatorKind::AllReduce:
      return allReduce(With);
    case rules::OperatorKind::AllGather:
      return allGather(With);
    case rules::OperatorKind::ReduceScatter:
      return reduceScatter(With);
    case rules::OperatorKind::AllToAll:
      return {{Group.alltoall_base(With.Output, With.Input, With.Received,
                                   With.Sent)},
              nullptr};
    default: // stays on the rank
      break;
    }
    return {};
  }

private:
  /// Whether no rank has an element. Gloo divides by their number.
  bool isEmpty() const {
    if (detail::carrierOf(C.Op) == rules::OperatorKind::AllReduce)
      return Data.Count == 0;
    const auto None = [](const Counts &Of) { return Of.even() && Of[0] == 0; };
    return None(Data.Parts) &&
           (detail::carrierOf(C.Op) != rules::OperatorKind::AllToAll ||
            None(Data.Received));
  }
  void copy(void *To, const void *From, std::int64_t Count) const {
    const std::size_t Bytes = static_cast<std::size_t>(Count) * sizeOf(C.Type);
    M.copyRows(To, Bytes, From, Bytes, Bytes, 1);
  }

  /// What libtorch has no type for is moved, and not computed with.
  void checkComputes() const {
    const rules::OperatorKind By = detail::carrierOf(C.Op);
    if (rules::isSelection(C.Op) &&
        (C.Type == DType::U32 || C.Type == DType::U64))
      failOn(C, "a process group compares no unsigned numbers of more than 8 "
                "bits: give it them with a sign");
    if (isFloat8(C.Type) && (By == rules::OperatorKind::AllReduce ||
                             By == rules::OperatorKind::ReduceScatter))
      failOn(C, "a process group computes with no floats of 8 bits: give it "
                "halves");
  }

  Begun allReduce(Arguments &With) const {
    c10d::AllreduceOptions By;
    if (C.Op == rules::OperatorKind::AllReduceMax)
      By.reduceOp = c10d::ReduceOp::MAX;
    if (C.Op == rules::OperatorKind::AllReduceMin)
      By.reduceOp = c10d::ReduceOp::MIN;
    // Gloo has no bfloat16.
    if (Transport == "gloo" && C.Type == DType::BF16) {
      std::vector<at::Tensor> Wide = {With.Input.to(at::kFloat)};
      return {{Group.allreduce(Wide, By)},
              [To = With.Output, Sum = Wide[0]] { To.copy_(Sum); }};
    }
    if (Data.In != Data.Out)
      copy(Data.Out, Data.In, Data.Count);
    return {{Group.allreduce(With.Operand, By)}, nullptr};
  }

  Begun allGather(Arguments &With) const {
    if (Data.Parts.even() && Transport == "nccl")
      return {{Group._allgather_base(With.Output, With.Input)}, nullptr};
    if (Data.Parts.even())
      return {{Group.allgather(With.Parts, With.Operand)}, nullptr};
    // Parts that differ go one by one, each from its rank.
    const auto Rank = static_cast<std::size_t>(C.On.rank());
    copy(With.Parts[Rank][0].data_ptr(), Data.In, Data.Parts[C.On.rank()]);
    Begun Run;
    for (int R = 0; R < C.On.size(); ++R) {
      c10d::BroadcastOptions Options;
      Options.rootRank = R;
      if (Data.Parts[R])
        Run.All.push_back(
            Group.broadcast(With.Parts[static_cast<std::size_t>(R)], Options));
    }
    return Run;
  }

  Begun reduceScatter(Arguments &With) const {
    if (addsUp(Transport) && Data.Parts.even())
      return {{Group._reduce_scatter_base(With.Output, With.Input)}, nullptr};
    const std::int64_t Size = C.On.size(), Mine = With.Output.numel();
    const at::Tensor All = at::empty({Size, Mine}, With.Output.options());
    at::Tensor Received = tensorOver(All.data_ptr(), Size * Mine,
                                     movedType(C.Type), Kept.device());
    std::vector<std::int64_t> Each;
    return {{Group.alltoall_base(Received, With.Input, Each, With.Sent)},
            [To = With.Output, All] {
              To.copy_(All.sum(0, false, To.scalar_type()));
            }};
  }

  const Call &C;
  const Transfer &Data;
  Memory &M;
  c10d::ProcessGroup &Group;
  const std::string &Transport;
  KeptArguments &Kept;
};

struct Running final : Started::State {
  Begun Run;
};

} // namespace

ProcessGroupCommunicator::ProcessGroupCommunicator(
    c10::intrusive_ptr<c10d::ProcessGroup> G)
    : Group(std::move(G)), Transport(transportOf(*Group)),
      Kept(std::make_unique<KeptArguments>(deviceOf(Transport),
                                           addsUp(Transport))) {
  if (Transport == "gloo")
    explainTerminations(rank());
}

ProcessGroupCommunicator::~ProcessGroupCommunicator() = default;

Memory &ProcessGroupCommunicator::memory() {
  static DeviceMemory Device;
  return Transport == "nccl" ? static_cast<Memory &>(Device) : hostMemory();
}

void ProcessGroupCommunicator::checkWorks(const Call &C) const {
  if (const std::string Why = whyFailed(*Group); !Why.empty())
    failOn(C, Why);
}

template <class Begun>
void ProcessGroupCommunicator::wait(const Call &C, Begun &Run) const {
  try {
    Run.wait(C, Transport == "nccl");
  } catch (const Error &E) {
    noteFailed(Group, E.call().Cause);
    throw;
  }
}

bool ProcessGroupCommunicator::mayHold() const {
  return !whyFailed(*Group).empty();
}

void ProcessGroupCommunicator::run(const Call &C, const Transfer &Data) {
  checkWorks(C);
  Begun Run;
  guarded(C, [&] {
    Run = Beginning(C, Data, memory(), *Group, Transport, *Kept).begin();
  });
  try {
    wait(C, Run);
  } catch (...) {
    memory().leaveScratch();
    throw;
  }
}

void ProcessGroupCommunicator::start(Started &S) {
  if (!S.Own)
    S.Own = std::make_unique<Running>();
  checkWorks(S.C);
  guarded(S.C, [&] {
    static_cast<Running &>(*S.Own).Run =
        Beginning(S.C, S.Data, memory(), *Group, Transport, *Kept).begin();
  });
}

void ProcessGroupCommunicator::finish(Started &S) {
  Begun Run = std::exchange(static_cast<Running &>(*S.Own).Run, {});
  wait(S.C, Run);
}

bool ProcessGroupCommunicator::isDone(Started &S) {
  for (const auto &Work : static_cast<Running &>(*S.Own).Run.All)
    if (!Work->isCompleted())
      return false;
  return true;
}

namespace {

class GroupBackend final : public Backend {
public:
  explicit GroupBackend(MakeGroup Make) : Make(std::move(Make)) {}
  const char *name() const override { return "c10d"; }
  std::shared_ptr<Communicator> connect(const Axis &A) override {
    std::shared_ptr<ProcessGroupCommunicator> &Known = Made[A.members()];
    if (Known)
      return Known;
    const auto Group = Make(A);
    if (!Group || Group->getSize() != A.size() || Group->getRank() != A.rank())
      detail::cannotConnect(A, !Group ? "it was given no process group"
                                      : "its process group has " +
                                            std::to_string(Group->getSize()) +
                                            " ranks, of which this is rank " +
                                            std::to_string(Group->getRank()));
    return Known = std::make_shared<ProcessGroupCommunicator>(Group);
  }

private:
  const MakeGroup Make;
  std::map<std::vector<int>, std::shared_ptr<ProcessGroupCommunicator>> Made;
};

} // namespace

std::shared_ptr<Backend> c10d_backend(MakeGroup Make) {
  return std::make_shared<GroupBackend>(std::move(Make));
}

} // namespace spmd
