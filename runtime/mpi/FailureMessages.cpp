#include "FailureMessages.h"

#include <cstring>
#include <memory>

#include <mpi.h>

namespace spmd::mpi {
namespace {

/// Below the least upper bound that MPI may have for tags, and not one that
/// programs think of.
constexpr int Tag = 31001;

/// From here on a process that is gone must not end this one.
void expectTheWorst() {
  static const int Once =
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  (void)Once;
}

std::string &kept() {
  static std::string Cause;
  return Cause;
}

} // namespace

void send(FailureMessage::Kind Is, std::uint64_t Members,
          const std::string &Text, int To) {
  if (To < 0)
    return;
  expectTheWorst();
  // Stays, as nobody may ever take it.
  FailureMessage *N = std::make_unique<FailureMessage>().release();
  N->Is = Is;
  N->Members = Members;
  std::strncpy(N->Text, Text.c_str(), sizeof N->Text - 1);
  MPI_Request Request;
  if (MPI_Isend(N, sizeof *N, MPI_BYTE, To, Tag, MPI_COMM_WORLD, &Request) ==
      MPI_SUCCESS)
    MPI_Request_free(&Request);
}

bool receive(FailureMessage &Into, int &From) {
  int Found = 0;
  MPI_Status Status;
  MPI_Iprobe(MPI_ANY_SOURCE, Tag, MPI_COMM_WORLD, &Found, &Status);
  if (!Found)
    return false;
  From = Status.MPI_SOURCE;
  return MPI_Recv(&Into, sizeof Into, MPI_BYTE, From, Tag, MPI_COMM_WORLD,
                  &Status) == MPI_SUCCESS;
}

const std::string &failure() { return kept(); }

void keepFailure(const std::string &Cause) {
  expectTheWorst();
  if (kept().empty())
    kept() = Cause;
}

void setFailure(const std::string &Cause, std::uint64_t Members) {
  if (!failure().empty())
    return;
  keepFailure(Cause);
  int Size = 0, Self = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  MPI_Comm_rank(MPI_COMM_WORLD, &Self);
  for (int R = 0; R < Size; ++R)
    if (R != Self)
      send(FailureMessage::Failed, Members, Cause, R);
}

} // namespace spmd::mpi
