// Calls allocate nothing on the host once warm.

// Sanitizers have their own operator new.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SPMD_OWN_NEW 0
#endif
#endif
#ifndef SPMD_OWN_NEW

#include <spmd/spmd.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<long> Allocations{0};

void *operator new(std::size_t Bytes) {
  ++Allocations;
  if (void *Of = std::malloc(Bytes ? Bytes : 1))
    return Of;
  throw std::bad_alloc();
}
void operator delete(void *Of) noexcept { std::free(Of); }
void operator delete(void *Of, std::size_t) noexcept { std::free(Of); }

namespace {

using namespace spmd;

constexpr std::int64_t Size = 64;
const UnevenShard Uneven = S(1, {Size / 4, 3 * Size / 4});

/// Every operator that communicates, dense, packed and uneven.
struct Operators {
  explicit Operators(int Rank)
      : A(Mesh({{"a", 2}}, Rank).axis("a")), Mine(Rank == 0 ? 1 : 3),
        X(Size * Size, 1), Y(2 * Size * Size) {}

  void call() {
    const View Square(X.data(), {Size, Size});
    const View Row(Y.data(), {Size / 2, Size}),
        Rows(Y.data(), {2 * Size, Size});
    const View Column(Y.data(), {Size, Size / 2});
    const View Part(Y.data(), {Size, Mine * Size / 4});
    all_reduce(Square, View(Y.data(), {Size, Size}), A, P, R);
    all_reduce(Square, A, P, I);
    all_gather(Square, Rows, A, S(0), R);
    all_gather(Square, View(Y.data(), {Size, 2 * Size}), A, S(1), R);
    reduce_scatter(Square, Row, A, P, S(0));
    reduce_scatter(Square, Column, A, P, S(1));
    reduce_scatter(Square, Part, A, P, Uneven);
    all_to_all(Square, View(Y.data(), {2 * Size, Size / 2}), A, S(0), S(1));
    convert(Square, Column, A, R, S(1));
  }

  void start() {
    const View Square(X.data(), {Size, Size});
    Work Sum = all_reduce_async(Square, A, P, I);
    Sum.wait();
    Work All =
        all_gather_async(Square, View(Y.data(), {Size, 2 * Size}), A, S(1), R);
    Work Part = reduce_scatter_async(Square, View(Z, {Size, Mine * Size / 4}),
                                     A, P, Uneven);
    All.wait();
    Part.wait();
  }

  Axis A;
  std::int64_t Mine;
  std::vector<double> X, Y;
  double Z[Size * Size];
};

long allocationsOf(void (Operators::*Do)()) {
  long Counted = 0;
  run_local(2, [&](int Rank) {
    const auto All = std::make_unique<Operators>(Rank);
    for (int Warm = 0; Warm < 3; ++Warm)
      (All.get()->*Do)();
    // The others are past their warm-up after this, and not at their end before
    // the next.
    all_reduce(View(All->X.data(), {1}), All->A, P, R);
    const long Before = Allocations;
    for (int Call = 0; Call < 20; ++Call)
      (All.get()->*Do)();
    all_reduce(View(All->X.data(), {1}), All->A, P, R);
    if (Rank == 0)
      Counted = Allocations - Before;
    all_reduce(View(All->X.data(), {1}), All->A, P, R);
  });
  return Counted;
}

TEST(SteadyState, OperatorsAllocateNothing) {
  EXPECT_EQ(0, allocationsOf(&Operators::call));
}

TEST(SteadyState, StartsAllocateNothing) {
  EXPECT_EQ(0, allocationsOf(&Operators::start));
}

} // namespace

#endif // SPMD_OWN_NEW
