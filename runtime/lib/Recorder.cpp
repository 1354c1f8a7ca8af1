#include "Recorder.h"

#include "bootstrap/Launch.h"
#include "bootstrap/Variables.h"
#include "local/World.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace spmd {
namespace {

std::string typeText(char Type, int Dim) {
  return Dim < 0 ? std::string(1, Type) : "S(" + std::to_string(Dim) + ")";
}

/// S(-1) and S(1) of a matrix are one placement.
int dimIn(const Placement &P, const Shape &S) {
  if (!P.HasDim)
    return -1;
  return P.Dim < 0 ? P.Dim + static_cast<int>(S.size()) : P.Dim;
}

} // namespace

std::uint64_t Recorder::begin(const Call &C) {
  const int Size = C.On.size(), First = C.On.firstRank();
  const std::lock_guard<BriefLock> Held(Lock);
  if (Ring.empty())
    Ring = std::vector<Slot>(Capacity);
  const std::uint64_t Number = Next.load(std::memory_order_relaxed);
  FlightEntry &E = Ring[Number % Capacity].Entry;
  const std::string &Name = C.On.name();
  const std::size_t Kept = std::min(Name.size(), sizeof E.Axis - 1);
  std::memcpy(E.Axis, Name.data(), Kept);
  E.Axis[Kept] = 0;
  E.Size = Size;
  E.FirstRank = First;
  E.Sequence = calls(E)++;
  E.Op = C.Op;
  E.Mean = C.Mean;
  E.Root = C.Root;
  E.Src = rules::letter(C.Src.Type);
  E.Dst = rules::letter(C.Dst.Type);
  E.SrcDim = dimIn(C.Src, C.Whole);
  E.DstDim = dimIn(C.Dst, C.Whole);
  E.Type = C.Type;
  E.Whole = C.Whole;
  E.At = C.At;
  Next.store(Number + 1, std::memory_order_relaxed);
  return Number;
}

std::uint64_t &Recorder::calls(const FlightEntry &E) {
  for (Counted &A : Axes)
    if (A.Size == E.Size && A.FirstRank == E.FirstRank &&
        std::strcmp(A.Name, E.Axis) == 0)
      return A.Calls;
  Axes.push_back({{}, E.Size, E.FirstRank, 0});
  std::memcpy(Axes.back().Name, E.Axis, sizeof E.Axis);
  return Axes.back().Calls;
}

std::vector<FlightEntry> Recorder::entries() const {
  const std::lock_guard<BriefLock> Held(Lock);
  const std::uint64_t End = Next.load(std::memory_order_relaxed);
  std::vector<FlightEntry> All;
  for (std::uint64_t N = End < Capacity ? 0 : End - Capacity; N < End; ++N) {
    const Slot &S = Ring[N % Capacity];
    All.push_back(S.Entry);
    All.back().Finished = S.Finished.load(std::memory_order_acquire) == N + 1;
  }
  return All;
}

void Recorder::drop(std::exception_ptr Failure) {
  const std::lock_guard<BriefLock> Held(Lock);
  if (!FirstDropped)
    FirstDropped = std::move(Failure);
  Dropped = true;
}

std::exception_ptr Recorder::takeDropped() {
  const std::lock_guard<BriefLock> Held(Lock);
  Dropped = false;
  return std::exchange(FirstDropped, nullptr);
}

Recorder &recorder() {
  static Recorder Process;
  const local::Self &Here = local::self();
  return Here.In ? Here.In->recorder(Here.Rank) : Process;
}

std::vector<FlightEntry> flight_record() { return recorder().entries(); }

std::string operatorText(const FlightEntry &E) {
  const std::string Name = detail::operatorName(E.Op, E.Mean);
  if (E.Op == rules::OperatorKind::Barrier)
    return Name;
  return Name + "(" + typeText(E.Src, E.SrcDim) + " -> " +
         typeText(E.Dst, E.DstDim) +
         (rules::hasRoot(E.Op) ? ", root " + std::to_string(E.Root) : "") + ")";
}

std::string describeEntry(const FlightEntry &E) {
  return (E.At.Line ? E.At.File + (":" + std::to_string(E.At.Line)) + ": "
                    : "") +
         "spmd::" + operatorText(E) + " of " + nameOf(E.Type) + E.Whole.str() +
         " over " +
         (*E.Axis ? "axis '" + std::string(E.Axis) + "'" : "an unnamed axis") +
         " of " + std::to_string(E.Size) + " ranks";
}

void dump_flight_record(const std::string &Path) {
  errno = 0;
  std::ofstream File(Path);
  for (const FlightEntry &E : flight_record())
    File << E.Sequence << '\t' << E.Axis << ' ' << E.FirstRank << '/' << E.Size
         << '\t' << operatorText(E) << '\t' << nameOf(E.Type) << E.Whole.str()
         << '\t' << E.At.File << ':' << E.At.Line << '\t'
         << (E.Finished ? "finished" : "waiting") << '\n';
  File.close();
  if (!File)
    detail::fail("spmd::dump_flight_record: cannot write " + Path + ": " +
                 std::strerror(errno));
}

void dumpOnFailure(int Rank) noexcept {
  if (!bootstrap::isSet("SPMD_FLIGHT_DIR"))
    return;
  try {
    const std::string Folder = bootstrap::text("SPMD_FLIGHT_DIR");
    std::error_code Ignored; // what cannot be written says so
    std::filesystem::create_directories(Folder, Ignored);
    dump_flight_record(Folder + "/rank" + std::to_string(Rank) + ".flight");
  } catch (const std::exception &E) {
    std::fprintf(stderr, "%s\n", E.what());
  }
}

int launchedRank(int Otherwise) {
  try {
    const bootstrap::Launch Is = bootstrap::readLaunch();
    return Is.Size > 1 ? Is.Rank : Otherwise;
  } catch (const Error &) {
    return Otherwise;
  }
}

/// That of a foreign axis knows the launcher alone, if one started the process.
int rankInProgram(const Axis &A) {
  if (const local::Self &Here = local::self(); Here.In)
    return Here.Rank;
  const bool IsOfMesh = !A.digits().empty() || !A.groups().empty();
  return IsOfMesh ? A.globalRank() : launchedRank(A.rank());
}

void dumpOnFailure(const Axis &A) noexcept {
  if (bootstrap::isSet("SPMD_FLIGHT_DIR"))
    dumpOnFailure(rankInProgram(A));
}

} // namespace spmd
