//===- Driver.cpp - The command line tool as a function -------------------===//

#include "spmd/lint/Driver.h"

#include "Baseline.h"
#include "ChangedLines.h"
#include "FixDialogue.h"
#include "FixSession.h"
#include "Inform.h"
#include "LibraryPrefix.h"
#include "Output.h"
#include "Programs.h"
#include "Progress.h"
#include "ResultCache.h"
#include "Sources.h"
#include "SuggestRun.h"

#include "clang/Basic/Version.inc"
#include "llvm/Support/FileSystem.h"

#include <thread>

using namespace llvm;
using namespace spmd::lint;

namespace {

enum ExitCode : int {
  Clean = 0,
  HasFindings = 1,
  WrongUsage = 2,
  NotParsed = 3,
  InternalError = 4,
};

/// Empty without a cache.
std::string cacheFolder(const Options &Opts) {
  if (Opts.NoCache)
    return {};
  return Opts.CacheFolder.empty() ? ResultCache::defaultFolder()
                                  : Opts.CacheFolder;
}

/// Empty when no result may be cached: dumps and parts of programs are not
/// kept, and standard input has no age.
std::string resultFolder(const Options &Opts) {
  if (Opts.Stdin || Opts.DumpIR || Opts.WholeProgram || Opts.Suggest ||
      Opts.DumpTypes != DumpFormat::None)
    return {};
  return cacheFolder(Opts);
}

/// Whether the report has a place for what to annotate.
bool wantsAdvice(const Options &Opts) {
  return Opts.SummariseCoverage ||
         llvm::any_of(Opts.Formats,
                      [](const FormatRequest &F) { return F.Name == "json"; });
}

/// The state of one run. The worst of several outcomes decides the exit code.
class Run {
public:
  Run(const char *Program, const Options &Opts)
      : Opts(Opts), Configs(vfs::getRealFileSystem(), Opts.Config),
        Commands({Opts.BuildPath, Opts.CompilerFlags},
                 ToolchainPaths::find(Program)),
        Cache(resultFolder(Opts), Program, wantsAdvice(Opts)),
        Prefixes(cacheFolder(Opts), Program),
        Threads(Opts.Jobs ? Opts.Jobs
                          : std::max(1u, std::thread::hardware_concurrency())) {
  }

  int run();

private:
  bool prepare();
  bool readStdin();
  void addJobs(ArrayRef<std::string> Files);
  int suggest();
  void replaceFiles(FixSession &Session);
  void writeFixes(FixSession &Session);
  bool selectFindings(Findings &Found);
  ProgressStyle progressStyle() const;
  StringRef shown(StringRef File) const {
    return pathFrom(Opts.WorkingDirectory, File);
  }
  void outcome(ExitCode Code) { Worst = std::max(Worst, rank(Code)); }

  /// Usage errors outrank unparsed files, which outrank findings.
  static int rank(ExitCode Code) {
    constexpr int Ranks[] = {0, 1, 3, 2, 4};
    return Ranks[Code];
  }
  int exitCode() const {
    constexpr int Codes[] = {Clean, HasFindings, NotParsed, WrongUsage,
                             InternalError};
    return Codes[Worst];
  }

