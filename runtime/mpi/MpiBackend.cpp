#include "spmd/mpi.h"

#include <map>

namespace spmd {
namespace {

class MpiBackend final : public Backend {
public:
  const char *name() const override { return "mpi"; }

  std::shared_ptr<Communicator> connect(const Axis &A) override {
    const std::vector<int> Members = A.members();
    checkFits(A, Members);
    std::shared_ptr<Communicator> &Known = Made[Members];
    if (!Known)
      Known = make(Members);
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

  static std::shared_ptr<Communicator> make(const std::vector<int> &Members) {
    MPI_Group World, Some;
    MPI_Comm Comm;
    MPI_Comm_group(MPI_COMM_WORLD, &World);
    MPI_Group_incl(World, static_cast<int>(Members.size()), Members.data(),
                   &Some);
    MPI_Comm_create_group(MPI_COMM_WORLD, Some, /*tag=*/Members[0], &Comm);
    std::shared_ptr<Communicator> C = std::make_shared<MpiCommunicator>(Comm);
    MPI_Comm_free(&Comm);
    MPI_Group_free(&Some);
    MPI_Group_free(&World);
    return C;
  }

  std::map<std::vector<int>, std::shared_ptr<Communicator>> Made;
};

} // namespace

std::shared_ptr<Backend> mpi_backend() {
  return std::make_shared<MpiBackend>();
}

} // namespace spmd
