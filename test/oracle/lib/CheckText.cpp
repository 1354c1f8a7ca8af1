//===- CheckText.cpp - Whether the text of a program is the program -------===//

#include "spmd/oracle/RandomProgram.h"

#include "spmd/inference/FindingText.h"
#include "spmd/ir/IRText.h"

#include "llvm/ADT/StringExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

/// "dp: R tp: V" for each value in turn, as the text numbers only the slots
/// that some fact mentions, and what is wrong.
static std::string inferred(const Module &M, const InferenceOptions &Options) {
  std::string Out;
  const auto OnType = [&](const TypedSlot &T) {
    for (const auto &[Axis, Type] : T.Types)
      Out += Axis + ": " + printAxisType(Type) + " ";
    Out += T.Spec + "\n";
  };
  for (const Violation &V : inferModule(M, Options, OnType).Violations)
    Out += printFinding(V) + "\n";
  return Out;
}

std::string checkText(const TypedProgram &P) {
  const std::string Text = printModule(P.M);
  llvm::Expected<Module> Again = parseModule(Text, OpCatalogue::builtin());
  if (!Again)
    return "its text does not parse: " + llvm::toString(Again.takeError());
  if (printModule(*Again) != Text)
    return "its text is not printed again";
  const InferenceOptions Options = optionsFor(P.Branches);
  const std::string Is = inferred(P.M, Options),
                    Read = inferred(*Again, Options);
  return Is == Read ? std::string()
                    : "inferred:\n" + Is + "and from its text:\n" + Read;
}

} // namespace spmd::oracle
