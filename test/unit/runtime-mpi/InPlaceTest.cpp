// MPI takes no operand that overlaps its result but by MPI_IN_PLACE. What we
// pass is looked at on its way: these stand before MPI's own.

#include <spmd/async.h>
#include <spmd/mpi.h>
#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Mesh;
using spmd::S;
using spmd::View;

int Overlaps = 0;

/// Counts operands of \p InBytes in a result of \p OutBytes, or the reverse.
void look(const void *In, int InBytes, const void *Out, int OutBytes) {
  const char *const X = static_cast<const char *>(In);
  const char *const Y = static_cast<const char *>(Out);
  if (In != MPI_IN_PLACE && X < Y + OutBytes && Y < X + InBytes)
    ++Overlaps;
}

int bytes(int Count, MPI_Datatype Type) {
  int Size = 0;
  MPI_Type_size(Type, &Size);
  return Count * Size;
}

int worldRank() {
  int Rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  return Rank;
}

} // namespace

int MPI_Allgather(const void *In, int Count, MPI_Datatype Type, void *Out,
                  int Each, MPI_Datatype To, MPI_Comm Comm) {
  look(In, bytes(Count, Type), Out, bytes(4 * Each, To));
  return PMPI_Allgather(In, Count, Type, Out, Each, To, Comm);
}
int MPI_Iallgather(const void *In, int Count, MPI_Datatype Type, void *Out,
                   int Each, MPI_Datatype To, MPI_Comm Comm,
                   MPI_Request *Request) {
  look(In, bytes(Count, Type), Out, bytes(4 * Each, To));
  return PMPI_Iallgather(In, Count, Type, Out, Each, To, Comm, Request);
}
int MPI_Reduce_scatter_block(const void *In, void *Out, int Each,
                             MPI_Datatype Type, MPI_Op Op, MPI_Comm Comm) {
  look(In, bytes(4 * Each, Type), Out, bytes(Each, Type));
  return PMPI_Reduce_scatter_block(In, Out, Each, Type, Op, Comm);
}
int MPI_Ireduce_scatter_block(const void *In, void *Out, int Each,
                              MPI_Datatype Type, MPI_Op Op, MPI_Comm Comm,
                              MPI_Request *Request) {
  look(In, bytes(4 * Each, Type), Out, bytes(Each, Type));
  return PMPI_Ireduce_scatter_block(In, Out, Each, Type, Op, Comm, Request);
}

namespace {

TEST(MpiInPlace, PiecesInTheirPlacesAreSaidToBe) {
  const int Rank = worldRank();
  const spmd::Axis A = Mesh({{"a", 4}}, Rank).axis("a");
  Overlaps = 0;
  for (const bool Starts : {false, true}) {
    float X[4] = {};
    X[Rank] = static_cast<float>(Rank + 1);
    const View Whole(X, {4}), Mine = Whole.slice(0, Rank, Rank + 1);
    if (Starts)
      all_gather_async(Mine, Whole, A, S(0), spmd::R).wait();
    else
      all_gather(Mine, Whole, A, S(0), spmd::R);
    EXPECT_THAT(X, ::testing::ElementsAre(1, 2, 3, 4));
    if (Starts)
      reduce_scatter_async(Whole, Mine, A, spmd::P, S(0)).wait();
    else
      reduce_scatter(Whole, Mine, A, spmd::P, S(0));
    EXPECT_EQ(static_cast<float>(4 * (Rank + 1)), X[Rank]);
  }
  EXPECT_EQ(0, Overlaps);
}

} // namespace
