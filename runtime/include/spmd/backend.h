//===- backend.h - Who connects the axes of a mesh --------------*- C++ -*-===//

#ifndef SPMD_BACKEND_H
#define SPMD_BACKEND_H

#include "spmd/axis.h"

namespace spmd {

/// Makes communicators for the axes of a mesh. An axis over a foreign
/// communicator needs none.
class Backend {
public:
  virtual ~Backend() = default;
  /// "local", "mpi", "nccl", …; for messages.
  virtual const char *name() const = 0;
  /// The communicator of \p A, an axis of a mesh with two ranks or more. Asked
  /// for once per axis object and its copies, at the first operator that
  /// communicates. All ranks of the axis ask for it. What this throws, or a
  /// communicator, becomes the cause of the operator's Error.
  virtual std::shared_ptr<Communicator> connect(const Axis &A) = 0;
  virtual Memory &memory() { return hostMemory(); }
};

namespace detail {
/// Error: "spmd: no communicator for axis 'tp' of 4 ranks: …".
[[noreturn]] void cannotConnect(const Axis &A, const std::string &Why);
/// An Error unless \p A, whose ranks are \p Members, is of a mesh made for
/// \p Rank, and all its ranks are among the \p Size of \p World.
void checkMembers(const Axis &A, const std::vector<int> &Members, int Rank,
                  int Size, const std::string &World);
} // namespace detail

/// Installs \p B for the whole process and returns the one before it; null
/// brings back the default, the ranks of spmd::run_local. Axes are connected
/// anew by it at their next operator; what has been started ends on the
/// communicator that it was started on. Not to be called while another thread
/// calls operators.
std::shared_ptr<Backend> set_backend(std::shared_ptr<Backend> B);

/// The installed backend.
const std::shared_ptr<Backend> &backend();

} // namespace spmd

#endif // SPMD_BACKEND_H
