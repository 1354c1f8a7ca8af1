//===- Options.cpp - The command line of spmd-tidy ------------------------===//
//
// Not LLVM's cl library: the shared LLVM registers hundreds of options of its
// own there, `-stats` among them. Nor llvm::opt::OptTable, which only splits
// the command line: values are checked and kept by a second list, in code, and
// a manual is made by a third. This one table is parser, help, manual and
// completions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "spmd/lint/CheckGlobs.h"
#include "spmd/lint/NearestName.h"
#include "spmd/lint/Report.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// The message of what is wrong, empty when nothing is.
using Problem = std::string;

template <bool Options::*Member> Problem flag(Options &O, StringRef) {
  O.*Member = true;
  return {};
}

template <std::string Options::*Member>
Problem text(Options &O, StringRef Value) {
  O.*Member = Value.str();
  return {};
}

Problem oneOf(StringRef Option, StringRef Value, ArrayRef<StringRef> Allowed) {
  return unknownName(("value of --" + Option).str(), Value, Allowed);
}

Problem setChecks(Options &O, StringRef Value) {
  Expected<std::vector<std::string>> Globs = splitCheckGlobs(Value);
  if (!Globs)
    return "--checks: " + toString(Globs.takeError());
  llvm::append_range(O.Config.Checks, *Globs);
  return {};
}

Problem setFailOn(Options &O, StringRef Value) {
  if (Value != "error" && Value != "warning")
    return oneOf("fail-on", Value, {"error", "warning"});
  O.FailOn = *parseSeverity(Value);
  return {};
}

Problem setFix(Options &O, StringRef Value) {
  if (!Value.empty() && Value != "unsafe")
    return oneOf("fix", Value, {"unsafe"});
  O.Fix = Value.empty() ? FixMode::Safe : FixMode::Unsafe;
  return {};
}

Problem setFormat(Options &O, StringRef Value) {
  auto [Name, File] = Value.split(':');
  if (!findReportFormat(Name)) {
    std::vector<StringRef> Names;
    for (const ReportFormat &F : reportFormats())
      Names.push_back(F.Name);
    return unknownName("format", Name, Names);
  }
  O.Formats.push_back({Name.str(), File.str()});
  return {};
}

Problem setJobs(Options &O, StringRef Value) {
  if (Value.getAsInteger(10, O.Jobs) || O.Jobs == 0 || O.Jobs > 1024)
    return ("-j takes a number from 1 to 1024, not '" + Value + "'").str();
  return {};
}

Problem setDumpTypes(Options &O, StringRef Value) {
  if (!Value.empty() && Value != "text" && Value != "json")
    return oneOf("dump-types", Value, {"text", "json"});
  O.DumpTypes = Value == "json" ? DumpFormat::JSON : DumpFormat::Text;
  return {};
}

Problem setSummary(Options &O, StringRef Value) {
  if (Value != "coverage")
    return oneOf("summary", Value, {"coverage"});
  O.SummariseCoverage = true;
  return {};
}

Problem setSuggest(Options &O, StringRef Value) {
  O.Suggest.emplace().Function = Value.str();
  return {};
}
Problem setSizes(Options &O, StringRef Value) {
  SmallVector<StringRef> Parts;
  Value.split(Parts, ',');
  for (StringRef Part : Parts) {
    const auto [Name, Number] = Part.split('=');
    std::int64_t Size = 0;
    if (Name.trim().empty() || Number.trim().getAsInteger(10, Size) ||
        Size <= 0)
      return "--size takes names with positive numbers, as in "
             "--size=B=8,S=2048, not '" +
             Part.str() + "'";
    O.Sizes[Name.trim().str()] = Size;
  }
  return {};
}
Problem setConfig(Options &O, StringRef Value) {
  O.Config.Inline = Value.str();
  return {};
}
Problem setConfigFile(Options &O, StringRef Value) {
  O.Config.File = Value.str();
  return {};
}
Problem setColor(Options &O, StringRef Value) {
  if (Value != "auto" && Value != "always" && Value != "never")
    return oneOf("color", Value, {"auto", "always", "never"});
  O.Color = Value == "always"  ? ColorMode::Always
            : Value == "never" ? ColorMode::Never
                               : ColorMode::Auto;
  return {};
}
Problem setDiff(Options &O, StringRef Value) {
  O.Diff = Value.str();
  return {};
}
Problem setExtraArg(Options &O, StringRef Value) {
  O.Config.ExtraArgs.push_back(Value.str());
  return {};
}
Problem setHeaderFilter(Options &O, StringRef Value) {
  std::string Why;
  if (!Regex(Value).isValid(Why))
    return "--header-filter: " + Why;
  O.Config.HeaderFilter = Value.str();
  return {};
}
Problem setFixInteractive(Options &O, StringRef) {
  O.FixInteractive = true;
  O.Fix = std::max(O.Fix, FixMode::Safe);
  return {};
}
Problem setCompletions(Options &O, StringRef Value) {
  if (Value != "bash" && Value != "zsh")
    return oneOf("completions", Value, {"bash", "zsh"});
  O.Completions = Value.str();
  return {};
}
Problem setStrict(Options &O, StringRef) {
  O.Config.Strict = true;
  return {};
}

