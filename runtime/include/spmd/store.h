//===- store.h - Where ranks meet before they can communicate ---*- C++ -*-===//
//
// A small table that all ranks of a job see: what one sets, the others get. For
// an id or an address, not for tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_STORE_H
#define SPMD_STORE_H

#include "spmd/deadline.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace spmd {

/// Waits are no longer than spmd::deadline(); then they are an Error that names
/// the key. Any thread may call.
class Store {
public:
  virtual ~Store() = default;
  /// Any bytes, up to 16 MiB. A key that is set again has the new value.
  virtual void set(const std::string &Key, const std::string &Value) = 0;
  /// The value of \p Key, once somebody has set it.
  virtual std::string get(const std::string &Key) = 0;

  /// Returns when all \p Size ranks have called it with the same \p Name as
  /// often as this one. An Error on all of them when they do not all say the
  /// same, as what they come together for.
  void barrier(const std::string &Name, int Rank, int Size,
               const std::string &Says = "");
  /// Rank 0's \p Value, on all ranks, each time they call with this \p Name.
  std::string fromFirst(const std::string &Name, int Rank,
                        const std::string &Value);

private:
  /// The next key for a name.
  std::string turn(const std::string &Name, int Rank);

  /// How often each rank of this process has called for a name.
  std::mutex TurnsLock;
  std::map<std::pair<std::string, int>, int> Turns;
};

/// Over TCP: rank 0 listens, on this host's own addresses only if \p Host is
/// "localhost" or a loopback address, on one interface if it is the address of
/// one, else on all; the others connect, and try until the deadline. All ranks
/// call it. \p Id tells jobs apart: a rank of another job, or one that is there
/// twice, is an Error for that rank. Where SPMD_STORE_SECRET is set, or the
/// file that SPMD_STORE_SECRET_FILE names holds a line, a rank has to prove
/// that it knows that secret, which is not sent. Rank 0 keeps its object until
/// nobody needs the store; it is not encrypted.
std::shared_ptr<Store> tcp_store(const std::string &Host, int Port, int Rank,
                                 int Size, const std::string &Id = "");

/// In a folder that all ranks see, and that may be left over from an earlier
/// job; it is made if it is not there. All ranks call it. The last one to let
/// go of it removes what it wrote.
std::shared_ptr<Store> file_store(const std::string &Folder, int Rank,
                                  int Size);

/// For the threads that share the object.
std::shared_ptr<Store> memory_store();

} // namespace spmd

#endif // SPMD_STORE_H
