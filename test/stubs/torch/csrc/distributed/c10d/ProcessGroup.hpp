// Stand-in for c10d::ProcessGroup: the collectives, without bodies.
#pragma once

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace c10d {

class ProcessGroup : public torch::CustomClassHolder {
public:
  struct Options : torch::CustomClassHolder {
    explicit Options(std::string backend);
    std::chrono::milliseconds timeout;
    const std::string backend;
  };

  explicit ProcessGroup(int rank, int size);
  ~ProcessGroup() override;

  int getRank() const { return rank_; }
  int getSize() const { return size_; }
  virtual const std::string getBackendName() const;
  virtual void startCoalescing();
  virtual void endCoalescing(std::vector<c10::intrusive_ptr<Work>> &reqs);

  virtual c10::intrusive_ptr<Work>
  broadcast(std::vector<at::Tensor> &tensors,
            const BroadcastOptions &opts = BroadcastOptions());
  virtual c10::intrusive_ptr<Work>
  allreduce(std::vector<at::Tensor> &tensors,
            const AllreduceOptions &opts = AllreduceOptions());
  virtual c10::intrusive_ptr<Work> allreduce_coalesced(
      std::vector<at::Tensor> &tensors,
      const AllreduceCoalescedOptions &opts = AllreduceCoalescedOptions());
  virtual c10::intrusive_ptr<Work>
  reduce(std::vector<at::Tensor> &tensors,
         const ReduceOptions &opts = ReduceOptions());
  virtual c10::intrusive_ptr<Work>
  allgather(std::vector<std::vector<at::Tensor>> &outputTensors,
            std::vector<at::Tensor> &inputTensors,
            const AllgatherOptions &opts = AllgatherOptions());
  virtual c10::intrusive_ptr<Work>
  _allgather_base(at::Tensor &outputBuffer, at::Tensor &inputBuffer,
                  const AllgatherOptions &opts = AllgatherOptions());
  virtual c10::intrusive_ptr<Work>
  gather(std::vector<std::vector<at::Tensor>> &outputTensors,
         std::vector<at::Tensor> &inputTensors,
         const GatherOptions &opts = GatherOptions());
  virtual c10::intrusive_ptr<Work>
  scatter(std::vector<at::Tensor> &outputTensors,
          std::vector<std::vector<at::Tensor>> &inputTensors,
          const ScatterOptions &opts = ScatterOptions());
  virtual c10::intrusive_ptr<Work>
  reduce_scatter(std::vector<at::Tensor> &outputTensors,
                 std::vector<std::vector<at::Tensor>> &inputTensors,
                 const ReduceScatterOptions &opts = ReduceScatterOptions());
  virtual c10::intrusive_ptr<Work> _reduce_scatter_base(
      at::Tensor &outputBuffer, at::Tensor &inputBuffer,
      const ReduceScatterOptions &opts = ReduceScatterOptions());
  virtual c10::intrusive_ptr<Work>
  alltoall_base(at::Tensor &outputBuffer, at::Tensor &inputBuffer,
                std::vector<int64_t> &outputSplitSizes,
                std::vector<int64_t> &inputSplitSizes,
                const AllToAllOptions &opts = AllToAllOptions());
  virtual c10::intrusive_ptr<Work>
  alltoall(std::vector<at::Tensor> &outputTensors,
           std::vector<at::Tensor> &inputTensors,
           const AllToAllOptions &opts = AllToAllOptions());
  virtual c10::intrusive_ptr<Work> send(std::vector<at::Tensor> &tensors,
                                        int dstRank, int tag);
  virtual c10::intrusive_ptr<Work> recv(std::vector<at::Tensor> &tensors,
                                        int srcRank, int tag);
  virtual c10::intrusive_ptr<Work>
  barrier(const BarrierOptions &opts = BarrierOptions());

protected:
  const int rank_;
  const int size_;
};

} // namespace c10d
