// Bytes of a file as training examples.

#pragma once

#include "parallel.h"
#include "shape.h"

#include <string>
#include <vector>

namespace zero {

/// The tokens of one micro-step, and for each the token that follows.
struct Batch {
  [[spmd::type("dp: V")]] int *tokens = nullptr;
  [[spmd::type("dp: V")]] int *targets = nullptr;
};

class Data {
public:
  Data(const std::string &path, const Shape &shape, const Parallel &parallel);
  ~Data();
  Data(const Data &) = delete;
  Data &operator=(const Data &) = delete;

  /// This rank's sequences of the next micro-step, on the device. The ranks
  /// take turns.
  const Batch &next();

private:
  const Shape shape_;
  const Parallel &parallel_;
  std::vector<int> text_;
  std::size_t micro_step_ = 0;
  Batch batch_;
};

} // namespace zero