  const Options &Opts;
  ConfigLoader Configs;
  CompileCommands Commands;
  ResultCache Cache;
  PrefixCache Prefixes;
  unsigned Threads;
  LintRequest Request;
  std::vector<LintJob> Jobs;
  std::vector<FileResult> Results;
  FileOverlay Overlay;
  std::optional<ChangedLines> Changed; ///< --diff
  std::optional<Baseline> Known;       ///< --baseline
  int Worst = 0;
};

void complain(const Twine &Message) {
  errs() << "spmd-tidy: error: " << Message << '\n';
}

bool Run::readStdin() {
  auto Buffer = MemoryBuffer::getSTDIN();
  if (!Buffer) {
    complain("cannot read standard input: " + Buffer.getError().message());
    return false;
  }
  SmallString<256> Path(Opts.StdinFilename);
  sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  Overlay[Path.str().str()] = (*Buffer)->getBuffer().str();
  addJobs({Path.str().str()});
  return true;
}

void Run::addJobs(ArrayRef<std::string> Files) {
  std::set<std::string> Complaints;
  for (const std::string &File : Files) {
    auto Cfg = Configs.load(File);
    if (Cfg) {
      Jobs.push_back({File, Commands.find(File, **Cfg), *Cfg});
      continue;
    }
    // One message for all files that share the mistake.
    std::string Message = toString(Cfg.takeError());
    if (Complaints.insert(Message).second)
      errs() << Message;
    outcome(WrongUsage);
  }
  for (const auto &[Database, Reason] : Commands.unreadable()) {
    complain(shown(Database) + ": not read, so flags are guessed: " + Reason);
    outcome(WrongUsage);
  }
}

bool Run::prepare() {
  if (Error E = Commands.loadBuildPath()) {
    complain(toString(std::move(E)));
    return false;
  }
  Request.DumpTypes = Opts.DumpTypes;
  Request.DumpIR = Opts.DumpIR;
  Request.Advise = wantsAdvice(Opts);
  Request.WorkingDirectory = Opts.WorkingDirectory;
  Request.ForProgram = Opts.WholeProgram;
  if (Opts.Suggest) {
    Expected<SuggestRequest> Suggest = suggestRequest(Opts);
    if (!Suggest) {
      complain(toString(Suggest.takeError()));
      return false;
    }
    Request.Suggest = std::move(*Suggest);
  }
  if (Opts.Stdin)
    return readStdin();
  if (Opts.Diff) {
    Expected<ChangedLines> Lines =
        ChangedLines::since(*Opts.Diff, Opts.WorkingDirectory);
    if (!Lines) {
      complain(toString(Lines.takeError()));
      return false;
    }
    Changed = std::move(*Lines);
  }
  if (!Opts.BaselineFile.empty()) {
    Expected<Baseline> Loaded =
        Baseline::load(Opts.BaselineFile, Opts.UpdateBaseline);
    if (!Loaded) {
      complain(toString(Loaded.takeError()));
      return false;
    }
    Known = std::move(*Loaded);
  }
  if (Opts.Inputs.empty() && !Changed) {
    complain("no file or directory given; --help lists the options");
    return false;
  }
  std::vector<std::string> Inputs = Opts.Inputs;
  if (Inputs.empty()) {
    Inputs = Changed->files();
    llvm::erase_if(Inputs, [](StringRef File) { return !isCode(File); });
    if (Inputs.empty())
      return true;
  }
  const Sources Found = collectSources(Inputs);
  for (const std::string &Reason : Found.Unreadable) {
    complain(Reason);
    outcome(NotParsed);
  }
  for (const std::string &Folder : Found.Empty)
    complain("no source file or header in '" + Folder + "'");
  if (Found.Files.empty() && Found.Unreadable.empty())
    return false;
  addJobs(Found.Files);
  return true;
}

/// Files that cannot be written keep their findings.
void Run::replaceFiles(FixSession &Session) {
  std::set<std::string> Unwritten;
  for (const auto &[File, Old] : Session.originals())
    if (std::error_code EC =
            sys::fs::access(File, sys::fs::AccessMode::Write)) {
      complain(shown(File) + ": not changed: " + EC.message());
      outcome(InternalError);
      Unwritten.insert(File);
    }
  if (!Unwritten.empty())
    Session.takeBack(std::exchange(Unwritten, {}));
  for (const auto &[File, Old] : Session.originals())
    if (Error E = replaceFile(File, Overlay[File])) {
      complain(toString(std::move(E)));
      outcome(InternalError);
      Unwritten.insert(File);
    }
  if (!Unwritten.empty())
    Session.takeBack(Unwritten);
}

void Run::writeFixes(FixSession &Session) {
  if (!Opts.FixDryRun)
    replaceFiles(Session);
  else
    printDiff(Opts, Session.originals(), Overlay);
  for (const std::string &File : Session.refused()) {
    complain(shown(File) + ": a repair was not made: it does not parse");
    outcome(InternalError);
  }
  for (const std::string &File : Session.useless())
    complain(shown(File) +
             ": not changed: after the repairs there is as much to find");
  if (Opts.Autoshard)
    for (const auto &[Where, F] : Session.applied())
      errs() << shown(Where.File) << ':' << Where.Line << ':' << Where.Column
             << ": " << F.Description << " (" << F.Cost << ")\n";
  const std::size_t Applied = Session.applied().size();
  if (!Opts.FixDryRun && Applied && !Opts.Quiet)
    errs() << "spmd-tidy: applied " << Applied
           << (Applied == 1 ? " fix" : " fixes") << " in "
           << Session.originals().size()
           << (Session.originals().size() == 1 ? " file\n" : " files\n");
}

/// Findings are not its subject: what is to be sharded is not sharded yet.
int Run::suggest() {
  for (auto [Job, R] : llvm::zip(Jobs, Results)) {
    if (R.Crashed) {
      outcome(InternalError);
      complain(shown(Job.File) + ": the analysis crashed");
    }
    for (const Diagnostic &D : R.ParseErrors) {
      outcome(NotParsed);
      errs() << shown(D.Where.File) << ':' << D.Where.Line << ':'
             << D.Where.Column << ": error: " << D.Message << '\n';
    }
  }
  LintRequest Plain = Request;
  Plain.Suggest.reset();
  const auto Lint = [&](FileOverlay &Texts, bool Completes) {
    std::vector<FileResult> Of = lintAll(Jobs, Texts, Plain, Threads, Prefixes);
    lintPrograms(Jobs, Of, Plain);
    Findings Found = mergeResults(Jobs, Of, Configs);
    if (Completes) {
      FixSession Session(Jobs, Of, Texts, Configs, Plain, Threads, Prefixes,
                         /*Unsafe=*/false, /*OnlyGlobal=*/true);
      Session.run(Found);
      Found = mergeResults(Jobs, Of, Configs);
    }
    append_range(Found.Found.Diagnostics, Found.Found.ParseErrors);
    return Found.Found.Diagnostics;
  };
  switch (reportSuggestions(Opts, Results, Overlay, Lint)) {
  case SuggestOutcome::Made:
    break;
  case SuggestOutcome::None:
    outcome(WrongUsage);
    break;
  case SuggestOutcome::NotWritten:
    outcome(InternalError);
    break;
  }
  return exitCode();
}

/// What --baseline and --diff leave of the findings.
bool Run::selectFindings(Findings &Found) {
  Report &R = Found.Found;
  const SourceTexts Texts(Overlay);
  if (Known) {
    std::map<StringRef, bool> Analysed;
    for (const FileResult &F : Results)
      for (const auto &[File, State] : F.UserFiles)
        Analysed.try_emplace(File, true).first->second &= F.ParseErrors.empty();
    Known->apply(R, Texts, [&](StringRef File) {
      const auto It = Analysed.find(File);
      return It != Analysed.end() && It->second;
    });
    if (Opts.UpdateBaseline) {
      if (Error E = Known->update(R, Texts)) {
        complain(toString(std::move(E)));
        return false;
      }
    } else if (Known->gone() && !Opts.Quiet) {
      errs() << "spmd-tidy: " << Known->gone()
             << (Known->gone() == 1 ? " finding" : " findings")
             << " of the baseline gone: --update-baseline takes them "
                "out\n";
    }
  }
  if (Changed)
    llvm::erase_if(R.Diagnostics, [&](const Diagnostic &D) {
      const bool Wanted = Changed->contain(D.Where, Texts) ||
                          llvm::any_of(D.Notes, [&](const Note &N) {
                            return Changed->contain(N.Where, Texts);
                          });
      R.OnUnchangedLines += !Wanted;
      return !Wanted;
    });
  return true;
}

ProgressStyle Run::progressStyle() const {
  if (Opts.Progress)
    return ProgressStyle::Lines;
  const bool IsSeen = Jobs.size() > 1 && !Opts.Quiet && errs().is_displayed();
  return IsSeen ? ProgressStyle::Bar : ProgressStyle::None;
}

int Run::run() {
  if (!prepare())
    return WrongUsage;
  {
    Progress Far(Jobs.size(), progressStyle(), Opts.WorkingDirectory);
    Results = lintAll(Jobs, Overlay, Request, Threads, Prefixes, &Cache, &Far);
  }
  lintPrograms(Jobs, Results, Request);
  Cache.prune();
  Findings Found = mergeResults(Jobs, Results, Configs);

  if (Opts.Suggest)
    return suggest();
  if (Opts.fixMode() != FixMode::None) {
    const FileOverlay Before = Overlay;
    std::vector<FileResult> Fixed = Results;
    FixSession Session(Jobs, Fixed, Overlay, Configs, Request, Threads,
                       Prefixes, Opts.fixMode() == FixMode::Unsafe,
                       Opts.Autoshard);
    FixDialogue Dialogue(outs(), reportOptions(Opts, outs().is_displayed()));
    if (Opts.FixInteractive)
      Session.Wants = [&](const Diagnostic &D, const Fix &F,
                          const SourceTexts &Texts) {
        return Dialogue.wants(D, F, Texts);
      };
    Session.run(Found);
    writeFixes(Session);
    // A dry run reports what there is, a real one what is left.
    if (Opts.FixDryRun) {
      Overlay = Before;
    } else {
      Results = std::move(Fixed);
      Found = mergeResults(Jobs, Results, Configs);
    }
  }

  if (!selectFindings(Found))
    return WrongUsage;
  if (Found.hasAtLeast(Opts.FailOn))
    outcome(HasFindings);
  if (!Found.Found.ParseErrors.empty())
    outcome(NotParsed);
  if (!Found.Found.Crashed.empty())
    outcome(InternalError);
  if (!writeOutput(Opts, Jobs, Results, Found, SourceTexts(Overlay)))
    outcome(WrongUsage);
  return exitCode();
}

} // namespace

int spmd::lint::runSpmdTidy(const char *Program, ArrayRef<const char *> Args) {
  Expected<Options> Opts = parseOptions(Args);
  if (!Opts) {
    complain(toString(Opts.takeError()));
    return WrongUsage;
  }
  const ToolchainPaths Paths = ToolchainPaths::find(Program);
  Opts->CheckPages = Paths.CheckPages;
  ConfigLoader Configs(vfs::getRealFileSystem(), Opts->Config);
  Expected<std::optional<int>> Answer = inform(*Opts, Configs, outs());
  if (!Answer) {
    const bool InConfig = Answer.errorIsA<ConfigError>();
    const std::string Message = toString(Answer.takeError());
    InConfig ? void(errs() << Message) : complain(Message);
    return WrongUsage;
  }
  if (*Answer)
    return **Answer;
  if (Paths.ResourceDir.empty()) {
    complain("Clang's builtin headers are missing: there is neither "
             "../lib/spmd-tidy/clang beside this program, as in the archive, "
             "nor Debian's libclang-common-" CLANG_VERSION_MAJOR_STRING "-dev");
    return WrongUsage;
  }
  return Run(Program, *Opts).run();
}
