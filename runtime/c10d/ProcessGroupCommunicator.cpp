#include "spmd/c10d.h"

#include "spmd/deadline.h"
#include "spmd/shapes.h"

#include <torch/torch.h>

#include <array>

namespace spmd {
namespace {

at::ScalarType scalarType(DType T) {
  constexpr at::ScalarType Types[] = {at::kHalf,   at::kBFloat16, at::kFloat,
                                      at::kDouble, at::kChar,     at::kByte,
                                      at::kInt,    at::kLong};
  return Types[static_cast<int>(T)];
}

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

/// The type that elements are moved as: not every group knows bfloat16.
at::ScalarType movedType(DType T) {
  return T == DType::BF16 ? at::kHalf : scalarType(T);
}

std::string transportOf(const c10d::ProcessGroup &Group) {
  try {
    return Group.getBackendName();
  } catch (const c10::Error &) {
    return "";
  }
}

at::Device deviceOf(const std::string &Transport) {
  return Transport == "nccl" ? at::kCUDA : at::kCPU;
}

/// Device memory by tensor operations, on the current stream.
class DeviceMemory final : public Memory {
public:
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
      detail::fail(std::string("spmd: whole numbers, ") + nameOf(Type) +
                   ", are not scaled");
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
    thread_local at::Tensor Buffers[Slots];
    at::Tensor &Buffer = Buffers[Slot];
    if (!Buffer.defined() || static_cast<std::size_t>(Buffer.numel()) < Bytes)
      Buffer = at::empty({static_cast<std::int64_t>(Bytes)},
                         at::device(at::kCUDA).dtype(at::kByte));
    return Buffer.data_ptr();
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

} // namespace

/// To make a tensor takes as long as the rest of a call, and programs use the
/// same buffers again and again. A tensor is but an address and a size here, so
/// one whose buffer has gone does no harm.
struct ProcessGroupCommunicator::Tensors {
  explicit Tensors(at::Device On) : On(On) {}

  at::Tensor over(const void *Data, std::int64_t Count, at::ScalarType Type) {
    // An empty buffer may have no address.
    if (Count == 0)
      return at::empty({0}, at::device(On).dtype(Type));
    const auto Key = reinterpret_cast<std::uintptr_t>(Data) / 8 +
                     static_cast<std::uintptr_t>(Count);
    at::Tensor &Known = Last[Key % Last.size()];
    if (!Known.defined() || Known.data_ptr() != Data ||
        Known.numel() != Count || Known.scalar_type() != Type)
      Known = at::from_blob(const_cast<void *>(Data), {Count},
                            at::device(On).dtype(Type));
    return Known;
  }

  at::Device On;
  std::array<at::Tensor, 61> Last;
};

namespace {

/// One operator of the group's, or several, and what is left to do after.
struct Begun {
  std::vector<c10::intrusive_ptr<c10d::Work>> All;
  std::function<void()> Then;

