#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace c10d {

class ProcessGroupNCCL : public ProcessGroup {
public:
  struct Options : ProcessGroup::Options {
    explicit Options(bool is_high_priority_stream = false);
    static c10::intrusive_ptr<Options> create(bool high_priority = false);
    bool is_high_priority_stream;
  };
  ProcessGroupNCCL(const c10::intrusive_ptr<Store> &store, int rank, int size,
                   c10::intrusive_ptr<Options> options = Options::create());
};

} // namespace c10d
