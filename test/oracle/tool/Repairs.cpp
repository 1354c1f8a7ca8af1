//===- Repairs.cpp - What repairs make of wrong programs ------------------===//

#include "Repairs.h"

#include "IRFile.h"

#include "spmd/fixits/RepairInIR.h"
#include "spmd/fixits/RepairTrials.h"
#include "spmd/ir/IRText.h"
#include "spmd/oracle/Execute.h"
#include "spmd/oracle/Mutation.h"
#include "spmd/oracle/RandomProgram.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;
using namespace spmd::fixits;

namespace spmd::oracle {

namespace {

constexpr const char *Actions[] = {"wrap an operand",
                                   "remove a collective",
                                   "remove a call",
                                   "change the axis",
                                   "change the source",
                                   "replace the operator",
                                   "say expert",
                                   "shortcut",
                                   "declare a pending sum",
                                   "redistribute",
                                   "average"};
static_assert(std::size(Actions) ==
              static_cast<std::size_t>(Repair::Action::Average) + 1);

std::string nameOf(const Repair &R) {
  std::string Out = Actions[static_cast<int>(R.A)];
  for (const Step &S : R.Steps)
    Out += " " + std::string(operatorName(S.Row->Op)) + "(" +
           letter(S.Row->Src) + "," + letter(S.Row->Dst) + ")";
  if (!R.Also.empty())
    Out += " and others";
  return Out + (R.Safe ? "" : " [unsafe]");
}

Module copy(const Module &M) {
  Module Out;
  for (const auto &F : M.Functions)
    Out.Functions.push_back(std::make_unique<Function>(*F));
  return Out;
}

/// A place for each fact and operand: by them repairs find what they change.
void placeAll(Function &F) {
  std::uint32_t Line = 0;
  for (Block &B : F.Blocks)
    for (Fact &X : B.Facts) {
      std::uint32_t Column = 0;
      ++Line;
      const auto Next = [&] { return F.addPlace({Line, ++Column}); };
      std::visit(
          [&](auto &Y) {
            Y.At = Next();
            if constexpr (requires { Y.Src; })
              Y.Src.At = Next();
            if constexpr (requires { Y.Axis.At; })
              Y.Axis.At = Next();
            if constexpr (requires { Y.Operands; })
              for (Operand &O : Y.Operands)
                O.At = Next();
            if constexpr (requires { Y.Value.At; })
              Y.Value.At = Next();
            if constexpr (requires { Y.Loss; })
              Y.Loss.At = Next();
          },
          X);
    }
}

/// The function says what inference found for its result.
void promiseResult(TypedProgram &P) {
  TypeSpec Promised;
  for (std::size_t A = 0; A != P.Result.size(); ++A)
    if (P.Result[A].isSingle())
      Promised.Axes.push_back(
          {P.On.Axes[A].Name, {P.Result[A].single(), std::nullopt}, 0});
  if (!Promised.Axes.empty())
    P.function().Result =
        std::make_shared<TypeAnnotation>(TypeAnnotation{Promised, {}});
}

/// How what \p M computes on ranks differs from what its types say, if it does.
std::string againstTypes(const Module &M, const Mesh &On) {
  constexpr unsigned Seeds = 4;
  const Trace T = traceFunction(M, *M.Functions.front(), On, 0);
  std::string Out;
  if (T.Unsupported.empty())
    for (unsigned Seed = 1; Out.empty() && Seed <= Seeds; ++Seed)
      Out = difference(runOnRanks(T, On, Seed), runAsMeant(T, On, Seed));
  return Out;
}

class Scorer {
public:
  Scorer(RepairScores &Out, llvm::raw_ostream &Each) : Out(Out), Each(Each) {}

  /// All repairs of what \p By makes of \p Right.
  void score(const Module &Right, const Mutation &By, const Mesh *On) {
    // What a changed annotation means nobody can tell.
    if (By.Kind == MutationKind::Annotation)
      return;
    std::optional<Module> Mutant = mutate(Right, By);
    if (!Mutant)
      return;
    const InferenceResult Found = inferModule(*Mutant, Options);
    for (std::size_t I = 0; I != Found.Violations.size(); ++I) {
      RepairTrials Trials(*Mutant, Options, Found.Violations);
      const std::vector<Repair> Offered = Trials.plan(Found.Violations[I]);
      for (std::size_t K = 0; K != Offered.size(); ++K)
        if (!Offered[K].InWords)
          tryRepair(Right, *Mutant, By, I, K, nameOf(Offered[K]), On);
    }
  }

private:
  /// The violation number \p I of a copy of \p M, repaired by number \p K.
  std::optional<Module> repaired(const Module &M, std::size_t I,
                                 std::size_t K) const {
    Module Out = copy(M);
    const InferenceResult Found = inferModule(Out, Options);
    if (I >= Found.Violations.size())
      return std::nullopt;
    std::vector<Repair> Offered =
        RepairTrials(Out, Options, Found.Violations).plan(Found.Violations[I]);
    if (K >= Offered.size() ||
        !makeRepair(Out, Found.Violations[I], Offered[K]))
      return std::nullopt;
    return Out;
  }

