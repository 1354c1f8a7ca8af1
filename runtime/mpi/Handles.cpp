// Communicators of the program, passed as axes call by call.

#include "CheckMpi.h"

#include "spmd/mpi.h"

namespace spmd {
namespace {

using Kept = std::shared_ptr<Communicator>;

int drop(MPI_Comm, int, void *Of, void *) {
  delete static_cast<Kept *>(Of);
  return MPI_SUCCESS;
}

/// Under which a communicator keeps ours: it goes with it, and not with a
/// duplicate of it.
int key() {
  static const int Made = [] {
    int Key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &Key, nullptr);
    return Key;
  }();
  return Made;
}

void checkIsGroup(MPI_Comm Of) {
  int Initialized = 0, IsInter = 0;
  MPI_Initialized(&Initialized);
  if (!Initialized)
    detail::fail("spmd::Axis: MPI_Init has not been called");
  if (Of == MPI_COMM_NULL)
    detail::fail("spmd::Axis: the communicator is MPI_COMM_NULL");
  MPI_Comm_test_inter(Of, &IsInter);
  if (IsInter)
    detail::fail("spmd::Axis: the communicator is one between two groups");
}

} // namespace

std::shared_ptr<Communicator> mpi_communicator(MPI_Comm Of) {
  checkIsGroup(Of);
  void *Known = nullptr;
  int Found = 0;
  MPI_Comm_get_attr(Of, key(), &Known, &Found);
  if (Found)
    return *static_cast<Kept *>(Known);
  auto Made = std::make_unique<Kept>(std::make_shared<MpiCommunicator>(Of));
  const Kept Result = *Made;
  const mpi::ReturningErrors Mode(Of);
  if (MPI_Comm_set_attr(Of, key(), Made.get()) == MPI_SUCCESS)
    (void)Made.release();
  return Result;
}

} // namespace spmd
