// redistribute over MPI: each of the four processes is a rank of every pair.

#include "RedistributeCases.h"
#include "SteadyState.h"

#include <spmd/mpi.h>

#include <gtest/gtest.h>

using spmd::Shape;
using spmd::View;

namespace {

const std::vector<spmd::Mesh::Dim> TwoByTwo = {{"dp", 2}, {"tp", 2}};

int worldRank() {
  int Rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  return Rank;
}

/// What every rank has, on every rank.
spmd::test::Values shared(std::vector<double> Mine) {
  spmd::test::Values All(4);
  for (int R = 0; R < 4; ++R) {
    std::vector<double> &X = All[static_cast<std::size_t>(R)];
    if (R == worldRank())
      X = Mine;
    int Size = static_cast<int>(X.size());
    MPI_Bcast(&Size, 1, MPI_INT, R, MPI_COMM_WORLD);
    X.resize(static_cast<std::size_t>(Size));
    MPI_Bcast(X.data(), Size, MPI_DOUBLE, R, MPI_COMM_WORLD);
  }
  return All;
}

void checkAll(const Shape &Whole) {
  const spmd::Mesh Mesh(TwoByTwo, worldRank());
  const auto All = spmd::test::allSpecs(Whole.size(), 2);
  for (const spmd::test::TestSpec &Src : All)
    for (const spmd::test::TestSpec &Dst : All) {
      const std::string From = Src.str(Whole, Mesh), To = Dst.str(Whole, Mesh);
      std::vector<double> X = Src.draw(Whole, Mesh);
      const Shape In = Src.localShape(Whole, Mesh);
      const Shape Out = spmd::redistributed(In, Mesh, From, To);
      std::vector<double> Y(static_cast<std::size_t>(Out.numel()));
      spmd::redistribute(View(X.data(), In), View(Y.data(), Out), Mesh, From,
                         To);
      std::vector<double> Z(Y.size());
      spmd::Work Later = spmd::redistribute_async(
          View(X.data(), In), View(Z.data(), Out), Mesh, From, To);
      Later.wait();
      ASSERT_EQ(Y, Z);
      ASSERT_EQ(Dst.check(Whole, TwoByTwo, shared(Y)), "") << From << " " << To;
    }
}

TEST(Redistribute, EveryPairOfVectorsIsExact) { checkAll({5}); }
TEST(Redistribute, EveryPairOfMatricesIsExact) { checkAll({4, 3}); }

TEST(Redistribute, AllocatesNothing) {
  EXPECT_EQ(0, spmd::test::allocationsInPlans({TwoByTwo, worldRank()}));
}

} // namespace
