//===- Progress.cpp - How far a run is ------------------------------------===//

#include "Progress.h"

#include "spmd/lint/Diagnostic.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace spmd::lint;

/// From the start of the line, which is emptied.
static constexpr StringLiteral Over = "\r\x1b[K";

static constexpr std::size_t BarCells = 20;

/// LLVM asks the environment alone.
static std::size_t columns() {
  constexpr std::size_t Usual = 80;
  winsize Size{};
  const bool Known =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col > 1;
  return Known ? Size.ws_col : Usual;
}

std::string Progress::counted(Clock::time_point Now) const {
  const double Seconds = std::chrono::duration<double>(Now - Begun).count();
  const double Left =
      Seconds / static_cast<double>(Done) * static_cast<double>(Files - Done);
  return formatv("{0}/{1} files, {2:F0} s left", Done, Files, Left).str();
}

/// A line that is longer than the terminal would stay behind in part.
void Progress::draw(StringRef Counted, StringRef File) const {
  const std::size_t Columns = columns() - 1;
  const std::size_t Full = BarCells * Done / Files;
  const std::string Bar = "[" + std::string(Full, '=') +
                          std::string(BarCells - Full, ' ') + "] " +
                          Counted.str();
  errs() << Over << StringRef(Bar).take_front(Columns);
  constexpr std::size_t Between = 2;
  if (Columns > Bar.size() + Between)
    errs() << ": " << File.take_back(Columns - Bar.size() - Between);
  errs().flush();
}

void Progress::finished(StringRef File) {
  if (Style == ProgressStyle::None)
    return;
  std::lock_guard Guard(Lock);
  ++Done;
  const Clock::time_point Now = Clock::now();
  const StringRef Shown = pathFrom(Folder, File);
  if (Style == ProgressStyle::Lines) {
    errs() << counted(Now) << ": " << Shown << '\n';
    return;
  }
  // What changes faster than it can be read only costs time.
  if (Done != 1 && Now - Written < std::chrono::milliseconds(100))
    return;
  Written = Now;
  draw(counted(Now), Shown);
}

Progress::~Progress() {
  if (Style == ProgressStyle::Bar && Done)
    errs() << Over;
}