using V = OptionSpec::Value;
constexpr OptionSpec Specs[] = {
    {"p", V::Required, "dir",
     "folder of compile_commands.json; found upward from each file otherwise",
     text<&Options::BuildPath>},
    {"checks", V::Required, "globs",
     "checks to run, as in 'spmd-*,-spmd-contract'; after those of the "
     "configuration",
     setChecks},
    {"config", V::Required, "yaml",
     "configuration that extends every .spmd-tidy", setConfig},
    {"config-file", V::Required, "file",
     "read this instead of looking for .spmd-tidy", setConfigFile},
    {"strict", V::None, "", "also report what may be wrong on some paths",
     setStrict},
    {"header-filter", V::Required, "regex",
     "headers outside the project whose findings are wanted as well",
     setHeaderFilter},
    {"extra-arg", V::Required, "flag",
     "a compiler flag for every file, behind those of its command; may be "
     "repeated",
     setExtraArg},
    {"whole-program", V::None, "",
     "take the files as one program: calls reach the bodies in the other "
     "files, "
     "so that what no annotation describes has the types of its uses",
     flag<&Options::WholeProgram>},
    {"fail-on", V::Required, "warning|error",
     "least severity that makes the exit code 1; warning by default",
     setFailOn},
    {"fix", V::Optional, "unsafe",
     "apply the preferred repairs; only those that keep the meaning unless "
     "=unsafe",
     setFix},
    {"fix-dry-run", V::None, "",
     "print what --fix would change as a unified diff",
     flag<&Options::FixDryRun>},
    {"fix-interactive", V::None, "",
     "show what each fix would change and ask: yes, no, all, quit",
     setFixInteractive},
    {"autoshard", V::None, "",
     "insert what makes global code right, as a partitioner would, and list it "
     "with its cost; with --fix-dry-run as a unified diff only",
     flag<&Options::Autoshard>},
    {"export-fixes", V::Required, "file",
     "write repairs for clang-apply-replacements", text<&Options::ExportFixes>},
    {"diff", V::Optional, "rev",
     "only findings on lines that differ from the revision, or with a note "
     "there; without files, of the files that differ; HEAD by default",
     setDiff},
    {"baseline", V::Required, "file",
     "leave out the findings that this file has", text<&Options::BaselineFile>},
    {"update-baseline", V::None, "",
     "write that file; one that is there only loses what is not found any more",
     flag<&Options::UpdateBaseline>},
    {"format", V::Required, "name[:file]",
     "report format: text (default), github, gitlab, json, junit, markdown or "
     "sarif; may be repeated",
     setFormat},
    {"color", V::Required, "auto|always|never",
     "colours of text; on a terminal by default", setColor},
    {"quiet", V::None, "", "print findings and errors, nothing else",
     flag<&Options::Quiet>},
    {"progress", V::None, "",
     "say after each file how far the run is, where standard error is no "
     "terminal, too",
     flag<&Options::Progress>},
    {"j", V::Required, "n", "files at a time; one per processor by default",
     setJobs},
    {"cache-dir", V::Required, "dir",
     "where results of unchanged files are kept; spmd-tidy in the user's cache "
     "folder by default",
     text<&Options::CacheFolder>},
    {"no-cache", V::None, "", "neither use nor keep results of earlier runs",
     flag<&Options::NoCache>},
    {"stdin", V::None, "", "lint standard input", flag<&Options::Stdin>},
    {"stdin-filename", V::Required, "path",
     "the path that standard input stands for", text<&Options::StdinFilename>},
    {"dump-types", V::Optional, "text|json", "print inferred types",
     setDumpTypes},
    {"dump-ir", V::None, "", "print the lowered program",
     flag<&Options::DumpIR>},
    {"show-config", V::Required, "file",
     "print a file's merged configuration and where each value is from",
     text<&Options::ShowConfig>},
    {"explain", V::Required, "check", "print a check's page",
     text<&Options::Explain>},
    {"explain-finding", V::None, "",
     "show each finding in numbers: what two ranks hold and get",
     flag<&Options::ExplainFindings>},
    {"explain-op", V::Required, "name", "print the rule of an op",
     text<&Options::ExplainOp>},
    {"explain-plan", V::Required, "spec",
     "print how a tensor gets from this partition spec to the one after it",
     text<&Options::ExplainPlan>},
    {"mesh", V::Required, "axes",
     "the mesh of --explain-plan and --suggest-sharding, as in dp=2,tp=4; "
     "that of the code or of .spmd-tidy otherwise",
     text<&Options::Mesh>},
    {"suggest-sharding", V::Optional, "function",
     "print the specs with which global functions, or one, take the least "
     "time, and what that takes; with --fix write them",
     setSuggest},
    {"size", V::Required, "name=n,...",
     "what names of sizes stand for in --suggest-sharding; also Sizes in "
     ".spmd-tidy",
     setSizes},
    {"batch", V::Required, "name",
     "the size that data parallelism divides in --suggest-sharding; the first "
     "one of the first parameter otherwise",
     text<&Options::Batch>},
    {"list-checks", V::None, "", "list the checks", flag<&Options::ListChecks>},
    {"list-rules", V::None, "",
     "list the rules of all ops, and the calls of all communication libraries",
     flag<&Options::ListRules>},
    {"summary", V::Required, "coverage",
     "print by file and function how much is known of its tensors and "
     "collectives, and what to annotate next",
     setSummary},
    {"stats", V::None, "", "print counts and times", flag<&Options::Stats>},
    {"completions", V::Required, "bash|zsh",
     "print what completes these options in a shell", setCompletions},
    {"man-page", V::None, "", "print the manual page", flag<&Options::ManPage>},
    {"help", V::None, "", "print this text", flag<&Options::Help>},
    {"version", V::None, "", "print the version", flag<&Options::Version>},
};