  /// What --fix makes of \p M: all that is preferred and safe, again and again.
  Module fixed(Module M) const {
    constexpr unsigned MaxRounds = 6;
    for (unsigned Round = 0; Round != MaxRounds; ++Round) {
      const InferenceResult Found = inferModule(M, Options);
      std::optional<std::pair<std::size_t, std::size_t>> Next;
      RepairTrials Trials(M, Options, Found.Violations);
      for (std::size_t I = 0; I != Found.Violations.size() && !Next; ++I) {
        const std::vector<Repair> Offered = Trials.plan(Found.Violations[I]);
        for (std::size_t K = 0; K != Offered.size(); ++K)
          if (Offered[K].Preferred && Offered[K].Safe)
            Next = {I, K};
      }
      std::optional<Module> Now =
          Next ? repaired(M, Next->first, Next->second) : std::nullopt;
      if (!Now)
        return M;
      M = std::move(*Now);
    }
    return M;
  }

  void tryRepair(const Module &Right, const Module &Mutant, const Mutation &By,
                 std::size_t I, std::size_t K, const std::string &Name,
                 const Mesh *On) {
    RepairScore &Score = Out[Name];
    ++Score.Offered;
    std::optional<Module> After = repaired(Mutant, I, K);
    if (!After) {
      ++Score.NotRun;
      return;
    }
    Module Done = fixed(std::move(*After));
    if (!inferModule(Done, Options).Violations.empty()) {
      ++Score.Reported;
      return;
    }
    std::string Why;
    if (On)
      Why = againstTypes(Done, *On);
    if (!Why.empty()) {
      ++Score.Wrong;
      show(Right, Mutant, Done, By, Name, Why);
      return;
    }
    switch (judge(Right, Done, By, Why)) {
    case MutantVerdict::NotRun:
      ++Score.NotRun;
      break;
    case MutantVerdict::Equivalent:
      ++Score.Right;
      break;
    case MutantVerdict::Wrong:
      ++Score.Other;
      break;
    }
  }

  void show(const Module &Right, const Module &Mutant, const Module &Done,
            const Mutation &By, const std::string &Name,
            const std::string &Why) {
    Each << "silent and wrong: " << mutationName(By.Kind) << ", then " << Name
         << ": " << Why << "\nright:\n"
         << printFunction(*Right.Functions[By.Function]) << "wrong:\n"
         << printFunction(*Mutant.Functions[By.Function]) << "repaired:\n"
         << printFunction(*Done.Functions[By.Function]) << '\n';
  }

  RepairScores &Out;
  llvm::raw_ostream &Each;
  InferenceOptions Options;
};

} // namespace

RepairScore &RepairScore::operator+=(const RepairScore &O) {
  Offered += O.Offered;
  Reported += O.Reported;
  Right += O.Right;
  Other += O.Other;
  Wrong += O.Wrong;
  NotRun += O.NotRun;
  return *this;
}

llvm::Expected<RepairScores> scoreRepairs(std::uint64_t Programs, unsigned Seed,
                                          llvm::ArrayRef<std::string> Paths,
                                          llvm::raw_ostream &Each) {
  RepairScores Out;
  Scorer S(Out, Each);
  ProgramLimits Limits;
  Limits.Plain = true;
  Limits.Depth = 0;
  for (std::uint64_t I = 0; I != Programs; ++I) {
    std::mt19937 Random(Seed + static_cast<unsigned>(I));
    TypedProgram P = randomProgram(Random, Limits);
    placeAll(P.function());
    promiseResult(P);
    for (const Mutation &By : mutationsOf(P.M))
      S.score(P.M, By, &P.On);
  }
  for (const std::string &Path : Paths) {
    llvm::Expected<Module> M = readIRFile(Path);
    if (!M)
      return M.takeError();
    for (const Mutation &By : mutationsOf(*M))
      S.score(*M, By, nullptr);
  }
  return Out;
}

} // namespace spmd::oracle
