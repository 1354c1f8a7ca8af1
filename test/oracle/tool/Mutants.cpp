//===- Mutants.cpp - How many mistakes the checker sees -------------------===//

#include "Mutants.h"

#include "IRFile.h"

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "llvm/Support/Path.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// "linear.cpp:41, all_reduce: dropped": where the edit is, and what.
std::string describe(llvm::StringRef Program, const Module &M,
                     const Mutation &By) {
  const Function &F = *M.Functions[By.Function];
  std::string Out = Program.str() + ":";
  PlaceId At = F.ResultAt;
  if (By.Kind != MutationKind::Annotation)
    At = placeOf(F.Blocks[By.Block].Facts[By.Fact]);
  else if (By.Slot != SlotId::None)
    At = F.slot(By.Slot).DeclaredAt;
  Out += std::to_string(F.Places[index(At)].Line) + ", ";
  if (By.Kind == MutationKind::Annotation)
    return Out +
           (By.Slot == SlotId::None ? "the result"
                                    : "'" + F.slot(By.Slot).Name + "'") +
           " annotated " + By.Axis + ": " + letter(By.Type);
  const auto &T = std::get<TransferFact>(F.Blocks[By.Block].Facts[By.Fact]);
  return Out + std::string(transferName(T.K)) + ": " + mutationName(By.Kind);
}

/// One program, with the types that it is annotated with.
struct Variant {
  explicit Variant(Module Parsed)
      : M(std::move(Parsed)), Edits(mutationsOf(M)) {}

  /// What tells an edit from the others, whatever the types are.
  std::string keyOf(const Mutation &By) const {
    const Function &F = *M.Functions[By.Function];
    std::string Out = F.Symbol + '|' + mutationName(By.Kind) + '|' + By.Axis +
                      '|' + letter(By.Type) + '|' + (By.OfSource ? '<' : '>');
    if (By.Kind == MutationKind::Annotation)
      return By.Slot == SlotId::None ? Out : Out + F.slot(By.Slot).Name;
    unsigned Before = 0; // of the transfers of the function
    for (unsigned B = 0; B <= By.Block; ++B)
      for (unsigned I = 0; I != F.Blocks[B].Facts.size(); ++I)
        Before += (B != By.Block || I < By.Fact) &&
                  std::holds_alternative<TransferFact>(F.Blocks[B].Facts[I]);
    return Out + std::to_string(Before);
  }

  Module M;
  std::vector<Mutation> Edits;
};

/// One program with local types, with global types, or with both.
struct Program {
  std::string Name;
  std::optional<Variant> Local, Global;
};

/// What oracle and inference say of one edit.
struct Verdict {
  MutantVerdict Oracle = MutantVerdict::NotRun;
  bool ByLocal = false, ByGlobal = false;

  /// Adds what is said of it in \p V; false where the edit makes no sense.
  bool add(const Variant &V, const Mutation &By, bool &Reported) {
    const std::optional<Module> Mutant = mutate(V.M, By);
    if (!Mutant)
      return false;
    std::string Why;
    if (Oracle == MutantVerdict::NotRun)
      Oracle = judge(V.M, *Mutant, By, Why);
    Reported = !inferModule(*Mutant, {}).Violations.empty();
    return true;
  }
};

class Scorer {
public:
  Scorer(const Program &P, std::map<MutationKind, MutationScore> &Out,
         llvm::raw_ostream &Each)
      : P(P), Out(Out), Each(Each) {}

  void run() {
    std::map<std::string, const Mutation *> InGlobal;
    if (P.Global)
      for (const Mutation &By : P.Global->Edits)
        InGlobal.emplace(P.Global->keyOf(By), &By);
    if (P.Local)
      for (const Mutation &By : P.Local->Edits) {
        const auto Same = InGlobal.find(P.Local->keyOf(By));
        const Mutation *Other = nullptr;
        if (Same != InGlobal.end())
          Other = std::exchange(Same->second, nullptr);
        score(&By, Other);
      }
    if (P.Global)
      for (const Mutation &By : P.Global->Edits)
        if (InGlobal[P.Global->keyOf(By)] == &By)
          score(nullptr, &By);
  }

private:
  void score(const Mutation *InLocal, const Mutation *InGlobal) {
    Verdict V;
    bool Any = InLocal && V.add(*P.Local, *InLocal, V.ByLocal);
    Any |= InGlobal && V.add(*P.Global, *InGlobal, V.ByGlobal);
    if (!Any)
      return;
    const Mutation &By = InLocal ? *InLocal : *InGlobal;
    const std::string What =
        describe(P.Name, (InLocal ? P.Local : P.Global)->M, By);
    MutationScore &Score = Out[By.Kind];
    ++Score.Mutants;
    const bool Reported = V.ByLocal || V.ByGlobal;
    if (V.Oracle == MutantVerdict::Wrong) {
      ++Score.Wrong;
      Score.ByLocal += V.ByLocal;
      Score.ByGlobal += V.ByGlobal;
      Score.Reported += Reported;
      if (!Reported)
        Each << "  not reported: " << What << '\n';
    } else if (V.Oracle == MutantVerdict::Equivalent) {
      ++Score.Equivalent;
      Score.FalselyReported += Reported;
      if (Reported)
        Each << "  reported, but the same: " << What << '\n';
    }
  }

  const Program &P;
  std::map<MutationKind, MutationScore> &Out;
  llvm::raw_ostream &Each;
};

} // namespace

MutationScore &MutationScore::operator+=(const MutationScore &O) {
  Mutants += O.Mutants;
  Wrong += O.Wrong;
  ByLocal += O.ByLocal;
  ByGlobal += O.ByGlobal;
  Reported += O.Reported;
  Equivalent += O.Equivalent;
  FalselyReported += O.FalselyReported;
  return *this;
}

llvm::Expected<std::map<MutationKind, MutationScore>>
scoreMutants(llvm::ArrayRef<std::string> Paths, llvm::raw_ostream &Each) {
  std::map<std::string, Program> Programs;
  for (const std::string &Path : Paths) {
    llvm::Expected<Module> M = readIRFile(Path);
    if (!M)
      return M.takeError();
    llvm::StringRef Name = llvm::sys::path::stem(Path);
    const bool IsGlobal = Name.consume_back(".global");
    Program &P = Programs[Name.str()];
    P.Name = Name.str();
    (IsGlobal ? P.Global : P.Local).emplace(std::move(*M));
  }
  std::map<MutationKind, MutationScore> Out;
  for (const auto &[Name, P] : Programs)
    Scorer(P, Out, Each).run();
  return Out;
}

} // namespace spmd::oracle
