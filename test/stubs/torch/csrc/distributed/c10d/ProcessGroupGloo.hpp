// Stand-in for the process groups that trainers construct.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace gloo::transport {
class Device;
} // namespace gloo::transport

namespace c10d {

class ProcessGroupGloo : public ProcessGroup {
public:
  struct Options : ProcessGroup::Options {
    explicit Options(
        std::chrono::milliseconds timeout = std::chrono::milliseconds(1800000));
    static c10::intrusive_ptr<Options> create(
        std::chrono::milliseconds timeout = std::chrono::milliseconds(1800000));
    std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
    int threads;
  };
  explicit ProcessGroupGloo(
      const c10::intrusive_ptr<Store> &store, int rank, int size,
      c10::intrusive_ptr<Options> options = Options::create());
  static std::shared_ptr<::gloo::transport::Device> createDefaultDevice();
  static std::shared_ptr<::gloo::transport::Device>
  createDeviceForHostname(const std::string &hostname);
};

} // namespace c10d
