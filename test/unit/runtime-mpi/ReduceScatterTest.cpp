// Parts that are large enough to be exchanged and summed here, over MPI: four
// processes, one of which may have no part.

#include <spmd/async.h>
#include <spmd/half.h>
#include <spmd/mpi.h>
#include <spmd/spmd.h>

#include <gtest/gtest.h>

#include <numeric>

using spmd::ChunkSizes;
using spmd::View;

namespace {

int worldRank() {
  int Rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  return Rank;
}

spmd::Axis tp() { return spmd::Mesh({{"tp", 4}}, worldRank()).axis("tp"); }

/// Whole numbers that every type holds, and whose sums do as well.
int element(int Rank, std::int64_t At) {
  return static_cast<int>((At * 7 + Rank * 13) % 11) - 5;
}

double of(double X) { return X; }
double of(spmd::half X) { return static_cast<float>(X); }
double of(spmd::bfloat16 X) { return static_cast<float>(X); }
template <class T> T to(int X) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(X);
  else
    return T::of(static_cast<float>(X));
}

/// Rows of \p Inner elements, of which each rank keeps as many as it has in
/// \p Sizes.
struct How {
  bool InPlace, Started;
};

template <class T>
void expectSums(const ChunkSizes &Sizes, std::int64_t Inner, How Done) {
  const auto Self = static_cast<std::size_t>(worldRank());
  const std::int64_t Rows =
      std::accumulate(Sizes.begin(), Sizes.end(), std::int64_t(0));
  const std::int64_t First =
      std::accumulate(Sizes.begin(), Sizes.begin() + worldRank(),
                      std::int64_t(0)) *
      Inner;
  std::vector<T> X(static_cast<std::size_t>(Rows * Inner));
  for (std::size_t E = 0; E < X.size(); ++E)
    X[E] = to<T>(element(worldRank(), static_cast<std::int64_t>(E)));
  std::vector<T> Y(static_cast<std::size_t>(Sizes[Self] * Inner));
  T *const Out = Done.InPlace ? X.data() + First : Y.data();
  reduce_scatter(View(X.data(), {Rows, Inner}), View(Out, {Sizes[Self], Inner}),
                 tp(), spmd::P, spmd::S(0, Sizes));
  for (std::int64_t E = 0; E < Sizes[Self] * Inner; ++E) {
    int Sum = 0;
    for (int R = 0; R < 4; ++R)
      Sum += element(R, First + E);
    ASSERT_EQ(Sum, of(Out[E])) << "element " << E << " of rank " << Self;
  }
}

template <class T> class ReduceScatter : public testing::Test {};
using Types = testing::Types<float, double, spmd::half, spmd::bfloat16,
                             std::int8_t, std::int64_t>;
TYPED_TEST_SUITE(ReduceScatter, Types);

constexpr How Ways[] = {
    {false, false}, {true, false}, {false, true}, {true, true}};

TYPED_TEST(ReduceScatter, EvenParts) {
  for (const How &Way : Ways)
    expectSums<TypeParam>({9, 9, 9, 9}, 3001, Way);
}

TYPED_TEST(ReduceScatter, UnevenPartsInSeveralSlices) {
  for (const How &Way : Ways)
    expectSums<TypeParam>({0, 130, 1, 7}, 5003, Way);
}

} // namespace
