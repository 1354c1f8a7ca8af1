#include "spmd/backend.h"

#include "local/LocalBackend.h"

namespace spmd {
namespace {

std::shared_ptr<Backend> &installed() {
  static std::shared_ptr<Backend> B = localBackend();
  return B;
}

} // namespace

std::shared_ptr<Backend> set_backend(std::shared_ptr<Backend> B) {
  std::swap(B, installed());
  if (!installed())
    installed() = localBackend();
  return B;
}

const std::shared_ptr<Backend> &backend() { return installed(); }

Communicator *Axis::communicator() const {
  if (Foreign || !Made)
    return Foreign.get();
  if (Made->By != backend()) {
    Made->To = Size > 1 ? backend()->connect(*this) : nullptr;
    Made->By = backend();
  }
  return Made->To.get();
}

Memory &Axis::memory() const {
  return Foreign ? Foreign->memory() : backend()->memory();
}

} // namespace spmd