const OptionSpec *findSpec(StringRef Name) {
  if (Name == "h")
    Name = "help";
  for (const OptionSpec &S : Specs)
    if (S.Name == Name)
      return &S;
  return nullptr;
}

Problem parseOne(ArrayRef<const char *> Args, std::size_t &I, Options &O) {
  StringRef Arg = Args[I];
  auto [Name, Value] = Arg.ltrim('-').split('=');
  bool HasValue = Arg.contains('=');
  // -j8 and -pbuild
  if (!Arg.starts_with("--") && !findSpec(Name) && Arg.size() > 2 &&
      (Arg[1] == 'j' || Arg[1] == 'p')) {
    Name = Arg.substr(1, 1);
    Value = Arg.substr(2);
    HasValue = true;
  }
  const OptionSpec *Spec = findSpec(Name);
  if (!Spec) {
    std::vector<StringRef> Names;
    for (const OptionSpec &S : Specs)
      if (S.Name.size() > 1)
        Names.push_back(S.Name);
    const OptionSpec *Near = findSpec(nearestName(Name, Names));
    return "unknown option '" + Arg.str() + "'; " +
           (Near ? "the nearest is '" + Near->dashed() + "'"
                 : "--help lists them");
  }
  if (Spec->Takes == V::None && HasValue)
    return Spec->dashed() + " takes no value";
  if (Spec->Takes == V::Required && !HasValue) {
    if (I + 1 == Args.size())
      return Spec->dashed() + " needs a value <" + Spec->Metavar.str() + ">";
    Value = Args[++I];
  }
  if (Spec->Takes == V::Required && Value.empty())
    return Spec->dashed() + " needs a value <" + Spec->Metavar.str() + ">";
  return Spec->Set(O, Value);
}

