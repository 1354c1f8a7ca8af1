//===- Progress.cpp - How far a run is ------------------------------------===//

#include "Progress.h"

#include "spmd/lint/Diagnostic.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::lint;

/// From the start of the line, which is emptied.
static constexpr StringLiteral Over = "\r\x1b[K";

void Progress::finished(StringRef File) {
  if (!Shown)
    return;
  std::lock_guard Guard(Lock);
  ++Done;
  const Clock::time_point Now = Clock::now();
  // What changes faster than it can be read only costs time.
  if (Done != 1 && Now - Written < std::chrono::milliseconds(100))
    return;
  Written = Now;
  const double Seconds = std::chrono::duration<double>(Now - Begun).count();
  const double Left =
      Seconds / static_cast<double>(Done) * static_cast<double>(Files - Done);
  errs() << Over
         << formatv("{0}/{1} files, {2:F0} s left: {3}", Done, Files, Left,
                    pathFrom(Folder, File).take_back(60));
  errs().flush();
}

Progress::~Progress() {
  if (Shown && Done)
    errs() << Over;
}
