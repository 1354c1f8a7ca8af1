#include "spmd/c10d.h"

#include "spmd/shapes.h"

#include <torch/torch.h>

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

/// Tensors over the buffers of one call.
class Buffers {
public:
  Buffers(const Call &C, at::Device On) : C(C), On(On) {}

  at::Tensor typed(const void *Data, std::int64_t Count) const {
    return over(Data, Count, scalarType(C.Type));
  }
  /// What is only moved goes as bytes: not every group knows every type.
  at::Tensor bytes(const void *Data, std::int64_t First,
                   std::int64_t Count) const {
    const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
    return over(static_cast<const char *>(Data) + First * Size, Count * Size,
                at::kByte);
  }
  at::Tensor part(const void *Data, const Counts &Parts, int Rank) const {
    return bytes(Data, Parts.before(Rank), Parts[Rank]);
  }
  std::vector<std::int64_t> splits(const Counts &Parts) const {
    std::vector<std::int64_t> All;
    for (int R = 0; R < C.On.size(); ++R)
      All.push_back(Parts[R] * static_cast<std::int64_t>(sizeOf(C.Type)));
    return All;
  }
  at::Tensor empty(std::int64_t Count) const {
    return at::empty({Count}, at::device(On).dtype(scalarType(C.Type)));
  }

private:
  at::Tensor over(const void *Data, std::int64_t Count,
                  at::ScalarType Type) const {
    // An empty buffer may have no address.
    if (Count == 0)
      return at::empty({0}, at::device(On).dtype(Type));
    return at::from_blob(const_cast<void *>(Data), {Count},
                         at::device(On).dtype(Type));
  }

  const Call &C;
  at::Device On;
};

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
  std::shared_ptr<void> allocate(std::size_t Bytes) override {
    const auto Buffer = std::make_shared<at::Tensor>(
        at::empty({static_cast<std::int64_t>(Bytes)},
                  at::device(at::kCUDA).dtype(at::kByte)));
    return {Buffer, Buffer->data_ptr()};
  }

  void *scratch(int Slot, std::size_t Bytes) override {
    thread_local at::Tensor Buffers[2];
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

void exchange(c10d::ProcessGroup &Group, const Buffers &B, const void *In,
              const Counts &Sent, void *Out, const Counts &Received,
              int Ranks) {
  std::vector<std::int64_t> From = B.splits(Received), To = B.splits(Sent);
  at::Tensor Input = B.bytes(In, 0, Sent.before(Ranks));
  at::Tensor Output = B.bytes(Out, 0, Received.before(Ranks));
  Group.alltoall_base(Output, Input, From, To)->wait();
}

} // namespace

ProcessGroupCommunicator::ProcessGroupCommunicator(
    c10::intrusive_ptr<c10d::ProcessGroup> G)
    : Group(std::move(G)), Transport(transportOf(*Group)) {}

Memory &ProcessGroupCommunicator::memory() {
  static DeviceMemory Device;
  return Transport == "nccl" ? static_cast<Memory &>(Device) : hostMemory();
}

void ProcessGroupCommunicator::allReduce(const Call &C, const void *In,
                                         void *Out, std::int64_t Count) {
  guarded(C, [&] {
    const Buffers B(C, deviceOf(Transport));
    const at::Tensor From = B.typed(In, Count), To = B.typed(Out, Count);
    // Gloo has no bfloat16.
    const bool Widen = Transport == "gloo" && C.Type == DType::BF16;
    std::vector<at::Tensor> Sum = {Widen ? From.to(at::kFloat) : To};
    if (!Widen && In != Out)
      To.copy_(From);
    Group->allreduce(Sum)->wait();
    if (Widen)
      To.copy_(Sum[0]);
  });
}

void ProcessGroupCommunicator::allGather(const Call &C, const void *In,
                                         void *Out, const Counts &Parts) {
  guarded(C, [&] {
    const Buffers B(C, deviceOf(Transport));
    if (Parts.even()) {
      std::vector<at::Tensor> Mine = {B.bytes(In, 0, Parts[rank()])};
      std::vector<std::vector<at::Tensor>> All(1);
      for (int R = 0; R < size(); ++R)
        All[0].push_back(B.part(Out, Parts, R));
      Group->allgather(All, Mine)->wait();
      return;
    }
    // Parts that differ go one by one, each from its rank.
    B.part(Out, Parts, rank()).copy_(B.bytes(In, 0, Parts[rank()]));
    for (int R = 0; R < size(); ++R) {
      std::vector<at::Tensor> Part = {B.part(Out, Parts, R)};
      c10d::BroadcastOptions Options;
      Options.rootRank = R;
      if (Parts[R])
        Group->broadcast(Part, Options)->wait();
    }
  });
}

void ProcessGroupCommunicator::reduceScatter(const Call &C, const void *In,
                                             void *Out, const Counts &Parts) {
  guarded(C, [&] {
    const Buffers B(C, deviceOf(Transport));
    const std::int64_t Mine = Parts[rank()];
    at::Tensor To = B.typed(Out, Mine);
    if (Transport == "nccl" && Parts.even()) {
      at::Tensor From = B.typed(In, Parts.before(size()));
      Group->_reduce_scatter_base(To, From)->wait();
      return;
    }
    const at::Tensor All = B.empty(Mine * size());
    exchange(*Group, B, In, Parts, All.data_ptr(), Counts(Mine), size());
    To.copy_(All.view({size(), Mine}).sum(0, false, To.scalar_type()));
  });
}

void ProcessGroupCommunicator::allToAll(const Call &C, const void *In,
                                        const Counts &Sent, void *Out,
                                        const Counts &Received) {
  guarded(C, [&] {
    exchange(*Group, Buffers(C, deviceOf(Transport)), In, Sent, Out, Received,
             size());
  });
}

} // namespace spmd
