// One process of a job in which something goes wrong, see run_faults.py. Every
// rank prints one line: what it was told, and how long after the fault.

#include <spmd/mpi.h>
#include <spmd/spmd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace {

using spmd::P;
using spmd::R;
using spmd::S;
using spmd::View;
using Clock = std::chrono::steady_clock;

int Rank = 0, Size = 0;
/// When the fault came.
Clock::time_point Fault;

spmd::Axis all() { return spmd::Mesh({{"dp", Size}}, Rank).axis("dp"); }

void sum(const spmd::Axis &A, int Elements = 4) {
  std::vector<float> X(static_cast<std::size_t>(Elements), 1);
  all_reduce(View(X.data(), {Elements}), A, P, R, {"train.cpp", 10});
}

void nap(int Ms) { std::this_thread::sleep_for(std::chrono::milliseconds(Ms)); }

void kill() {
  const spmd::Axis A = all();
  sum(A);
  Fault = Clock::now();
  if (Rank == 2)
    std::raise(SIGKILL);
  sum(A);
}

void delay() {
  const spmd::Axis A = all();
  sum(A);
  Fault = Clock::now();
  if (Rank == 1) {
    nap(3 * static_cast<int>(spmd::deadline().count()));
    Fault = Clock::now();
  }
  sum(A);
}

/// Rank 1 waits on an axis on which nobody waits for it.
void diverge() {
  const spmd::Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
  const spmd::Axis Dp = M.axis("dp"), Tp = M.axis("tp");
  sum(Dp);
  sum(Tp);
  Fault = Clock::now();
  sum(Rank == 1 ? Dp : Tp);
  // Ranks 2 and 3 are well so far, and wait for those that are not.
  sum(Dp);
  sum(Tp);
}

void mismatch() {
  const spmd::Axis A = all();
  sum(A);
  Fault = Clock::now();
  sum(A, Rank == 3 ? 5 : 4);
}

/// Rank 1 has started an operator on elements of another type, which MPI takes.
void unlike() {
  const spmd::Axis A = all();
  sum(A);
  Fault = Clock::now();
  float X[4] = {};
  std::int32_t Y[4] = {};
  const View Mine = Rank == 1 ? View(Y, {4}) : View(X, {4});
  all_reduce_async(Mine, A, P, R, {"train.cpp", 20}).wait();
  sum(A);
}

/// Rank 2 has not started what the others wait for.
void started() {
  const spmd::Axis A = all();
  sum(A);
  float X[4] = {};
  Fault = Clock::now();
  if (Rank == 2) {
    nap(3 * static_cast<int>(spmd::deadline().count()));
    Fault = Clock::now();
  }
  try {
    all_reduce_async(View(X, {4}), A, P, R, {"train.cpp", 20}).wait();
  } catch (const spmd::Error &) {
    // Who goes on keeps tensors and packed operands for MPI.
    if (!A.communicator()->mayHold())
      std::abort();
    throw;
  }
}

/// Rank 2 is late for the first operator of all.
void connect() {
  Fault = Clock::now();
  if (Rank == 2) {
    nap(3 * static_cast<int>(spmd::deadline().count()));
    Fault = Clock::now();
  }
  sum(all());
}

/// Rank 2 is gone in the middle of an operator, when no exception can get the
/// others out of MPI.
void middle() {
  const spmd::Axis A = all();
  // To have the memory may take as long as the deadline.
  std::vector<float> X(1 << 24, 1), Y(1 << 26);
  sum(A);
  Fault = Clock::now();
  if (Rank == 2)
    std::thread([] {
      nap(30);
      std::raise(SIGKILL);
    }).detach();
  for (;;)
    all_gather(View(X.data(), {1 << 24}), View(Y.data(), {1 << 26}), A, S(0), R,
               {"train.cpp", 50});
}

