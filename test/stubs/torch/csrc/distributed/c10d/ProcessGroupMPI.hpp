#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace c10d {

class ProcessGroupMPI : public ProcessGroup {
public:
  explicit ProcessGroupMPI(int rank, int size);
  static c10::intrusive_ptr<ProcessGroupMPI>
  createProcessGroupMPI(std::vector<int> ranks = {});
};

} // namespace c10d
