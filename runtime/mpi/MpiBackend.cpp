#include "CheckMpi.h"
#include "CheckedBarrier.h"
#include "Watchdog.h"

#include "spmd/mpi.h"

#include <map>

namespace spmd {
namespace {

/// The ranks of an axis come together to connect it: those who connect another
/// first would wait for each other.
class Connecting final : public mpi::Operation {
public:
  Connecting(const Axis &A, const std::vector<int> &Members)
      : A(A), Members(Members) {}
  std::uint64_t hash() const override { return mpi::hashOf(Members); }
  std::string text() const override {
    return "the first operator on '" + A.name() + "'";
  }
  std::string where() const override { return detail::describe(A); }
  [[noreturn]] void fail(const std::string &Cause) const override {
    detail::cannotConnect(A, Cause);
  }

private:
  const Axis &A;
  const std::vector<int> &Members;
};

class MpiBackend final : public Backend {
public:
  const char *name() const override { return "mpi"; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    const std::vector<int> Members = A.members();
    checkFits(A, Members);
    std::shared_ptr<Communicator> &Known = Made[Members];
    if (!Known)
      Known = make(A, Members);
    return Known;
  }

private:
  static void checkFits(const Axis &A, const std::vector<int> &Members) {
    int Initialized = 0, Rank = 0, Size = 0;
    MPI_Initialized(&Initialized);
    if (!Initialized)
      detail::cannotConnect(A, "MPI_Init has not been called");
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
    MPI_Comm_size(MPI_COMM_WORLD, &Size);
    detail::checkMembers(A, Members, Rank, Size, "MPI_COMM_WORLD");
  }

  static std::shared_ptr<Communicator> make(const Axis &A,
                                            const std::vector<int> &Members) {
    // A tag that is nobody's: see FailureMessages.h.
    constexpr int FirstTag = 31002;
    const Connecting M(A, Members);
    mpi::CheckedBarrier Together(MPI_COMM_WORLD, Members, Members, A.rank(),
                                 FirstTag);
    Together.arriveAndWait(M);
    const mpi::ReturningErrors Mode(MPI_COMM_WORLD);
    const mpi::WatchdogScope Under("connecting an axis");
    MPI_Group World, Some;
    MPI_Comm Comm = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &World);
    MPI_Group_incl(World, static_cast<int>(Members.size()), Members.data(),
                   &Some);
    const int Code = MPI_Comm_create_group(MPI_COMM_WORLD, Some,
                                           /*tag=*/Members[0], &Comm);
    MPI_Group_free(&Some);
    MPI_Group_free(&World);
    if (Code != MPI_SUCCESS)
      Together.fail(M, "MPI_Comm_create_group: " + mpi::textOf(Code));
    return std::make_shared<MpiCommunicator>(Comm, MpiCommunicator::Owned());
  }

  std::map<std::vector<int>, std::shared_ptr<Communicator>> Made;
};

} // namespace

std::shared_ptr<Backend> mpi_backend() {
  return std::make_shared<MpiBackend>();
}

} // namespace spmd
