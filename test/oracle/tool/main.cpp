//===- main.cpp - The oracle's report, and programs without end -----------===//
//
//   spmd-oracle report [--programs=N] [--seed=S] [--assignments=N]
//                      [program.ir ...]
//   spmd-oracle mutation program.ir ...
//   spmd-oracle repairs [--programs=N] [--seed=S] [program.ir ...]
//   spmd-oracle ops
//   spmd-oracle specs [--op=TEXT] [--assignments=N]
//   spmd-oracle counterexamples
//   spmd-oracle reduced
//   spmd-oracle collectives [--pairs=N] [--seed=S]
//   spmd-oracle fuzz --minutes=N [--seed=S]
//
// Exit code 1 when a rule is contradicted.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "Mutants.h"
#include "Repairs.h"
#include "Specs.h"

#include "spmd/oracle/CheckCatalogue.h"
#include "spmd/oracle/CheckFlattening.h"
#include "spmd/oracle/CheckOpClasses.h"
#include "spmd/oracle/CheckPropagation.h"
#include "spmd/oracle/CheckSpecTransfers.h"
#include "spmd/oracle/CheckTransitions.h"
#include "spmd/oracle/RandomProgram.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace llvm;
using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

struct Options {
  std::uint64_t Programs = 100000, Pairs = 100000;
  unsigned Seed = 1;
  double Minutes = 0;
  StringRef Op; ///< part of the names of ops
  std::size_t Assignments = SpecLimits().Assignments;
  std::vector<std::string> Files; ///< right programs, for mutants
};

struct Counts {
  std::uint64_t Programs = 0, Facts = 0, Branches = 0, TwoAxes = 0, Wrong = 0;
};

/// One program from \p Seed alone, so that a failure can be run again.
void tryProgram(unsigned Seed, const ProgramLimits &Limits, Counts &Into,
                Rejections *Rejected = nullptr) {
  std::mt19937 Random(Seed);
  TypedProgram P = randomProgram(Random, Limits, Rejected);
  ++Into.Programs;
  Into.Facts += P.facts();
  Into.Branches += P.Branches;
  Into.TwoAxes += P.On.Axes.size() == 2;
  if (checkProgram(P, Seed).empty())
    return;
  ++Into.Wrong;
  shrink(P,
         [&](const TypedProgram &Q) { return !checkProgram(Q, Seed).empty(); });
  outs() << "seed " << Seed << ", " << P.On.ranks()
         << " ranks: " << checkProgram(P, Seed) << '\n'
         << P.str() << '\n';
}

void row(StringRef What, std::uint64_t Checked, std::uint64_t Wrong) {
  outs() << left_justify(What, 44)
         << format("%10llu %12llu\n", (unsigned long long)Checked,
                   (unsigned long long)Wrong);
}

std::string share(const Rejections &R, ViolationKind Kind) {
  const auto Tried = R.Tried.find(Kind);
  if (Tried == R.Tried.end())
    return "";
  std::string Out;
  raw_string_ostream(Out) << format(
      "%llu of %llu, %.1f%%", (unsigned long long)R.RightAfterAll.at(Kind),
      (unsigned long long)Tried->second,
      100 * static_cast<double>(R.RightAfterAll.at(Kind)) /
          static_cast<double>(Tried->second));
  return Out;
}

void showRejections(const Rejections &All, const Rejections &Plain) {
  constexpr const char *Names[] = {
      "invariant mix", "partial nonlinear", "partial add", "partial product",
      "source type",   "transition",        "contract",    "loss type"};
  outs() << "\nrejected steps that are right after all  "
         << left_justify("in all", 26) << "in plain programs\n";
  for (const auto &[Kind, Tried] : All.Tried)
    outs() << left_justify(Names[static_cast<int>(Kind)], 40)
           << left_justify(share(All, Kind), 26) << share(Plain, Kind) << '\n';
}

