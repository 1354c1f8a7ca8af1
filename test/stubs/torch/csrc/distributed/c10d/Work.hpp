// Stand-in for the handle of an asynchronous collective.
#pragma once

#include <ATen/core/Tensor.h>
#include <chrono>

constexpr auto kNoTimeout = std::chrono::milliseconds(0);

namespace c10::ivalue {
struct Future : c10::intrusive_ptr_target {
  void wait();
  void waitAndThrow();
  bool completed() const;
};
} // namespace c10::ivalue

namespace c10d {

class Work : public torch::CustomClassHolder {
public:
  virtual bool isCompleted();
  virtual bool isSuccess() const;
  virtual int sourceRank() const;
  virtual std::vector<at::Tensor> result();
  virtual void synchronize();
  virtual bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  virtual void abort();
  virtual c10::intrusive_ptr<c10::ivalue::Future> getFuture();
};

} // namespace c10d
