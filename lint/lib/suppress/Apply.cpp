//===- Apply.cpp - Suppressed findings, and useless suppressions ----------===//

#include "spmd/lint/Check.h"
#include "spmd/lint/NearestName.h"
#include "spmd/lint/Suppression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <map>

using namespace llvm;
using namespace spmd::lint;

namespace {

constexpr StringLiteral SuppressionCheck = "spmd-suppression";

bool matches(const Suppression &S, StringRef Check) {
  if (S.Checks.empty())
    return true;
  return llvm::any_of(S.Checks, [&](StringRef Glob) {
    if (Expected<GlobPattern> Pattern = GlobPattern::create(Glob))
      return Pattern->match(Check);
    else
      consumeError(Pattern.takeError());
    return false;
  });
}

/// Whether the author meant one of our checks by name.
bool isOurs(const Suppression &S) {
  return llvm::any_of(S.Checks,
                      [](StringRef G) { return G.starts_with("spmd-"); });
}

Diagnostic finding(const Suppression &S, std::string Message) {
  Diagnostic D;
  D.Where = S.Where;
  D.Check = SuppressionCheck.str();
  D.Message = std::move(Message);
  if (const CheckInfo *Info = findCheck(SuppressionCheck))
    D.Level = Info->Default;
  return D;
}

void reportUnused(const Suppression &S, std::vector<Diagnostic> &Out) {
  Diagnostic D = finding(S, S.Spelling + " suppresses nothing: '" +
                                join(S.Checks, ", ") + "' has no finding here");
  const bool OnlyOurs = llvm::all_of(
      S.Checks, [](StringRef G) { return G.starts_with("spmd-"); });
  if (S.Removable.Length && OnlyOurs) {
    Fix F;
    F.Description = "remove the suppression";
    F.Preferred = F.Safe = true;
    F.Edits.push_back(
        {S.Removable.File, S.Removable.Offset, S.Removable.Length, ""});
    D.Fixes.push_back(std::move(F));
  }
  Out.push_back(std::move(D));
}

void reportUnknownNames(const Suppression &S, std::vector<Diagnostic> &Out) {
  std::vector<StringRef> Names;
  for (const CheckInfo &C : allChecks())
    Names.push_back(C.Name);
  for (StringRef G : S.Checks)
    if (G.starts_with("spmd-") && !G.contains_insensitive("*") &&
        !llvm::is_contained(Names, G))
      Out.push_back(finding(S, unknownName("check", G, Names)));
}

} // namespace

unsigned spmd::lint::applySuppressions(std::vector<Diagnostic> &Diagnostics,
                                       std::vector<Suppression> Suppressions,
                                       ArrayRef<SuppressionError> Errors,
                                       const SuppressionPolicy &Policy) {
  // A header is read by many translation units.
  llvm::sort(Suppressions);
  Suppressions.erase(llvm::unique(Suppressions), Suppressions.end());

  std::map<StringRef, std::vector<std::size_t>> ByFile;
  for (std::size_t I = 0; I != Suppressions.size(); ++I)
    ByFile[Suppressions[I].Where.File].push_back(I);
  std::vector<bool> Used(Suppressions.size());

  const std::size_t Before = Diagnostics.size();
  llvm::erase_if(Diagnostics, [&](const Diagnostic &D) {
    auto It = ByFile.find(D.Where.File);
    if (It == ByFile.end() || D.Where.Line == 0)
      return false;
    bool Suppressed = false;
    for (std::size_t I : It->second) {
      const Suppression &S = Suppressions[I];
      if (D.Where.Line >= S.FirstLine && D.Where.Line <= S.LastLine &&
          matches(S, D.Check))
        Suppressed = Used[I] = true;
    }
    return Suppressed;
  });

  const unsigned NumSuppressed = Before - Diagnostics.size();
  std::vector<Diagnostic> Found;
  for (std::size_t I = 0; I != Suppressions.size(); ++I) {
    const Suppression &S = Suppressions[I];
    if (!isOurs(S))
      continue;
    const std::size_t Known = Found.size();
    reportUnknownNames(S, Found);
    const bool AllOn = llvm::all_of(allChecks(), [&](const CheckInfo &C) {
      return !matches(S, C.Name) || Policy.IsEnabled(S.Where.File, C.Name);
    });
    if (!Used[I] && AllOn && Policy.IsComplete(S.Where.File) &&
        Found.size() == Known &&
        Policy.IsOn(S.Where.File, "spmd-suppression.ReportUnused"))
      reportUnused(S, Found);
    if (!S.HasReason &&
        Policy.IsOn(S.Where.File, "spmd-suppression.RequireReason")) {
      const std::string Example = StringRef(S.Spelling).starts_with("[[")
                                      ? "give it as the second argument"
                                      : "write one after it, as in '" +
                                            S.Spelling + "(" +
                                            join(S.Checks, ", ") + "): reason'";
      Found.push_back(finding(S, S.Spelling + " gives no reason: " + Example));
    }
  }
  for (const SuppressionError &E : Errors) {
    Suppression S;
    S.Where = E.Where;
    Found.push_back(finding(S, E.Message));
  }
  // Such a finding can be suppressed as well, by the check's name.
  llvm::erase_if(Found, [&](const Diagnostic &D) {
    return llvm::any_of(Suppressions, [&](const Suppression &S) {
      return !S.Checks.empty() && S.Where.File == D.Where.File &&
             D.Where.Line >= S.FirstLine && D.Where.Line <= S.LastLine &&
             llvm::is_contained(S.Checks, SuppressionCheck);
    });
  });
  for (Diagnostic &D : Found)
    if (Policy.IsEnabled(D.Where.File, SuppressionCheck))
      Diagnostics.push_back(std::move(D));
  return NumSuppressed;
}