/// Ops with an exact kernel, checked; names of one entry have one check.
struct CatalogueCounts {
  std::uint64_t Ops = 0, Typings = 0, Wrong = 0;
};
CatalogueCounts checkCatalogue(function_ref<void(const OpCheck &)> Show) {
  CatalogueCounts Out;
  StringMap<OpCheck> Checked;
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    if (R.Kernel.empty())
      continue;
    ++Out.Ops;
    const auto [At, New] = Checked.try_emplace(checkKey(R));
    if (New)
      At->second = checkOp(R);
    const OpCheck &C = At->second;
    Out.Typings += C.Typings;
    Out.Wrong += C.Unsound.size() + !C.Error.empty();
    if (New)
      Show(C);
  }
  return Out;
}

/// Which ops are run, which rest on their class, and what might be added.
int ops() {
  struct Family {
    std::vector<std::string> Run, OnClass;
  };
  MapVector<StringRef, Family> Families;
  for (const OpRule &R : OpCatalogue::builtin().rules())
    (R.Kernel.empty() ? Families[R.Family].OnClass : Families[R.Family].Run)
        .push_back(R.Name);
  outs() << "family         run  on class\n";
  std::size_t Run = 0, OnClass = 0;
  for (const auto &[Name, F] : Families) {
    outs() << left_justify(Name, 14)
           << format("%4zu %9zu\n", F.Run.size(), F.OnClass.size());
    Run += F.Run.size();
    OnClass += F.OnClass.size();
  }
  outs() << format("%18zu %9zu\n\nresting on their class:\n", Run, OnClass);
  for (const auto &[Name, F] : Families)
    if (!F.OnClass.empty())
      outs() << "  " << Name << ": " << join(F.OnClass, ", ") << '\n';
  outs() << "\nright, but not accepted:\n";
  const CatalogueCounts All = checkCatalogue([](const OpCheck &C) {
    if (!C.Error.empty())
      outs() << "error: " << C.Rule->Name << ": " << C.Error << '\n';
    for (const std::string &Unsound : C.Unsound)
      outs() << "unsound: " << Unsound << '\n';
    for (const std::string &Absent : C.Absent)
      outs() << "  " << Absent << '\n';
  });
  return All.Wrong ? 1 : 0;
}

/// Every rejected judgement of a class, as a program and what its ranks get.
int counterexamples() {
  for (const ClassCell &C : classCells())
    if (!C.Accepted)
      outs() << findCounterexample(C) << '\n' << C.program() << '\n';
  return 0;
}

/// Null when a file is no program.
std::optional<std::map<MutationKind, MutationScore>> score(const Options &O,
                                                           raw_ostream &Each) {
  auto Scores = scoreMutants(O.Files, Each);
  if (Scores)
    return std::move(*Scores);
  errs() << "spmd-oracle: " << toString(Scores.takeError()) << '\n';
  return std::nullopt;
}

void scoreRow(StringRef What, const MutationScore &S) {
  outs() << left_justify(What, 26)
         << format("%7u %6u %6u %7u %7u %7.1f%% %11u %9u\n", S.Mutants, S.Wrong,
                   S.ByLocal, S.ByGlobal, S.Reported,
                   S.Wrong ? 100.0 * S.Reported / S.Wrong : 100.0, S.Equivalent,
                   S.FalselyReported);
}

int mutation(const Options &O) {
  std::string Lines;
  raw_string_ostream Each(Lines);
  const auto Scores = score(O, Each);
  if (!Scores)
    return 2;
  outs() << left_justify("", 26)
         << "mutants  wrong  local  global  either   score  equivalent  "
            "reported\n";
  MutationScore All;
  for (const auto &[Kind, S] : *Scores) {
    scoreRow(mutationName(Kind), S);
    All += S;
  }
  scoreRow("all", All);
  outs() << "\nmutants on which oracle and checker differ:\n" << Lines;
  return 0;
}

