//===- Mutants.cpp - How many mistakes the checker sees -------------------===//

#include "Mutants.h"

#include "spmd/rules/IRText.h"
#include "spmd/rules/Inference.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// "linear.cpp:41, all_reduce: dropped": where the edit is, and what.
std::string describe(llvm::StringRef Path, const Module &M,
                     const Mutation &By) {
  const Function &F = *M.Functions[By.Function];
  std::string Out = llvm::sys::path::stem(Path).str() + ":";
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

void scoreModule(llvm::StringRef Path, const Module &M,
                 std::map<MutationKind, MutationScore> &Out,
                 llvm::raw_ostream &Each) {
  for (const Mutation &By : mutationsOf(M)) {
    const std::optional<Module> Mutant = mutate(M, By);
    if (!Mutant)
      continue;
    MutationScore &Score = Out[By.Kind];
    ++Score.Mutants;
    std::string Why;
    const MutantVerdict Verdict = judge(M, *Mutant, By, Why);
    if (Verdict == MutantVerdict::NotRun)
      continue;
    const bool Reported = !inferModule(*Mutant, {}).Violations.empty();
    if (Verdict == MutantVerdict::Wrong) {
      ++Score.Wrong;
      Score.Reported += Reported;
      if (!Reported)
        Each << "  not reported: " << describe(Path, M, By) << '\n';
    } else {
      ++Score.Equivalent;
      Score.FalselyReported += Reported;
      if (Reported)
        Each << "  reported, but the same: " << describe(Path, M, By) << '\n';
    }
  }
}

} // namespace

MutationScore &MutationScore::operator+=(const MutationScore &O) {
  Mutants += O.Mutants;
  Wrong += O.Wrong;
  Reported += O.Reported;
  Equivalent += O.Equivalent;
  FalselyReported += O.FalselyReported;
  return *this;
}

llvm::Expected<std::map<MutationKind, MutationScore>>
scoreMutants(llvm::ArrayRef<std::string> Paths, llvm::raw_ostream &Each) {
  std::map<MutationKind, MutationScore> Out;
  for (const std::string &Path : Paths) {
    const auto Buffer = llvm::MemoryBuffer::getFile(Path);
    if (!Buffer)
      return llvm::createFileError(Path, Buffer.getError());
    llvm::Expected<Module> M =
        parseModule((*Buffer)->getBuffer(), OpCatalogue::builtin());
    if (!M)
      return llvm::createFileError(Path, M.takeError());
    scoreModule(Path, *M, Out, Each);
  }
  return Out;
}

} // namespace spmd::oracle
