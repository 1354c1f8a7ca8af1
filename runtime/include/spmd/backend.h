//===- backend.h - Who moves the data ---------------------------*- C++ -*-===//
//
// The one interface between typed operators and transport. Operators check
// types and shapes, handle axes of one rank and everything local themselves,
// and call the installed backend for the rest.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_BACKEND_H
#define SPMD_BACKEND_H

#include "spmd/mesh.h"
#include "spmd/tags.h"
#include "spmd/view.h"

#include <cstring>

namespace spmd {

/// All ranks of the axis call the same function with views of matching shape
/// and dtype, which have been checked; axes have at least two ranks. \p In and
/// \p Out are distinct buffers unless a function says otherwise.
class Backend {
public:
  virtual ~Backend() = default;

  /// "nccl", "mpi", …; for messages.
  virtual const char *name() const = 0;

  /// Sum over the ranks, on every rank. \p In and \p Out may be one buffer.
  virtual void allReduce(const View &In, const View &Out, const Axis &A) = 0;
  /// The ranks' inputs concatenated on \p Src's dim, or stacked on a new
  /// leading dim when it has none.
  virtual void allGather(const View &In, const View &Out, const Axis &A,
                         Placement Src) = 0;
  /// The sum over the ranks, of which each keeps its chunk on \p Dst's dim, or
  /// its entry of the leading dim when there is none.
  virtual void reduceScatter(const View &In, const View &Out, const Axis &A,
                             Placement Dst) = 0;
  /// Rank r's chunk q on \p Dst's dim becomes rank q's chunk r on \p Src's dim;
  /// without dims, entries of the leading dim are exchanged.
  virtual void allToAll(const View &In, const View &Out, const Axis &A,
                        Placement Src, Placement Dst) = 0;

  /// Plans and runs what takes \p SrcSpec to \p DstSpec over several axes.
  virtual void redistribute(const View &, const View &, const Mesh &,
                            const std::string &SrcSpec,
                            const std::string &DstSpec) {
    detail::fail("spmd::redistribute from " + SrcSpec + " to " + DstSpec +
                 ": backend '" + name() + "' has no planner");
  }

  /// Memory of the kind the backend works on; host memory by default.
  virtual void copy(void *To, const void *From, std::size_t Bytes) {
    std::memmove(To, From, Bytes);
  }
  virtual void zero(void *To, std::size_t Bytes) { std::memset(To, 0, Bytes); }
};

namespace detail {
inline std::shared_ptr<Backend> &installedBackend() {
  static std::shared_ptr<Backend> Installed;
  return Installed;
}
} // namespace detail

/// Installs \p B for the whole process and returns the one before it; null
/// removes it. To be called before the first operator, not concurrently.
inline std::shared_ptr<Backend> set_backend(std::shared_ptr<Backend> B) {
  std::swap(B, detail::installedBackend());
  return B;
}

/// The installed backend, or null.
inline std::shared_ptr<Backend> backend() { return detail::installedBackend(); }

} // namespace spmd

#endif // SPMD_BACKEND_H
