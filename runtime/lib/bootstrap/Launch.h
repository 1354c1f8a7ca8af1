//===- Launch.h - Which launcher started this process -----------*- C++ -*-===//

#ifndef SPMD_LIB_BOOTSTRAP_LAUNCH_H
#define SPMD_LIB_BOOTSTRAP_LAUNCH_H

#include <string>

namespace spmd::bootstrap {

/// What spmd::init finds out; see there.
struct Launch {
  std::string Launcher;
  int Rank = 0, Size = 1, LocalRank = 0;
  /// "tcp://node01:29500", or empty.
  std::string Rendezvous;
  /// For who cannot meet there: which variables say so, and what is expected
  /// of them.
  std::string Because;
  /// Tells this job from others that could meet at the same place.
  std::string Id;
};

Launch readLaunch();

/// Of a rendezvous. One with a path is of a shared file.
struct Place {
  std::string Host;
  int Port = 0;
  std::string Path;
};

/// An Error that names SPMD_RENDEZVOUS if \p Rendezvous, its value, is none.
Place parsePlace(const std::string &Rendezvous);

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_LAUNCH_H
