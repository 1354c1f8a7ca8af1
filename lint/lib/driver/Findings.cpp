//===- Findings.cpp - What a run found ------------------------------------===//

#include "Findings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace spmd::lint;

bool Findings::hasAtLeast(Severity S) const {
  return llvm::any_of(Found.Diagnostics,
                      [&](const Diagnostic &D) { return D.Level >= S; });
}

static void addStats(RunStats &Into, const FileResult &R) {
  ++Into.Files;
  Into.FilesWithErrors += !R.ParseErrors.empty();
  Into.FilesCrashed += R.Crashed;
  Into.FilesCached += R.Cached;
  Into.Functions += R.Lint.Stats.Functions;
  Into.NotAnalysed += R.Lint.Stats.NotAnalysed + R.Program.Stats.NotAnalysed;
  Into.NotFollowed += R.Lint.Stats.NotFollowed;
  Into.Facts += R.Lint.Stats.Facts;
  Into.FactsVisited += R.Lint.Stats.FactsVisited + R.Program.Stats.FactsVisited;
  Into.UntypedCollectives +=
      R.Lint.Stats.Collectives + R.Program.Stats.Collectives;
  Into.LoweringSeconds += R.Lint.Stats.LoweringSeconds;
  Into.InferenceSeconds +=
      R.Lint.Stats.InferenceSeconds + R.Program.Stats.InferenceSeconds;
  Into.CollectivesSeconds +=
      R.Lint.Stats.CollectivesSeconds + R.Program.Stats.CollectivesSeconds;
  Into.AnalysisSeconds += R.AnalysisSeconds + R.Program.Stats.InferenceSeconds +
                          R.Program.Stats.ReportSeconds +
                          R.Program.Stats.CollectivesSeconds;
  Into.ParseSeconds += R.TotalSeconds - R.AnalysisSeconds;
}

namespace {

/// The coverage of all files: of a function that several of them have, what
/// most is known of.
class CoverageMerge {
public:
  void add(const Coverage &More) {
    for (const FunctionCoverage &F : More.Functions) {
      const auto [At, New] = Functions.try_emplace(
          {F.Function, F.Where.File, F.Where.Line}, All.Functions.size());
      if (New)
        All.Functions.push_back(F);
      else if (FunctionCoverage &Same = All.Functions[At->second];
               known(F) > known(Same))
        Same = F;
    }
    for (const Uncovered &U : More.Missing) {
      const auto [At, New] =
          Missing.try_emplace({U.What, U.Where.File}, All.Missing.size());
      if (New)
        All.Missing.push_back(U);
      else if (Uncovered &Same = All.Missing[At->second]; U < Same)
        Same = U;
    }
  }
  Coverage take() {
    llvm::sort(All.Missing);
    return std::move(All);
  }

private:
  static unsigned known(const FunctionCoverage &F) {
    unsigned Out = F.Given + F.Followed;
    for (const TypedOn &T : F.Typed)
      Out += T.Typed;
    return Out;
  }

  Coverage All;
  std::map<std::tuple<std::string, std::string, unsigned>, std::size_t>
      Functions;
  std::map<std::pair<std::string, std::string>, std::size_t> Missing;
};

bool isOfName(char C) { return isAlnum(C) || C == '_'; }

/// The name that \p Expression ends with: `comm` of `other->comm`.
StringRef lastName(StringRef Expression) {
  std::size_t Begin = Expression.size();
  while (Begin && isOfName(Expression[Begin - 1]))
    --Begin;
  return Expression.substr(Begin);
}

bool hasName(StringRef Text, StringRef Name) {
  for (std::size_t At = Text.find(Name); At != StringRef::npos;
       At = Text.find(Name, At + 1))
    if ((!At || !isOfName(Text[At - 1])) &&
        (At + Name.size() == Text.size() || !isOfName(Text[At + Name.size()])))
      return true;
  return false;
}

/// Whether the code of \p R may have what \p Expression names. Of what did not
/// parse, or cannot be read again, nobody knows.
bool mayHave(const FileResult &R, StringRef Expression) {
  const StringRef Name = lastName(Expression);
  return Name.empty() || !R.Analysed || !R.ParseErrors.empty() ||
         llvm::any_of(R.UserFiles, [&](const auto &File) {
           const auto Text = MemoryBuffer::getFile(File.first);
           return !Text || hasName((*Text)->getBuffer(), Name);
         });
}

std::vector<UnusedAxis> unusedAxes(ArrayRef<LintJob> Jobs,
                                   ArrayRef<FileResult> Results) {
  std::vector<UnusedAxis> Out;
  std::map<std::pair<std::string, std::string>, bool> Used;
  for (auto [Job, R] : llvm::zip(Jobs, Results))
    for (const Configured<AxisBinding> &Axis : Job.Cfg->Axes) {
      const std::string &Name = Axis.Value.Expression;
      const auto [At, New] = Used.try_emplace({Axis.From.str(), Name});
      if (New)
        Out.push_back({Name, Axis.From});
      At->second = At->second || mayHave(R, Name);
    }
  llvm::erase_if(Out, [&](const UnusedAxis &A) {
    return Used.at({A.From.str(), A.Expression});
  });
  return Out;
}

} // namespace