/// With SPMD_CHECK: a bit of a replicated buffer has flipped.
void corrupt() {
  const spmd::Axis A = all();
  float X[4] = {1, 2, 3, 4};
  all_reduce(View(X, {4}), A, P, R);
  Fault = Clock::now();
  if (Rank == 1)
    reinterpret_cast<unsigned char *>(X)[5] ^= 4;
  float Y[4];
  convert(View(X, {4}), View(Y, {4}), A, R, P, {"train.cpp", 30});
}

void memory() {
  const spmd::Axis A = all();
  const std::int64_t Columns = 1 << 20;
  std::vector<float> X(static_cast<std::size_t>(4 * Columns)),
      Y(X.size() * static_cast<std::size_t>(Size));
  sum(A);
  Fault = Clock::now();
  if (Rank == 1) {
    // As much as there is, and a bit.
    std::size_t Pages = 0;
    std::ifstream("/proc/self/statm") >> Pages;
    const rlimit Little = {Pages * 4096 + (8 << 20), RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &Little);
  }
  all_gather(View(X.data(), {4, Columns}), View(Y.data(), {4, Columns * Size}),
             A, S(1), R, {"train.cpp", 40});
}

/// Communicators one after the other, and many at once.
void communicators() {
  for (int I = 0; I < 10000; ++I) {
    const auto One = std::make_shared<spmd::MpiCommunicator>(MPI_COMM_WORLD);
    if (I % 1000 == 0)
      sum(spmd::Axis("dp", One));
  }
  std::vector<spmd::Axis> Alive;
  for (int I = 0; I < 1000; ++I)
    Alive.emplace_back("dp",
                       std::make_shared<spmd::MpiCommunicator>(MPI_COMM_WORLD));
  Fault = Clock::now();
  for (const spmd::Axis &A : Alive)
    sum(A);
}

/// Until MPI has no number for one more.
void numbers() {
  std::vector<std::unique_ptr<spmd::MpiCommunicator>> Alive;
  Fault = Clock::now();
  for (;;)
    Alive.push_back(std::make_unique<spmd::MpiCommunicator>(MPI_COMM_WORLD));
}

const std::map<std::string, void (*)()> Faults = {
    {"kill", kill},
    {"delay", delay},
    {"diverge", diverge},
    {"mismatch", mismatch},
    {"unlike", unlike},
    {"started", started},
    {"connect", connect},
    {"middle", middle},
    {"corrupt", corrupt},
    {"memory", memory},
    {"communicators", communicators},
    {"numbers", numbers}};

} // namespace

int main(int Argc, char **Argv) {
  MPI_Init(&Argc, &Argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  spmd::set_backend(spmd::mpi_backend());
  std::string Told = "nothing";
  try {
    Faults.at(Argv[1])();
  } catch (const spmd::Error &E) {
    Told = E.what();
  }
  const auto After = std::chrono::duration_cast<std::chrono::milliseconds>(
      Clock::now() - Fault);
  std::printf("rank %d after %lld ms: %s\n", Rank,
              static_cast<long long>(After.count()), Told.c_str());
  if (Told == "nothing") {
    spmd::set_backend(nullptr);
    return MPI_Finalize();
  }
  // What comes later is told the same, at once.
  if (Told.find("did not come") != std::string::npos ||
      Told.find("the ranks disagree") != std::string::npos) {
    const auto Began = Clock::now();
    try {
      sum(all());
    } catch (const spmd::Error &E) {
      Told = E.what();
    }
    std::printf("rank %d again after %lld ms: %s\n", Rank,
                static_cast<long long>(
                    std::chrono::duration_cast<std::chrono::milliseconds>(
                        Clock::now() - Began)
                        .count()),
                Told.c_str());
  }
  std::fflush(stdout);
  // MPI_Finalize would wait for those who are gone. Nobody goes before all have
  // been told: mpirun might end them.
  nap(6 * static_cast<int>(spmd::deadline().count()));
  _exit(0);
}
