//===- main.cpp - The oracle's report, and programs without end -----------===//
//
//   spmd-oracle report [--programs=N] [--seed=S]
//   spmd-oracle fuzz --minutes=N [--seed=S]
//
// Exit code 1 when a rule is contradicted.
//
//===----------------------------------------------------------------------===//

#include "spmd/oracle/CheckOpClasses.h"
#include "spmd/oracle/CheckTransitions.h"
#include "spmd/oracle/RandomProgram.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace llvm;
using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

struct Options {
  std::uint64_t Programs = 100000;
  unsigned Seed = 1;
  double Minutes = 0;
};

constexpr unsigned MaxFacts = 12;

struct Counts {
  std::uint64_t Programs = 0, Facts = 0, Judgements = 0, Wrong = 0;
};

/// One program from \p Seed alone, so that a failure can be run again.
void tryProgram(unsigned Seed, Counts &Into, Rejections *Rejected = nullptr) {
  std::mt19937 Random(Seed);
  const int N = 2 + static_cast<int>(Seed % 3);
  const TypedProgram T = randomProgram(Random, MaxFacts, N, Rejected);
  ++Into.Programs;
  Into.Facts += T.P.F->Blocks[0].Facts.size() - 1;
  for (LocalType Result : AllLocalTypes) {
    if (!T.Result.contains(Result))
      continue;
    ++Into.Judgements;
    const std::string Wrong = checkProgram(T.P, Result, N, Seed);
    if (Wrong.empty())
      continue;
    ++Into.Wrong;
    outs() << "seed " << Seed << ", " << N << " ranks, result taken for "
           << letter(Result) << ": " << Wrong << '\n'
           << T.str() << '\n';
    return;
  }
}

void row(StringRef What, std::uint64_t Checked, std::uint64_t Wrong) {
  outs() << left_justify(What, 44)
         << format("%10llu %12llu\n", (unsigned long long)Checked,
                   (unsigned long long)Wrong);
}

void showRejections(const Rejections &R) {
  constexpr const char *Names[] = {
      "invariant mix", "partial nonlinear", "partial add", "partial product",
      "source type",   "transition",        "contract",    "loss type"};
  outs()
      << "\nrejected steps of random programs           tried     right after "
         "all\n";
  for (const auto &[Kind, Tried] : R.Tried) {
    const std::uint64_t Right = R.RightAfterAll.at(Kind);
    outs() << left_justify(Names[static_cast<int>(Kind)], 38)
           << format("%11llu %11llu  %6.2f%%\n", (unsigned long long)Tried,
                     (unsigned long long)Right,
                     100 * static_cast<double>(Right) /
                         static_cast<double>(Tried));
  }
}

int report(const Options &O) {
  std::uint64_t Wrong = 0, All = 0;
  outs() << left_justify("", 44) << "   checked contradicted\n";
  auto Row = [&](StringRef What, std::uint64_t Checked) {
    row(What, Checked, Wrong);
    All += Wrong;
    Wrong = 0;
  };
  const auto Cells = transitionCells();
  for (const TransitionCell &C : Cells)
    Wrong += !checkForward(C).empty();
  Row("operators, forward (row, layout, shape, ranks)", Cells.size());
  for (const TransitionCell &C : Cells)
    Wrong += !checkBackward(C).empty();
  Row("operators, backward", Cells.size());
  std::uint64_t Accepted = 0, Rejected = 0, WithoutReason = 0;
  for (const ClassCell &C : classCells()) {
    const bool Right = findCounterexample(C).empty();
    (C.Accepted ? Accepted : Rejected) += 1;
    (C.Accepted ? Wrong : WithoutReason) += Right != C.Accepted;
  }
  Row("classes of ops, accepted judgements", Accepted);
  Wrong = WithoutReason;
  Row("classes of ops, rejected judgements", Rejected);
  Counts C;
  Rejections R;
  for (std::uint64_t I = 0; I != O.Programs; ++I)
    tryProgram(O.Seed + static_cast<unsigned>(I), C, &R);
  Wrong = C.Wrong;
  Row("random accepted programs, values and gradients", C.Programs);
  outs() << "random programs: seeds " << O.Seed << " to "
         << O.Seed + O.Programs - 1
         << format(
                ", %.1f facts on average, at most %u\n",
                static_cast<double>(C.Facts) /
                    static_cast<double>(std::max<std::uint64_t>(1, C.Programs)),
                MaxFacts);
  showRejections(R);
  return All ? 1 : 0;
}

int fuzz(const Options &O) {
  using Clock = std::chrono::steady_clock;
  const auto End = Clock::now() + std::chrono::duration<double>(O.Minutes * 60);
  Counts C;
  for (unsigned Seed = O.Seed; Clock::now() < End; ++Seed)
    tryProgram(Seed, C);
  row("random accepted programs", C.Programs, C.Wrong);
  return C.Wrong ? 1 : 0;
}

int usage() {
  errs() << "usage: spmd-oracle report [--programs=N] [--seed=S]\n"
            "       spmd-oracle fuzz --minutes=N [--seed=S]\n";
  return 2;
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  for (int I = 2; I < Argc; ++I) {
    auto [Name, Value] = StringRef(Argv[I]).split('=');
    const bool Bad = Name == "--programs"  ? Value.getAsInteger(10, O.Programs)
                     : Name == "--seed"    ? Value.getAsInteger(10, O.Seed)
                     : Name == "--minutes" ? Value.getAsDouble(O.Minutes)
                                           : true;
    if (Bad)
      return usage();
  }
  const StringRef Command = Argc > 1 ? Argv[1] : "";
  if (Command == "report")
    return report(O);
  if (Command == "fuzz" && O.Minutes > 0)
    return fuzz(O);
  return usage();
}
