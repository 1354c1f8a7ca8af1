// Two processes over MPI: every operator against the call of MPI that it makes,
// and the sum of two threads against that of two processes. For mpirun -n 2.

#include "Pairs.h"

#include <spmd/mpi.h>
#include <spmd/spmd.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include <sched.h>

using namespace spmd;
using namespace spmd::bench;

namespace {

int Rank;

/// Keeps this thread on one core, as launchers keep processes: where two share
/// one, a small operator is a matter of the scheduler.
void stayOn(int Core) {
  cpu_set_t Cores;
  CPU_ZERO(&Cores);
  CPU_SET(static_cast<unsigned>(Core), &Cores);
  sched_setaffinity(0, sizeof Cores, &Cores);
}

void align() { MPI_Barrier(MPI_COMM_WORLD); }

/// Both ranks are here; the one who waits leaves its core to others.
void alignAsleep() {
  MPI_Request Request;
  MPI_Ibarrier(MPI_COMM_WORLD, &Request);
  for (int Done = 0;;) {
    MPI_Test(&Request, &Done, MPI_STATUS_IGNORE);
    if (Done)
      return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

template <class D, class O>
void compare(const char *What, long Bytes, D Direct, O Ours,
             const char *Against = "mpi") {
  const Pair P = pairs(Effort(Bytes), align, Direct, Ours);
  if (Rank == 0)
    print(Against, What, Bytes, P);
}

/// What is timed under load, too.
void sums(const Axis &A, long Bytes) {
  const long Whole = Bytes / 4;
  std::vector<float> X(static_cast<std::size_t>(Whole), 1), Y = X;
  const View In(X.data(), {Whole}), Out(Y.data(), {Whole});
  compare(
      "all_reduce", Bytes,
      [&] {
        MPI_Allreduce(X.data(), Y.data(), static_cast<int>(Whole), MPI_FLOAT,
                      MPI_SUM, MPI_COMM_WORLD);
      },
      [&] { all_reduce(In, Out, A, P, R); }, "load");
}

void operators(const Axis &A, long Bytes) {
  const long Whole = Bytes / 4, Half = Whole / 2;
  const int N = static_cast<int>(Whole), H = static_cast<int>(Half);
  std::vector<float> X(static_cast<std::size_t>(Whole), 1), Y = X;
  const View In(X.data(), {Whole}), Out(Y.data(), {Whole});
  const View InPart(X.data(), {Half}), OutPart(Y.data(), {Half});
  const auto Sum = [&] {
    MPI_Allreduce(X.data(), Y.data(), N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  compare("MPI_Allreduce", Bytes, Sum, Sum, "itself");
  // What it takes MPI to bring ranks together, as our operators are to.
  compare(
      "MPI_Allreduce after MPI_Barrier", Bytes, Sum,
      [&] {
        align();
        Sum();
      },
      "itself");
  compare("all_reduce", Bytes, Sum, [&] { all_reduce(In, Out, A, P, R); });
  compare(
      "all_gather", Bytes,
      [&] {
        MPI_Allgather(X.data(), H, MPI_FLOAT, Y.data(), H, MPI_FLOAT,
                      MPI_COMM_WORLD);
      },
      [&] { all_gather(InPart, Out, A, S(0), R); });
  compare(
      "reduce_scatter", Bytes,
      [&] {
        MPI_Reduce_scatter_block(X.data(), Y.data(), H, MPI_FLOAT, MPI_SUM,
                                 MPI_COMM_WORLD);
      },
      [&] { reduce_scatter(In, OutPart, A, P, S(0)); });
  const View Stack(X.data(), {2, Half}), Exchanged(Y.data(), {2, Half});
  compare(
      "all_to_all", Bytes,
      [&] {
        MPI_Alltoall(X.data(), H, MPI_FLOAT, Y.data(), H, MPI_FLOAT,
                     MPI_COMM_WORLD);
      },
      [&] { all_to_all(Stack, Exchanged, A, V, V); });
  compare(
      "all_reduce_async", Bytes,
      [&] {
        MPI_Request Request;
        MPI_Iallreduce(X.data(), Y.data(), N, MPI_FLOAT, MPI_SUM,
                       MPI_COMM_WORLD, &Request);
        MPI_Wait(&Request, MPI_STATUS_IGNORE);
      },
      [&] { all_reduce_async(In, Out, A, P, R).wait(); });
}

/// Two ranks add up in one process, the other asleep, and in two.
void againstThreads(long Bytes) {
  const Effort E(Bytes);
  const long Whole = Bytes / 4;
  std::vector<float> X(static_cast<std::size_t>(Whole), 1), Y = X;
  std::vector<double> Directs, Times;
  const auto Processes = [&] {
    for (int Sample = 0; Sample < E.Samples; ++Sample) {
      alignAsleep();
      align();
      Directs.push_back(timeOf(E.Calls, [&] {
        MPI_Allreduce(X.data(), Y.data(), static_cast<int>(Whole), MPI_FLOAT,
                      MPI_SUM, MPI_COMM_WORLD);
      }));
      alignAsleep();
    }
  };
  if (Rank != 0)
    return Processes();
  const auto Was = set_backend(nullptr);
  run_local(2, [&](int Thread) {
    stayOn(Thread);
    const Axis A = Mesh({{"tp", 2}}, Thread).axis("tp");
    std::vector<float> MineX(X), MineY(X);
    float Token = 0;
    const View In(MineX.data(), {Whole}), Out(MineY.data(), {Whole});
    const auto Meet = [&] { all_reduce(View(&Token, {}), A, P, R); };
    for (int Sample = 0; Sample < E.Samples; ++Sample) {
      Meet();
      const double Spent =
          timeOf(E.Calls, [&] { all_reduce(In, Out, A, P, R); });
      if (Thread == 0)
        Times.push_back(Spent);
      // The other rank of this process sleeps while MPI has its turn.
      static std::mutex Turn;
      static std::condition_variable Next;
      static int Turns = 0;
      std::unique_lock<std::mutex> Held(Turn);
      if (Thread == 0) {
        alignAsleep();
        align();
        Directs.push_back(timeOf(E.Calls, [&] {
          MPI_Allreduce(X.data(), Y.data(), static_cast<int>(Whole), MPI_FLOAT,
                        MPI_SUM, MPI_COMM_WORLD);
        }));
        alignAsleep();
        Turns = Sample + 1;
        Next.notify_one();
      } else {
        Next.wait(Held, [&] { return Turns > Sample; });
        if (Sample + 1 == E.Samples)
          Turns = 0;
      }
    }
  });
  set_backend(Was);
  print("mpi", "all_reduce by threads", Bytes, pairOf(Directs, Times, 0));
}

} // namespace

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  int Ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Ranks);
  if (Ranks != 2) {
    std::fprintf(stderr, "start this with mpirun -n 2\n");
    MPI_Finalize();
    return 2;
  }
  stayOn(Rank);
  set_backend(mpi_backend());
  {
    const Axis A = Mesh({{"tp", 2}}, Rank).axis("tp");
    if (Argc > 1 && std::strcmp(Argv[1], "sums") == 0) {
      for (const long Bytes : {1l << 12, 1l << 20, 1l << 26})
        sums(A, Bytes);
    } else {
      for (const long Bytes : Sizes)
        operators(A, Bytes);
      for (const long Bytes : Sizes)
        againstThreads(Bytes);
    }
  }
  set_backend(nullptr);
  MPI_Finalize();
}
