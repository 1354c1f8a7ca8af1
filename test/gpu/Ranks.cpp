#include "Ranks.h"

#include "DeviceBuffer.h"

#include <cstdlib>
#include <sstream>

namespace spmd::test {

static int threads() {
  const char *const Said = std::getenv("SPMD_GPU_THREADS");
  return Said ? std::atoi(Said) : 0;
}

bool areThreads() { return threads() > 0; }

const Job &job() {
  static const Job Of = init();
  return Of;
}

int ranks() { return areThreads() ? threads() : job().size(); }

namespace {

/// The device of a local rank: cards are shared where there are too few.
void setDevice(int LocalRank) {
  int Devices = 1;
  cudaGetDeviceCount(&Devices);
  cudaSetDevice(LocalRank % Devices);
}

} // namespace

void onRanks(int N,
             const std::function<void(const Mesh &, cudaStream_t)> &Body) {
  const auto Run = [&](const Job &Of, int Rank, int LocalRank) {
    setDevice(LocalRank);
    const OwnStream Stream;
    set_backend(nccl_backend(Of, Stream));
    Body(Mesh({{"dp", N}}, Rank), Stream);
    cudaStreamSynchronize(Stream);
    set_backend(nullptr);
  };
  if (areThreads())
    run_local(N, [&](int Rank) { Run(init(), Rank, Rank); });
  else
    Run(job(), N == 1 ? 0 : job().rank(), job().localRank());
}

struct OnDevices::Connected {
  const OwnStream Stream;
  const std::shared_ptr<Backend> By = nccl_backend(job(), Stream);
  const Axis Dp =
      Axis("dp", By->connect(Mesh({{"dp", ranks()}}, job().rank()).axis("dp")));
};

OnDevices::OnDevices() = default;
OnDevices::~OnDevices() = default;

void OnDevices::run(int N, const std::function<void(const Axis &)> &Body) {
  if (areThreads() || N != ranks() || N == 1) {
    onRanks(N, [&](const Mesh &M, cudaStream_t) { Body(M.axis("dp")); });
    return;
  }
  if (!All) {
    setDevice(job().localRank());
    All = std::make_unique<Connected>();
  }
  Body(All->Dp);
  cudaStreamSynchronize(All->Stream);
}

void OnDevices::share(Ranks &X) {
  static int Times = 0;
  if (areThreads() || X.Values.size() < 2)
    return;
  ++Times;
  const auto KeyOf = [](std::size_t Rank) {
    return "gpu check " + std::to_string(Times) + " of " + std::to_string(Rank);
  };
  const auto Mine = static_cast<std::size_t>(job().rank());
  std::ostringstream Out;
  Out.precision(17);
  Out << X.Shapes[Mine].size();
  for (const std::int64_t Extent : X.Shapes[Mine])
    Out << ' ' << Extent;
  Out << ' ' << X.Values[Mine].size();
  for (const double Value : X.Values[Mine])
    Out << ' ' << Value;
  job().store().set(KeyOf(Mine), Out.str());
  for (std::size_t Rank = 0; Rank < X.Values.size(); ++Rank) {
    if (Rank == Mine)
      continue;
    std::istringstream In(job().store().get(KeyOf(Rank)));
    std::size_t Count = 0;
    In >> Count;
    std::vector<std::int64_t> Extents(Count);
    for (std::int64_t &Extent : Extents)
      In >> Extent;
    In >> Count;
    X.Values[Rank].resize(Count);
    for (double &Value : X.Values[Rank])
      In >> Value;
    X.Shapes[Rank] = Extents;
  }
}

} // namespace spmd::test
