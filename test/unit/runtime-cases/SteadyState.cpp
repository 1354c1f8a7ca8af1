#include "SteadyState.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<long> Allocations{0};

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SPMD_FOREIGN_NEW
#endif
#endif
#ifndef SPMD_FOREIGN_NEW
void *operator new(std::size_t Bytes) {
  ++Allocations;
  if (void *Of = std::malloc(Bytes ? Bytes : 1))
    return Of;
  throw std::bad_alloc();
}
void operator delete(void *Of) noexcept { std::free(Of); }
void operator delete(void *Of, std::size_t) noexcept { std::free(Of); }
#endif

namespace spmd::test {
namespace {

constexpr std::int64_t Size = 64;

struct Operators {
  explicit Operators(const Axis &On) : A(On) {}

  void call() {
    all_reduce(Square, whole({Size, Size}), A, P, R);
    all_reduce(Square, A, P, I);
    all_gather(Square, whole({2 * Size, Size}), A, S(0), R);
    all_gather(Square, whole({Size, 2 * Size}), A, S(1), R);
    reduce_scatter(Square, whole({Size / 2, Size}), A, P, S(0));
    reduce_scatter(Square, whole({Size, Size / 2}), A, P, S(1));
    reduce_scatter(Square, whole({Size, Mine}), A, P, Uneven);
    all_to_all(Square, whole({2 * Size, Size / 2}), A, S(0), S(1));
    convert(Square, whole({Size, Size / 2}), A, R, S(1));
  }

  void start() {
    Work Sum = all_reduce_async(Square, A, P, I);
    Sum.wait();
    Work All = all_gather_async(Square, whole({Size, 2 * Size}), A, S(1), R);
    Work Part = reduce_scatter_async(Square, View(Z.data(), {Size, Mine}), A, P,
                                     Uneven);
    All.wait();
    Part.wait();
  }

  void startOn(const Mesh &M) {
    Work Moved = redistribute_async(Square, whole({Size / 2, 2 * Size}), M,
                                    "[64, 128@tp]", "[64@tp, 128]");
    Work Sum = redistribute_async(Square.transposed(0, 1),
                                  View(Z.data(), {Size / 2, Size}), M,
                                  "[_, _]{tp: P}", "[_@tp, _]");
    Moved.wait();
    Sum.wait();
  }

  void redistributeOn(const Mesh &M) {
    redistribute(Square, whole({Size / 2, 2 * Size}), M, "[64, 128@tp]",
                 "[64@tp, 128]");
    redistribute(Square, whole({Size / 2, Size}), M, "[_, _]{tp: P}",
                 "[_@tp, _]");
    redistribute(Square.transposed(0, 1), whole({Size, 2 * Size}), M,
                 "[_, _@tp]", "[_, _]{tp: R}");
  }

  /// All ranks have come here before any goes on.
  void meet() { all_reduce(View(X.data(), {1}), A, P, R); }

private:
  View whole(const Shape &Of) { return View(Y.data(), Of); }

  const Axis &A;
  const UnevenShard Uneven = S(1, {Size / 4, 3 * Size / 4});
  const std::int64_t Mine = A.rank() == 0 ? Size / 4 : 3 * Size / 4;
  std::vector<double> X = std::vector<double>(Size * Size, 1);
  std::vector<double> Y = std::vector<double>(2 * Size * Size), Z = Y;
  const View Square{X.data(), {Size, Size}};
};

template <class Fn> long allocationsIn(const Axis &A, Fn Do) {
  Operators All(A);
  for (int Warm = 0; Warm < 3; ++Warm)
    Do(All);
  All.meet();
  const long Before = Allocations;
  for (int Call = 0; Call < 20; ++Call)
    Do(All);
  All.meet();
  const long Counted = Allocations - Before;
  All.meet();
  return Counted;
}

} // namespace

long allocationsInCalls(const Axis &A) {
  return allocationsIn(A, [](Operators &X) { X.call(); });
}

long allocationsInStarts(const Axis &A) {
  return allocationsIn(A, [](Operators &X) { X.start(); });
}

long allocationsInPlans(const Mesh &M) {
  return allocationsIn(M.axis("tp"), [&](Operators &X) {
    X.redistributeOn(M);
    X.startOn(M);
  });
}

} // namespace spmd::test
