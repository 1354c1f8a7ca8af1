//===- Collectives.cpp - Programs that communicate, run and analysed ------===//

#include "Collectives.h"

#include "spmd/collectives/Finding.h"
#include "spmd/oracle/Pairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::collectives;

namespace spmd::oracle {

namespace {

struct Judged {
  std::vector<Finding> Calls, Buffers;
  bool GaveUp = false;
};

/// Right and wrong ones, and what the analysis says of them.
struct Score {
  std::uint64_t Right = 0, Wrong = 0, Found = 0, False = 0, Missed = 0;
  std::uint64_t GivenUp = 0, SomeSizes = 0;
};

} // namespace

static Judged judge(const pairs::Program &P) {
  EffectProgram E;
  pairs::lower(P, E);
  Judged Out;
  Statistics Stats;
  Out.Calls = findMismatches(E, {}, Stats);
  const std::size_t Before = Stats.GivenUp.size();
  Out.Buffers = findHazards(E, Stats);
  Out.GaveUp = Before != 0;
  return Out;
}

static void show(StringRef What, std::uint64_t Seed, const pairs::Program &P,
                 StringRef Why, ArrayRef<Finding> Found) {
  outs() << What << ", seed " << Seed << ": " << Why << '\n' << P.str();
  for (const Finding &F : Found)
    outs() << "  found at " << F.At.Line << " in " << F.Call << ", kind "
           << static_cast<int>(F.Kind) << ' ' << F.Witness << '\n';
  outs() << '\n';
}

/// One program from \p Seed alone.
static void tryPair(std::uint64_t Seed, Score &Calls, Score &Buffers) {
  std::mt19937 Random(Seed);
  const pairs::Program P = pairs::randomProgram(Random);
  const pairs::Verdict Is = pairs::verdict(P);
  const Judged Says = judge(P);
  const auto Add = [&](Score &S, StringRef Wrong, ArrayRef<Finding> Found,
                       bool SomeSizes, bool GaveUp) {
    ++(Wrong.empty() ? S.Right : S.Wrong);
    if (Wrong.empty() && !Found.empty() && SomeSizes) {
      ++S.SomeSizes;
    } else if (Wrong.empty() && !Found.empty()) {
      ++S.False;
      show("reported, but right", Seed, P, "", Found);
    } else if (!Wrong.empty() && !Found.empty()) {
      ++S.Found;
    } else if (!Wrong.empty() && SomeSizes) {
      ++S.SomeSizes;
    } else if (!Wrong.empty() && GaveUp) {
      ++S.GivenUp;
    } else if (!Wrong.empty()) {
      ++S.Missed;
      show("not reported", Seed, P, Wrong, {});
    }
  };
  Add(Calls, Is.Wrong, Says.Calls, Is.OnlySomeSizes, Says.GaveUp);
  Add(Buffers, Is.Early, Says.Buffers, false, false);
}

static void row(StringRef What, const Score &S) {
  outs() << left_justify(What, 26)
         << format("%8llu %8llu %8llu %10llu %11llu %7llu %7llu\n",
                   (unsigned long long)S.Right, (unsigned long long)S.Wrong,
                   (unsigned long long)S.Found, (unsigned long long)S.GivenUp,
                   (unsigned long long)S.SomeSizes, (unsigned long long)S.False,
                   (unsigned long long)S.Missed);
}

int checkCollectives(std::uint64_t Pairs, std::uint64_t Seed) {
  Score Calls, Buffers;
  for (std::uint64_t I = 0; I != Pairs; ++I)
    tryPair(Seed + I, Calls, Buffers);
  outs() << left_justify("pairs of ways", 26)
         << "   right    wrong    found   given up  some sizes   false  "
            "missed\n";
  row("calls that match", Calls);
  row("buffers in time", Buffers);
  return Calls.False + Calls.Missed + Buffers.False + Buffers.Missed ? 1 : 0;
}

} // namespace spmd::oracle
