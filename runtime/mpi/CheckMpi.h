//===- CheckMpi.h - What MPI reports, as an Error ---------------*- C++ -*-===//

#ifndef SPMD_MPI_CHECKMPI_H
#define SPMD_MPI_CHECKMPI_H

#include "spmd/communicator.h"

#include <mpi.h>

namespace spmd::mpi {

/// MPI's own words for \p Code.
std::string textOf(int Code);

/// An Error, of which all processes hear, unless \p Code is success; \p What is
/// the function.
void check(const Call &C, int Code, const char *What);

/// Has a communicator that is not ours return what it would abort for.
class ReturningErrors {
public:
  explicit ReturningErrors(MPI_Comm On);
  ~ReturningErrors();
  ReturningErrors(const ReturningErrors &) = delete;
  ReturningErrors &operator=(const ReturningErrors &) = delete;

private:
  MPI_Comm On;
  MPI_Errhandler Old;
};

/// \p Count, or an Error.
int asInt(const Call &C, std::int64_t Count);

/// \p Parts as MPI takes them.
void spread(const Call &C, const Counts &Parts, std::vector<int> &Each,
            std::vector<int> &Offsets);

} // namespace spmd::mpi

#endif // SPMD_MPI_CHECKMPI_H
