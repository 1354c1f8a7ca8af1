//===- Pairs.h - Two ways to do one thing, timed in turn --------*- C++ -*-===//
//
// Every measurement of ./x bench runtime is a pair: other load on the machine
// meets both sides, so their ratio says more than either time.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TEST_BENCH_RUNTIME_PAIRS_H
#define SPMD_TEST_BENCH_RUNTIME_PAIRS_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace spmd::bench {

/// Calls of operator new so far, of all threads.
long allocations();

/// A median, and the lower end of the interval that holds the true one in 95 of
/// 100 runs: by ranks, as times are of no known distribution.
struct Median {
  explicit Median(std::vector<double> Of) {
    std::sort(Of.begin(), Of.end());
    const auto N = static_cast<double>(Of.size());
    Middle = Of[Of.size() / 2];
    Low = Of[static_cast<std::size_t>(
        std::max(0.0, std::floor(N / 2 - 0.98 * std::sqrt(N))))];
  }
  double Middle, Low;
};

/// Microseconds a call, of both sides, and what one costs more.
struct Pair {
  double Direct, Ours;
  Median Ratio, Difference;
  /// Allocations that a call of ours makes, and the direct one does not.
  double Allocations;
};

/// How often to measure buffers of this size: the same on all ranks.
struct Effort {
  explicit Effort(long Bytes)
      : Calls(Bytes <= 1 << 14   ? 20
              : Bytes <= 1 << 18 ? 5
                                 : 1),
        Samples(Bytes <= 1 << 18   ? 300
                : Bytes <= 1 << 20 ? 150
                : Bytes <= 1 << 24 ? 25
                                   : 7) {}
  int Calls, Samples;
};

/// Of what was measured in turn, \p Allocated in each call of ours.
inline Pair pairOf(const std::vector<double> &Directs,
                   const std::vector<double> &Times, double Allocated) {
  std::vector<double> Ratios, Differences;
  for (std::size_t S = 0; S < Times.size(); ++S) {
    Ratios.push_back(Times[S] / Directs[S]);
    Differences.push_back(Times[S] - Directs[S]);
  }
  return {Median(Directs).Middle, Median(Times).Middle, Median(Ratios),
          Median(Differences), Allocated};
}

/// Microseconds a call of \p Do.
template <class Fn> double timeOf(int Calls, Fn Do) {
  const auto Begin = std::chrono::steady_clock::now();
  for (int Call = 0; Call < Calls; ++Call)
    Do();
  const std::chrono::duration<double, std::micro> Spent =
      std::chrono::steady_clock::now() - Begin;
  return Spent.count() / Calls;
}

/// Times both in turn; \p Align brings all ranks together before each.
template <class A, class D, class O>
Pair pairs(Effort E, A Align, D Direct, O Ours) {
  std::vector<double> Directs, Times;
  for (std::vector<double> *V : {&Directs, &Times})
    V->reserve(static_cast<std::size_t>(E.Samples));
  long Allocated = 0;
  for (int Sample = -2; Sample < E.Samples; ++Sample) {
    double One = 0, Other = 0;
    for (int Side = 0; Side < 2; ++Side) {
      const bool IsOurs = (Sample + Side) % 2 != 0;
      Align();
      const long Before = allocations();
      (IsOurs ? Other : One) =
          IsOurs ? timeOf(E.Calls, Ours) : timeOf(E.Calls, Direct);
      if (Sample >= 0)
        Allocated += (allocations() - Before) * (IsOurs ? 1 : -1);
    }
    if (Sample < 0) // warm-up
      continue;
    Directs.push_back(One);
    Times.push_back(Other);
  }
  return pairOf(Directs, Times,
                static_cast<double>(Allocated) / (E.Samples * E.Calls));
}

/// One row of the table: tab-separated for runtime_speed.py.
inline void print(const char *Against, const char *What, long Bytes,
                  const Pair &P) {
  std::printf("%s\t%s\t%ld\t%.3f\t%.3f\t%.4f\t%.4f\t%.3f\t%.3f\t%.2f\n",
              Against, What, Bytes, P.Direct, P.Ours, P.Ratio.Middle,
              P.Ratio.Low, P.Difference.Middle, P.Difference.Low,
              P.Allocations);
  std::fflush(stdout);
}

inline constexpr long Sizes[] = {1 << 10, 1 << 14, 1 << 18,
                                 1 << 20, 1 << 24, 1 << 28};

} // namespace spmd::bench

#endif // SPMD_TEST_BENCH_RUNTIME_PAIRS_H
