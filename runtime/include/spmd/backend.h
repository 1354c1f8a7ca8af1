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

/// Installs \p B for the whole process, or by a rank of spmd::run_local for
/// that rank alone, and returns the one before it; null brings back the
/// default, the ranks of spmd::run_local. Axes are connected anew by it at
/// their next operator; what has been started ends on the communicator that it
/// was started on. Not to be called while another thread calls operators.
std::shared_ptr<Backend> set_backend(std::shared_ptr<Backend> B);

/// The installed backend; of host_and_device, that for the host's memory.
const std::shared_ptr<Backend> &backend();

/// Two at once, for one mesh: operators on the host's memory go over \p Host,
/// those on a device's over \p Device, as spmd::nccl_backend makes it. A null
/// \p Host is the ranks of spmd::run_local; \p Device is not null. Of raw
/// buffers the address tells: one without elements needs an address as well,
/// where the other has none either. A barrier is the host's, within spmd::on
/// the device's.
///
///     spmd::set_backend(spmd::host_and_device(
///         spmd::mpi_backend(), spmd::nccl_backend(job, stream)));
///     all_reduce(host_view, dp, spmd::P, spmd::R);   // over MPI
///     all_reduce(device_view, dp, spmd::P, spmd::R); // over NCCL
std::shared_ptr<Backend> host_and_device(std::shared_ptr<Backend> Host,
                                         std::shared_ptr<Backend> Device);

namespace detail {
/// Where two are installed, the one that the thread's operators go over while
/// this lives.
class BackendScope {
public:
  explicit BackendScope(bool OnDevice);
  /// That of the memory of a call's buffers, which are of one kind; inside of
  /// another scope, that one's.
  BackendScope(const View &In, const View &Out);
  ~BackendScope();
  /// What is said now.
  static bool isOnDevice();
  BackendScope(const BackendScope &) = delete;
  BackendScope &operator=(const BackendScope &) = delete;

private:
  const int Before;
};
} // namespace detail

} // namespace spmd

#endif // SPMD_BACKEND_H
