// Ranks of one node meet in memory that they share, and by messages where they
// have too many axes for that: the same operators, and the same errors.

#include <spmd/mpi.h>
#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

/// Sent by this process, but for what MPI's own collectives send.
int Messages = 0;

} // namespace

int MPI_Isend(const void *Data, int Count, MPI_Datatype Type, int To, int Tag,
              MPI_Comm Comm, MPI_Request *Request) {
  ++Messages;
  return PMPI_Isend(Data, Count, Type, To, Tag, Comm, Request);
}

namespace {

using spmd::Axis;
using spmd::MpiCommunicator;
using spmd::View;

int sumOfRanks(const std::shared_ptr<MpiCommunicator> &Over) {
  const Axis A("tp", Over);
  int Mine = Over->rank();
  spmd::all_reduce(View(&Mine, {}), A, spmd::P, spmd::R);
  return Mine;
}

TEST(Meeting, TakesNoMessagesOnOneNode) {
  const auto Only = std::make_shared<MpiCommunicator>(MPI_COMM_WORLD);
  Messages = 0;
  for (int Times = 0; Times < 5; ++Times)
    EXPECT_EQ(sumOfRanks(Only), 6);
  EXPECT_EQ(Messages, 0);
}

TEST(Meeting, TakesMessagesOnTheThousandthAxis) {
  std::vector<std::shared_ptr<MpiCommunicator>> All;
  for (int Axes = 0; Axes < 1001; ++Axes)
    All.push_back(std::make_shared<MpiCommunicator>(MPI_COMM_WORLD));
  Messages = 0;
  EXPECT_EQ(sumOfRanks(All.front()), 6);
  EXPECT_EQ(Messages, 0);
  EXPECT_EQ(sumOfRanks(All.back()), 6);
  EXPECT_EQ(Messages, 2); // four ranks meet in two rounds
  All.front() = nullptr;  // leaves its place to the next
  Messages = 0;
  EXPECT_EQ(sumOfRanks(std::make_shared<MpiCommunicator>(MPI_COMM_WORLD)), 6);
  EXPECT_EQ(Messages, 0);
}

TEST(Meeting, TellsTheAxesOfOneProgramApart) {
  const auto One = std::make_shared<MpiCommunicator>(MPI_COMM_WORLD);
  const auto Other = std::make_shared<MpiCommunicator>(MPI_COMM_WORLD);
  for (int Times = 0; Times < 3; ++Times) {
    EXPECT_EQ(sumOfRanks(One), 6);
    EXPECT_EQ(sumOfRanks(Other), 6);
    EXPECT_EQ(sumOfRanks(One), 6);
  }
}

} // namespace
