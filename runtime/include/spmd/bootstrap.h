//===- bootstrap.h - What a launcher says of this process -------*- C++ -*-===//
//
//     spmd::Job Job = spmd::init();
//     spmd::Mesh Mesh = Job.mesh({{"dp", 8}, {"tp", 4}});
//     cudaSetDevice(Job.localRank());
//     spmd::set_backend(spmd::nccl_backend(Job));
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_BOOTSTRAP_H
#define SPMD_BOOTSTRAP_H

#include "spmd/mesh.h"
#include "spmd/store.h"

namespace spmd {

/// The job that this process, or this thread of run_local, is a rank of. Cheap
/// to copy.
class Job {
public:
  int rank() const;
  /// Number of ranks.
  int size() const;
  /// Among the ranks on this host: which of its devices to take.
  int localRank() const;
  /// "torchrun", "Open MPI", "Slurm", "run_local", or "none" for a process
  /// that was started by itself: a job of one rank.
  const std::string &launcher() const;
  /// Where its store is, "tcp://node01:29500", "file:///shared/run7"; empty
  /// where nothing says.
  const std::string &rendezvous() const;

  /// The mesh of all ranks. Sizes whose product is not size() are an Error.
  Mesh mesh(std::vector<Mesh::Dim> Dims) const;

  /// Connects at the first call, which all ranks make; the same object from
  /// then on. Rank 0 keeps the job until nobody needs the store. An Error names
  /// the variables that say where it is, or which rank this is.
  Store &store() const;

  struct State;
  explicit Job(std::shared_ptr<State> S) : Is(std::move(S)) {}

private:
  std::shared_ptr<State> Is;
};

/// Reads what the launcher has put into the environment; does not communicate.
///
/// | launcher | rank, size, local rank |
/// |---|---|
/// | torchrun, or set by hand | RANK, WORLD_SIZE, LOCAL_RANK |
/// | Open MPI | OMPI_COMM_WORLD_RANK, …_SIZE, …_LOCAL_RANK |
/// | Slurm | SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS, SLURM_LOCALID
/// |
///
/// the first of them whose rank is there. On a thread of run_local that
/// thread's rank counts instead. The ranks meet where SPMD_RENDEZVOUS says,
/// "tcp://<host>:<port>" or "file://<absolute path>", else at MASTER_ADDR and
/// MASTER_PORT (the port after it where torchrun's agent listens there itself),
/// else under Slurm on the first node of its list and under Open MPI on one
/// host on loopback, at a port made of the job's number.
///
/// A variable that is missing, is not what it should be or contradicts another
/// is an Error that names it, its value and what was expected. So is a process
/// without a rank that has SPMD_RENDEZVOUS, LOCAL_RANK or the rank of a
/// launcher that is not in the table.
Job init();

} // namespace spmd

#endif // SPMD_BOOTSTRAP_H