void repairRow(StringRef What, const RepairScore &S) {
  outs() << left_justify(What, 60)
         << format("%8u %9u %6u %6u %8u %6u\n", S.Offered, S.Reported, S.Right,
                   S.Other, S.NotRun, S.Wrong);
}

/// What is wrong after a repair and not reported is a contradiction.
int repairs(const Options &O) {
  std::string Lines;
  raw_string_ostream Each(Lines);
  auto Scores = scoreRepairs(O.Programs, O.Seed, O.Files, Each);
  if (!Scores) {
    errs() << "spmd-oracle: " << toString(Scores.takeError()) << '\n';
    return 2;
  }
  outs() << left_justify("repair", 60)
         << " offered  reported  right  other  not run  wrong\n";
  RepairScore All;
  for (const auto &[Name, S] : *Scores) {
    repairRow(Name, S);
    All += S;
  }
  repairRow("all", All);
  outs() << Lines;
  return All.Wrong ? 1 : 0;
}

/// How Reduced (R) and Replicate (I) could meet.
int reduced() {
  for (const PropagationRule Rule :
       {PropagationRule::AnyInput, PropagationRule::AllInputs}) {
    outs() << (Rule == PropagationRule::AnyInput
                   ? "Reduced when any input is:\n"
                   : "Reduced when all inputs are:\n");
    for (const PropagationCase &C : propagationCases()) {
      if (C.Rule != Rule)
        continue;
      const std::string Wrong = C.counterexample();
      outs() << "  "
             << (Wrong.empty() ? std::string(opClassName(C.Class)) + "(" +
                                     letter(C.A) + ", " + letter(C.B) +
                                     ") -> " + letter(C.result()) + ": right"
                               : Wrong)
             << '\n';
    }
  }
  outs() << "elements sent per rank in the backward of gathering 1024:\n";
  for (int N = 2; N <= 8; N *= 2) {
    const GatherCost Cost = backwardOfGather(1024, N);
    outs() << format("  %d ranks: %4.0f to Reduced, %4.0f to Replicate\n", N,
                     Cost.ToReduced, Cost.ToReplicate);
  }
  return 0;
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
  const auto OnTwoAxes = flattenedCells();
  for (const FlattenedCell &C : OnTwoAxes)
    Wrong += !checkFlattening(C).empty();
  Row("operators, on two axes as on one", OnTwoAxes.size());
  std::uint64_t Accepted = 0, Rejected = 0, WithoutReason = 0;
  for (const ClassCell &C : classCells()) {
    const bool Right = findCounterexample(C).empty();
    (C.Accepted ? Accepted : Rejected) += 1;
    (C.Accepted ? Wrong : WithoutReason) += Right != C.Accepted;
  }
  Row("classes of ops, accepted judgements", Accepted);
  Wrong = WithoutReason;
  Row("classes of ops, rejected judgements", Rejected);
  const CatalogueCounts Ops = checkCatalogue([](const OpCheck &) {});
  Wrong = Ops.Wrong;
  Row("named ops with a kernel (" + std::to_string(Ops.Ops) + "), typings",
      Ops.Typings);
  SpecLimits Limits;
  Limits.Assignments = O.Assignments;
  const SpecTotals Specs =
      checkAllSpecs(Limits, "", [](const OpRule &, const SpecCheck &) {});
  Wrong = Specs.Counts.Wrong;
  Row("rules for dims (" + std::to_string(Specs.Rules) + "), accepted specs",
      Specs.Counts.Accepted);
  Row("rules for dims, gradients", Specs.Counts.Gradients);
  const SpecCounts Collectives = checkSpecTransfers(Limits).Counts;
  Wrong = Collectives.Wrong;
  Row("collectives in global code, accepted specs", Collectives.Accepted);
  Counts C;
  // Rejected steps of one program in eight are enough to count.
  Rejections R, Plain;
  ProgramLimits PlainLimits;
  PlainLimits.Plain = true;
  Counts OfPlain;
  for (std::uint64_t I = 0; I != O.Programs; ++I) {
    const unsigned Seed = O.Seed + static_cast<unsigned>(I);
    tryProgram(Seed, {}, C, I % 8 ? nullptr : &R);
    if (I % 8 == 0)
      tryProgram(Seed, PlainLimits, OfPlain, &Plain);
  }
  Wrong = C.Wrong + OfPlain.Wrong;
  Row("random accepted programs, values and gradients", C.Programs);
  summarize(Specs);
  outs() << "random programs: seeds " << O.Seed << " to "
         << O.Seed + O.Programs - 1
         << format(
                ", %.1f facts on average, %llu with branches or loops, %llu "
                "on two axes\n",
                static_cast<double>(C.Facts) /
                    static_cast<double>(std::max<std::uint64_t>(1, C.Programs)),
                (unsigned long long)C.Branches, (unsigned long long)C.TwoAxes);
  showRejections(R, Plain);
  if (!O.Files.empty()) {
    outs() << '\n';
    if (mutation(O))
      return 2;
  }
  return All ? 1 : 0;
}

