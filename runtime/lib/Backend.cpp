#include "spmd/backend.h"

#include "local/LocalBackend.h"

namespace spmd {
namespace {

std::shared_ptr<Backend> &installed() {
  static std::shared_ptr<Backend> B = localBackend();
  return B;
}

} // namespace

void detail::cannotConnect(const Axis &A, const std::string &Why) {
  FailedCall Of;
  Of.Axis = A.name();
  Of.Cause = "no communicator: " + Why;
  fail("spmd: no communicator for " + describe(A) + ": " + Why, Of);
}

void detail::checkMembers(const Axis &A, const std::vector<int> &Members,
                          int Rank, int Size, const std::string &World) {
  if (A.globalRank() != Rank)
    cannotConnect(A, "its mesh was made for rank " +
                         std::to_string(A.globalRank()) + ", this is rank " +
                         std::to_string(Rank));
  for (int Member : Members)
    if (Member >= Size)
      cannotConnect(A, "rank " + std::to_string(Member) + " is on it, " +
                           World + " has " + std::to_string(Size) + " ranks");
}

std::shared_ptr<Backend> set_backend(std::shared_ptr<Backend> B) {
  std::swap(B, installed());
  if (!installed())
    installed() = localBackend();
  return B;
}

const std::shared_ptr<Backend> &backend() { return installed(); }

const std::shared_ptr<Communicator> &Axis::connected() const {
  if (Foreign || !Made)
    return Foreign;
  if (Made->By != backend()) {
    // What has been started keeps its communicator, and its place.
    if (Made->To)
      Made->To->settle();
    Made->To = Size > 1 ? backend()->connect(*this) : nullptr;
    if (Size > 1 && !Made->To)
      detail::cannotConnect(*this, std::string("the backend '") +
                                       backend()->name() + "' gave none");
    Made->By = backend();
  }
  return Made->To;
}

Memory &Axis::memory() const {
  return Foreign ? Foreign->memory() : backend()->memory();
}

} // namespace spmd
