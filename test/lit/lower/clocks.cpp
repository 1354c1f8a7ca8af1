// What a rank's clock says is its own: who stops by it leaves the others
// waiting, and a seed that it gives draws other weights on each rank.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

#include <chrono>
#include <ctime>
#include <random>
#include <sys/time.h>
#include <vector>

using Clock = std::chrono::steady_clock;

void compute([[spmd::type("-> dp: V")]] double *g, int n);

void byWtime(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const double begun = MPI_Wtime();
  for (int i = 0; i < 100; ++i) {
    compute(g, n);
    // CHECK: [[@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    if (MPI_Wtime() - begun > 60)
      break;
  }
}

void bySeconds(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const auto begun = std::chrono::high_resolution_clock::now();
  while (true) {
    compute(g, n);
    // CHECK: [[@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    std::chrono::duration<double> spent = std::chrono::high_resolution_clock::now() - begun;
    if (spent.count() > 60)
      break;
  }
}

void byMilliseconds(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const auto begun = Clock::now();
  for (int i = 0; i < 100; ++i) {
    compute(g, n);
    // CHECK: [[@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    if (std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count() > 60000)
      break;
  }
}

void byTime(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const time_t begun = time(nullptr);
  for (int i = 0; i < 100; ++i) {
    compute(g, n);
    // CHECK: [[@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce'
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    if (time(nullptr) - begun > 60)
      break;
  }
}

static double now() {
  timeval t;
  gettimeofday(&t, nullptr);
  return t.tv_sec + t.tv_usec * 1e-6;
}

void byTimeOfDay(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const double begun = now();
  for (int i = 0; i < 100; ++i) {
    compute(g, n);
    // CHECK: [[@LINE+1]]:5: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[@LINE+1]]; rank 1 is at its end [spmd-divergent-collective]
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    if (now() - begun > 60)
      break;
  }
}

struct Model {
  [[spmd::type("dp: R")]] std::vector<float> w;
};

float seeded(int n, [[spmd::type("dp: V")]] const std::vector<float> &x) {
  Model m;
  m.w.resize(n);
  std::mt19937 gen(static_cast<unsigned>(time(nullptr)));
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (auto &v : m.w)
    // CHECK: [[@LINE+1]]:9: error: from here on 'm.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    v = uniform(gen);
  float y = 0;
  for (size_t i = 0; i < m.w.size(); ++i)
    y += m.w[i] * x[i];
  return y;
}

// The slowest rank's time is the same on all; what is printed matters to nobody.
void together(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const double begun = MPI_Wtime();
  for (int i = 0; i < 100; ++i) {
    compute(g, n);
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    double spent = MPI_Wtime() - begun, most = 0;
    MPI_Allreduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (most > 60)
      break;
  }
}

double timed(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  double total = 0;
  for (int i = 0; i < 100; ++i) {
    const auto begun = Clock::now();
    compute(g, n);
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
    const std::chrono::duration<double> spent = Clock::now() - begun;
    total += spent.count();
  }
  return total / 100;
}

// Who begins to wait later waits less.
void wait(double *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  const auto until = Clock::now() + std::chrono::seconds(1);
  while (Clock::now() < until)
    ;
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_DOUBLE, MPI_SUM, comm);
}