  /// One of NCCL only puts it on a stream; the host goes on.
  static void finish(const Call &C, c10d::Work &W, bool OnStream) {
    if (OnStream) {
      W.wait();
      return;
    }
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

/// Starts one call. \p Tensors makes them.
template <class Tensors> class Beginning {
public:
  Beginning(const Call &C, const Transfer &Data, c10d::ProcessGroup &Group,
            const std::string &Transport, Tensors &Made)
      : C(C), Data(Data), Group(Group), Transport(Transport), Made(Made) {}

  Begun begin() const {
    if (isEmpty())
      return {};
    switch (C.Op) {
    case rules::OperatorKind::AllReduce:
      return allReduce();
    case rules::OperatorKind::AllGather:
      return allGather();
    case rules::OperatorKind::ReduceScatter:
      return reduceScatter();
    case rules::OperatorKind::AllToAll:
      return {{exchange(Data.Out, Data.Received)}, nullptr};
    case rules::OperatorKind::Convert:
    case rules::OperatorKind::Reinterpret:
      break;
    }
    return {};
  }

private:
  /// Whether no rank has an element. Gloo divides by their number.
  bool isEmpty() const {
    if (C.Op == rules::OperatorKind::AllReduce)
      return Data.Count == 0;
    const auto None = [](const Counts &Of) { return Of.even() && Of[0] == 0; };
    return None(Data.Parts) &&
           (C.Op != rules::OperatorKind::AllToAll || None(Data.Received));
  }
  at::Tensor typed(const void *Buffer, std::int64_t Count) const {
    return Made.over(Buffer, Count, scalarType(C.Type));
  }
  /// \p Count elements from \p First on, to be moved.
  at::Tensor moved(const void *Buffer, std::int64_t First,
                   std::int64_t Count) const {
    return Made.over(static_cast<const char *>(Buffer) +
                         First * static_cast<std::int64_t>(sizeOf(C.Type)),
                     Count, movedType(C.Type));
  }
  at::Tensor part(const void *Buffer, const Counts &Parts, int Rank) const {
    return moved(Buffer, Parts.before(Rank), Parts[Rank]);
  }
  std::vector<std::int64_t> splits(const Counts &Parts) const {
    std::vector<std::int64_t> All;
    // None are even ones.
    for (int R = 0; !Parts.even() && R < C.On.size(); ++R)
      All.push_back(Parts[R]);
    return All;
  }

  Begun allReduce() const {
    const at::Tensor From = typed(Data.In, Data.Count),
                     To = typed(Data.Out, Data.Count);
    // Gloo has no bfloat16.
    const bool Widen = Transport == "gloo" && C.Type == DType::BF16;
    std::vector<at::Tensor> Sum = {Widen ? From.to(at::kFloat) : To};
    if (!Widen && Data.In != Data.Out)
      To.copy_(From);
    Begun Run{{Group.allreduce(Sum)}, nullptr};
    if (Widen)
      Run.Then = [To, Wide = Sum[0]] { To.copy_(Wide); };
    return Run;
  }

  Begun allGather() const {
    const Counts &Parts = Data.Parts;
    const int Rank = Group.getRank(), Size = Group.getSize();
    if (Parts.even()) {
      std::vector<at::Tensor> Mine = {moved(Data.In, 0, Parts[Rank])};
      std::vector<std::vector<at::Tensor>> All(1);
      for (int R = 0; R < Size; ++R)
        All[0].push_back(part(Data.Out, Parts, R));
      return {{Group.allgather(All, Mine)}, nullptr};
    }
    // Parts that differ go one by one, each from its rank.
    part(Data.Out, Parts, Rank).copy_(moved(Data.In, 0, Parts[Rank]));
    Begun Run;
    for (int R = 0; R < Size; ++R) {
      std::vector<at::Tensor> Part = {part(Data.Out, Parts, R)};
      c10d::BroadcastOptions Options;
      Options.rootRank = R;
      if (Parts[R])
        Run.All.push_back(Group.broadcast(Part, Options));
    }
    return Run;
  }

  Begun reduceScatter() const {
    const std::int64_t Size = Group.getSize();
    const std::int64_t Mine = Data.Parts[Group.getRank()];
    at::Tensor To = typed(Data.Out, Mine);
    if (Transport == "nccl" && Data.Parts.even()) {
      at::Tensor From = typed(Data.In, Mine * Size);
      return {{Group._reduce_scatter_base(To, From)}, nullptr};
    }
    const at::Tensor All = at::empty({Mine * Size}, To.options());
    return {{exchange(All.data_ptr(), Counts(Mine))}, [To, All, Size, Mine] {
              To.copy_(All.view({Size, Mine}).sum(0, false, To.scalar_type()));
            }};
  }

  c10::intrusive_ptr<c10d::Work> exchange(void *Out,
                                          const Counts &Received) const {
    const int Size = Group.getSize();
    std::vector<std::int64_t> From = splits(Received), To = splits(Data.Parts);
    at::Tensor Input = moved(Data.In, 0, Data.Parts.before(Size));
    at::Tensor Output = moved(Out, 0, Received.before(Size));
    return Group.alltoall_base(Output, Input, From, To);
  }

  const Call &C;
  const Transfer &Data;
  c10d::ProcessGroup &Group;
  const std::string &Transport;
  Tensors &Made;
};

struct Running final : Started::State {
  Begun Run;
};

} // namespace

ProcessGroupCommunicator::ProcessGroupCommunicator(
    c10::intrusive_ptr<c10d::ProcessGroup> G)
    : Group(std::move(G)), Transport(transportOf(*Group)),
      Made(std::make_unique<Tensors>(deviceOf(Transport))) {}

ProcessGroupCommunicator::~ProcessGroupCommunicator() = default;

Memory &ProcessGroupCommunicator::memory() {
  static DeviceMemory Device;
  return Transport == "nccl" ? static_cast<Memory &>(Device) : hostMemory();
}

void ProcessGroupCommunicator::run(const Call &C, const Transfer &Data) {
  Begun Run;
  guarded(C,
          [&] { Run = Beginning(C, Data, *Group, Transport, *Made).begin(); });
  Run.wait(C, Transport == "nccl");
}

void ProcessGroupCommunicator::start(Started &S) {
  if (!S.Own)
    S.Own = std::make_unique<Running>();
  guarded(S.C, [&] {
    static_cast<Running &>(*S.Own).Run =
        Beginning(S.C, S.Data, *Group, Transport, *Made).begin();
  });
}

void ProcessGroupCommunicator::finish(Started &S) {
  std::exchange(static_cast<Running &>(*S.Own).Run, {})
      .wait(S.C, Transport == "nccl");
}

bool ProcessGroupCommunicator::isDone(Started &S) {
  for (const auto &Work : static_cast<Running &>(*S.Own).Run.All)
    if (!Work->isCompleted())
      return false;
  return true;
}

} // namespace spmd