/// A file that more than one report would be written to.
StringRef sharedFile(const Options &O) {
  StringSet<> Seen;
  for (const FormatRequest &F : O.Formats) {
    SmallString<128> Path(F.File);
    sys::path::make_absolute(O.WorkingDirectory, Path);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    if (!F.File.empty() && F.File != "/dev/null" && !Seen.insert(Path).second)
      return F.File;
  }
  return {};
}

Problem conflict(const Options &O) {
  unsigned ToStdout = 0;
  for (const FormatRequest &F : O.Formats)
    ToStdout += F.File.empty() && F.Name != "text";
  if (ToStdout > 1)
    return "only one format can go to standard output: give the others a file, "
           "as in --format=json:report.json";
  if (StringRef File = sharedFile(O); !File.empty())
    return "--format: two reports cannot both be written to " + File.str();
  if (!O.Mesh.empty() && O.ExplainPlan.empty() && !O.Suggest)
    return "--mesh is for --explain-plan and --suggest-sharding; sources have "
           "[[spmd::mesh]] and Mesh in .spmd-tidy";
  if (!O.Suggest && (!O.Sizes.empty() || !O.Batch.empty()))
    return "--size and --batch are for --suggest-sharding";
  if (O.Suggest) {
    if (O.Autoshard || O.WholeProgram)
      return "--suggest-sharding goes without --autoshard and "
             "--whole-program: it looks at one function at a time";
    for (const FormatRequest &F : O.Formats)
      if (F.Name != "text" && F.Name != "json")
        return "--suggest-sharding prints text or json";
  }
  if (O.NoCache && !O.CacheFolder.empty())
    return "--cache-dir and --no-cache exclude each other";
  if (O.Stdin && O.StdinFilename.empty())
    return "--stdin needs --stdin-filename, to know the language and the flags";
  if (!O.Stdin && !O.StdinFilename.empty())
    return "--stdin-filename is for --stdin";
  if (O.Stdin && !O.Inputs.empty())
    return "--stdin takes no other files";
  if (O.UpdateBaseline && O.BaselineFile.empty())
    return "--update-baseline needs --baseline=<file>";
  if ((O.Diff || !O.BaselineFile.empty()) && O.fixMode() != FixMode::None)
    return "--diff and --baseline select what is reported; --fix makes all "
           "repairs";
  if (O.FixInteractive && (O.FixDryRun || O.Stdin))
    return "--fix-interactive asks before it changes files: it goes without "
           "--fix-dry-run and --stdin";
  if (O.Autoshard && O.Fix != FixMode::None)
    return "--autoshard makes the repairs of global code only, --fix makes all";
  if (O.Stdin && O.fixMode() != FixMode::None && !O.FixDryRun)
    return "--fix and --autoshard cannot change standard input: use "
           "--fix-dry-run";
  return {};
}

} // namespace

std::string OptionSpec::dashed() const {
  return (Name.size() == 1 ? "-" : "--") + Name.str();
}

std::string OptionSpec::spelling() const {
  if (Takes == V::Required)
    return dashed() + (Name.size() == 1 ? " <" : "=<") + Metavar.str() + ">";
  return dashed() + (Takes == V::Optional ? "[=" + Metavar.str() + "]" : "");
}

ArrayRef<OptionSpec> spmd::lint::optionTable() { return Specs; }

Expected<Options> spmd::lint::parseOptions(ArrayRef<const char *> Given) {
  Options O;
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 32> Args(Given);
  if (!cl::ExpandResponseFiles(Saver, cl::TokenizeGNUCommandLine, Args))
    return createStringError("a file named by @ cannot be read");
  SmallString<256> Here;
  if (!sys::fs::current_path(Here))
    O.WorkingDirectory = Here.str().str();
  for (std::size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--") {
      O.CompilerFlags.emplace(Args.begin() + I + 1, Args.end());
      break;
    }
    if (!Arg.starts_with("-") || Arg == "-") {
      O.Inputs.push_back(Arg.str());
      continue;
    }
    if (Problem P = parseOne(Args, I, O); !P.empty())
      return createStringError(P);
  }
  if (Problem P = conflict(O); !P.empty())
    return createStringError(P);
  return O;
}
