#include "CheckMpi.h"

#include "FailureMessages.h"

#include <climits>

namespace spmd::mpi {

std::string textOf(int Code) {
  char Text[MPI_MAX_ERROR_STRING];
  int Length = 0;
  MPI_Error_string(Code, Text, &Length);
  return std::string(Text, static_cast<std::size_t>(Length));
}

void check(const Call &C, int Code, const char *What) {
  if (Code == MPI_SUCCESS)
    return;
  const std::string Cause = std::string(What) + ": " + textOf(Code);
  setFailure(errorOn(C, Cause).what(), /*Members=*/0);
  failOn(C, Cause);
}

ReturningErrors::ReturningErrors(MPI_Comm On) : On(On) {
  MPI_Comm_get_errhandler(On, &Old);
  MPI_Comm_set_errhandler(On, MPI_ERRORS_RETURN);
}

ReturningErrors::~ReturningErrors() {
  // After a failure a process that is gone must not end this one.
  if (failure().empty())
    MPI_Comm_set_errhandler(On, Old);
  MPI_Errhandler_free(&Old);
}

int asInt(const Call &C, std::int64_t Count) {
  if (Count > INT_MAX)
    failOn(C, std::to_string(Count) +
                  " elements, MPI takes no more than 2147483647 at once");
  return static_cast<int>(Count);
}

void spread(const Call &C, const Counts &Parts, std::vector<int> &Each,
            std::vector<int> &Offsets) {
  for (std::size_t R = 0; R < Each.size(); ++R) {
    const int Rank = static_cast<int>(R);
    Each[R] = asInt(C, Parts[Rank]);
    Offsets[R] = asInt(C, Parts.before(Rank));
  }
}

} // namespace spmd::mpi
