//===- Specs.cpp - The report on shape rules ------------------------------===//

#include "Specs.h"

#include "spmd/ops/OpCatalogue.h"
#include "spmd/oracle/CheckSpecTransfers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::rules;
using namespace spmd::oracle;

static StringRef whyNotRun(const OpRule &R) {
  const StringRef OfTerm = spmd::oracle::whyNotRun(*R.Shape);
  if (!OfTerm.empty())
    return OfTerm;
  const auto &Notations = R.Shape->Notations;
  if (R.Formals.empty() ||
      (!Notations.empty() && Notations.front().Operands.empty()))
    return "no operands with dims";
  return "two tensors of five dims are too large";
}

SpecTotals
checkAllSpecs(const SpecLimits &Limits, StringRef Only,
              function_ref<void(const OpRule &, const SpecCheck &)> Show) {
  SpecTotals All;
  StringSet<> Checked;
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    if (!R.Shape || !StringRef(R.Name).contains(Only) ||
        !Checked.insert(specKey(R)).second)
      continue;
    const SpecCheck C = checkSpecs(R, Limits);
    All.Counts += C.Counts;
    ++All.Rules;
    All.Known += C.Known;
    if (C.Counts.Assignments == 0)
      All.NotRun[whyNotRun(R).str()].push_back(R.Name);
    Show(R, C);
  }
  return All;
}

namespace {

/// The term, or that it is notation.
std::string familyOf(const OpRule &R) {
  return R.Shape->Notations.empty() ? shapeTermName(R.Shape->Term).str()
                                    : "notation";
}

void row(StringRef What, unsigned Rules, const SpecCounts &C) {
  outs() << left_justify(What, 14)
         << format(
                "%6u %8llu %12llu %10llu %10llu %6llu %10llu %10llu %10llu\n",
                Rules, (unsigned long long)C.Calls,
                (unsigned long long)C.Assignments,
                (unsigned long long)C.Accepted, (unsigned long long)C.Gradients,
                (unsigned long long)C.Wrong, (unsigned long long)C.Rejected,
                (unsigned long long)C.Imprecise,
                (unsigned long long)C.Undecided);
}

} // namespace

void summarize(const SpecTotals &T) {
  outs() << format("rules for dims: %llu calls, %llu assignments of specs, "
                   "%llu accepted, %llu rejected, %llu not decided\n",
                   (unsigned long long)T.Counts.Calls,
                   (unsigned long long)T.Counts.Assignments,
                   (unsigned long long)T.Counts.Accepted,
                   (unsigned long long)T.Counts.Rejected,
                   (unsigned long long)T.Counts.Undecided)
         << format("right, but rejected: %llu; checked against more than the "
                   "entry says: %u of %u\n",
                   (unsigned long long)T.Counts.Imprecise, T.Known, T.Rules);
  for (const auto &[Why, Ops] : T.NotRun)
    outs() << "not run: " << join(Ops, ", ") << ": " << Why << '\n';
}

int showSpecs(const SpecLimits &Limits, StringRef Only) {
  struct Family {
    unsigned Rules = 0;
    SpecCounts Counts;
  };
  std::map<std::string, Family> Families;
  std::vector<std::string> Wrong, Imprecise;
  const SpecTotals Rules =
      checkAllSpecs(Limits, Only, [&](const OpRule &R, const SpecCheck &C) {
        Family &F = Families[familyOf(R)];
        ++F.Rules;
        F.Counts += C.Counts;
        Wrong.insert(Wrong.end(), C.Wrong.begin(), C.Wrong.end());
        for (const auto &[Kind, Found] : C.Imprecise)
          Imprecise.push_back(R.Name + ": " + std::to_string(Found.first) +
                              " " + Kind + ", such as " + Found.second);
      });
  outs() << left_justify("term", 14)
         << " rules    calls  assignments   accepted  gradients  wrong   "
            "rejected  "
            "imprecise  undecided\n";
  SpecCounts All = Rules.Counts;
  if (Only.empty()) {
    const SpecCheck C = checkSpecTransfers(Limits);
    Families["collectives"] = {1, C.Counts};
    All += C.Counts;
    Wrong.insert(Wrong.end(), C.Wrong.begin(), C.Wrong.end());
    for (const auto &[Name, Found] : C.Imprecise)
      Imprecise.push_back(std::to_string(Found.first) + " such as " +
                          Found.second);
  }
  for (const auto &[Name, F] : Families)
    row(Name, F.Rules, F.Counts);
  row("all", Rules.Rules + Only.empty(), All);
  outs() << '\n';
  summarize(Rules);
  if (!Wrong.empty())
    outs() << "\naccepted, but wrong:\n";
  for (const std::string &W : Wrong)
    outs() << "  " << W << '\n';
  if (!Imprecise.empty())
    outs() << "\nright for all sizes, but not accepted:\n";
  for (const std::string &W : Imprecise)
    outs() << "  " << W << '\n';
  return All.Wrong ? 1 : 0;
}