int fuzz(const Options &O) {
  using Clock = std::chrono::steady_clock;
  const auto End = Clock::now() + std::chrono::duration<double>(O.Minutes * 60);
  Counts C;
  for (unsigned Seed = O.Seed; Clock::now() < End; ++Seed)
    tryProgram(Seed, {}, C);
  row("random accepted programs", C.Programs, C.Wrong);
  return C.Wrong ? 1 : 0;
}

int usage() {
  errs() << "usage: spmd-oracle report [--programs=N] [--seed=S] "
            "[--assignments=N] [program.ir ...]\n"
            "       spmd-oracle mutation program.ir ...\n"
            "       spmd-oracle repairs [--programs=N] [--seed=S] "
            "[program.ir ...]\n"
            "       spmd-oracle ops\n"
            "       spmd-oracle specs [--op=TEXT] [--assignments=N]\n"
            "       spmd-oracle counterexamples\n"
            "       spmd-oracle reduced\n"
            "       spmd-oracle collectives [--pairs=N] [--seed=S]\n"
            "       spmd-oracle fuzz --minutes=N [--seed=S]\n";
  return 2;
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  for (int I = 2; I < Argc; ++I) {
    if (!StringRef(Argv[I]).starts_with("--")) {
      O.Files.push_back(Argv[I]);
      continue;
    }
    auto [Name, Value] = StringRef(Argv[I]).split('=');
    const bool Bad = Name == "--programs" ? Value.getAsInteger(10, O.Programs)
                     : Name == "--pairs"  ? Value.getAsInteger(10, O.Pairs)
                     : Name == "--seed"   ? Value.getAsInteger(10, O.Seed)
                     : Name == "--assignments"
                         ? Value.getAsInteger(10, O.Assignments)
                     : Name == "--op"      ? (O.Op = Value).empty()
                     : Name == "--minutes" ? Value.getAsDouble(O.Minutes)
                                           : true;
    if (Bad)
      return usage();
  }
  const StringRef Command = Argc > 1 ? Argv[1] : "";
  if (Command == "report")
    return report(O);
  if (Command == "mutation" && !O.Files.empty())
    return mutation(O);
  if (Command == "repairs")
    return repairs(O);
  if (Command == "reduced")
    return reduced();
  if (Command == "ops")
    return ops();
  if (Command == "specs") {
    SpecLimits Limits;
    Limits.Assignments = O.Assignments;
    return showSpecs(Limits, O.Op);
  }
  if (Command == "counterexamples")
    return counterexamples();
  if (Command == "collectives")
    return checkCollectives(O.Pairs, O.Seed);
  if (Command == "fuzz" && O.Minutes > 0)
    return fuzz(O);
  return usage();
}