Findings spmd::lint::mergeResults(ArrayRef<LintJob> Jobs,
                                  ArrayRef<FileResult> Results,
                                  ConfigLoader &Configs) {
  Findings Out;
  std::vector<Diagnostic> &All = Out.Found.Diagnostics;
  std::vector<Suppression> Suppressions;
  std::vector<SuppressionError> SuppressionErrors;
  CoverageMerge Covered;
  std::map<std::string, bool> FullyAnalysed; ///< by file that may be suppressed
  // A file's own; one that cannot be read was reported where it was needed.
  auto ConfigOf = [&](StringRef File) -> std::shared_ptr<const Config> {
    auto Loaded = Configs.load(File);
    if (Loaded)
      return *Loaded;
    consumeError(Loaded.takeError());
    return std::make_shared<Config>();
  };

  for (auto [Job, R] : llvm::zip(Jobs, Results)) {
    Out.Found.Files.push_back(Job.File);
    addStats(Out.Found.Stats, R);
    Covered.add(R.Lint.Covered);
    Covered.add(R.Program.Covered);
    if (R.Crashed)
      Out.Found.Crashed.push_back(Job.File);
    llvm::append_range(Out.Found.ParseErrors, R.ParseErrors);
    for (const Diagnostic &D : R.Lint.Diagnostics) {
      All.push_back(D);
      All.back().Level = Job.Cfg->levelOf(D);
    }
    // The files of one program may differ in what they are checked for.
    for (const Diagnostic &D : R.Program.Diagnostics) {
      All.push_back(D);
      All.back().Level = ConfigOf(D.Where.File)->levelOf(D);
    }
    llvm::append_range(Suppressions, R.Lint.Allows);
    for (const auto &[File, State] : R.UserFiles) {
      auto [It, New] = FullyAnalysed.try_emplace(File, true);
      It->second &= R.ParseErrors.empty();
      if (!New)
        continue;
      llvm::append_range(Suppressions, State.Suppressed.Suppressions);
      llvm::append_range(SuppressionErrors, State.Suppressed.Errors);
    }
  }
  Out.Found.Covered = Covered.take();
  Out.Found.UnusedAxes = unusedAxes(Jobs, Results);
  llvm::erase_if(All,
                 [](const Diagnostic &D) { return D.Level == Severity::Off; });
  sortAndDeduplicate(All);
  sortAndDeduplicate(Out.Found.ParseErrors);

  SuppressionPolicy Policy;
  Policy.IsEnabled = [&](StringRef File, StringRef Check) {
    const CheckInfo *Info = findCheck(Check);
    return Info && ConfigOf(File)->severity(*Info) != Severity::Off;
  };
  Policy.IsComplete = [&](StringRef File) {
    auto It = FullyAnalysed.find(File.str());
    return It != FullyAnalysed.end() && It->second;
  };
  Policy.IsOn = [&](StringRef File, StringRef Option) {
    return ConfigOf(File)->flag(Option);
  };
  Out.Found.Stats.Suppressed =
      applySuppressions(All, Suppressions, SuppressionErrors, Policy);
  for (Diagnostic &D : All)
    if (D.Check == "spmd-suppression")
      D.Level = ConfigOf(D.Where.File)->levelOf(D);
  sortAndDeduplicate(All);
  return Out;
}
