//===- ResultText.cpp - A file's result as text ---------------------------===//

#include "ResultText.h"

#include "CacheEntry.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace spmd::lint;

LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::Note)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::Edit)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::Fix)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::Diagnostic)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::Suppression)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::SuppressionError)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::TypedOn)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::FunctionCoverage)
LLVM_YAML_IS_SEQUENCE_VECTOR(spmd::lint::Uncovered)

namespace {

/// UserFiles as a sequence: paths make poor YAML keys.
struct UserFile {
  std::string Path;
  UserFileState State;
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(UserFile)

namespace {

/// What printResult() and parseResult() have beside the text.
struct TextContext {
  StringRef Root;      ///< paths are written as seen from here
  bool AllUTF8 = true; ///< what was written
};

} // namespace

/// The writer replaces what is not UTF-8, and what follows it may be lost.
static void checkText(yaml::IO &Y, StringRef Text) {
  if (Y.outputting() && !json::isUTF8(Text))
    static_cast<TextContext *>(Y.getContext())->AllUTF8 = false;
}

static void mapText(yaml::IO &Y, const char *Key, std::string &Text) {
  checkText(Y, Text);
  Y.mapRequired(Key, Text);
}

static void mapPath(yaml::IO &Y, const char *Key, std::string &Path) {
  const StringRef Root = static_cast<TextContext *>(Y.getContext())->Root;
  std::string Seen = Y.outputting() ? pathFrom(Root, Path).str() : "";
  mapText(Y, Key, Seen);
  if (!Y.outputting())
    Path = pathBelow(Root, Seen);
}

namespace llvm::yaml {

template <> struct ScalarEnumerationTraits<Severity> {
  static void enumeration(IO &Y, Severity &S) {
    for (const Severity Level :
         {Severity::Off, Severity::Note, Severity::Warning, Severity::Error})
      Y.enumCase(S, severityName(Level).str().c_str(), Level);
  }
};

template <> struct MappingTraits<Place> {
  static void mapping(IO &Y, Place &P) {
    mapPath(Y, "file", P.File);
    Y.mapRequired("offset", P.Offset);
    Y.mapRequired("length", P.Length);
    Y.mapRequired("line", P.Line);
    Y.mapRequired("column", P.Column);
  }
};

template <> struct MappingTraits<Note> {
  static void mapping(IO &Y, Note &N) {
    Y.mapRequired("where", N.Where);
    mapText(Y, "message", N.Message);
  }
};

template <> struct MappingTraits<Edit> {
  static void mapping(IO &Y, Edit &E) {
    mapPath(Y, "file", E.File);
    Y.mapRequired("offset", E.Offset);
    Y.mapRequired("length", E.Length);
    mapText(Y, "text", E.Text);
  }
};

template <> struct MappingTraits<Fix> {
  static void mapping(IO &Y, Fix &F) {
    mapText(Y, "description", F.Description);
    Y.mapRequired("preferred", F.Preferred);
    Y.mapRequired("safe", F.Safe);
    mapText(Y, "cost", F.Cost);
    Y.mapRequired("edits", F.Edits);
  }
};

template <> struct MappingTraits<Diagnostic> {
  static void mapping(IO &Y, Diagnostic &D) {
    Y.mapRequired("where", D.Where);
    mapText(Y, "check", D.Check);
    Y.mapRequired("level", D.Level);
    mapText(Y, "message", D.Message);
    Y.mapRequired("notes", D.Notes);
    Y.mapRequired("fixes", D.Fixes);
    mapText(Y, "witness", D.Witness);
    Y.mapOptional("global", D.Global, false);
  }
};

template <> struct MappingTraits<Suppression> {
  static void mapping(IO &Y, Suppression &S) {
    Y.mapRequired("where", S.Where);
    mapText(Y, "spelling", S.Spelling);
    Y.mapRequired("first", S.FirstLine);
    Y.mapRequired("last", S.LastLine);
    for (const std::string &Check : S.Checks)
      checkText(Y, Check);
    Y.mapRequired("checks", S.Checks);
    Y.mapRequired("reason", S.HasReason);
    Y.mapRequired("removable", S.Removable);
  }
};

template <> struct MappingTraits<SuppressionError> {
  static void mapping(IO &Y, SuppressionError &E) {
    Y.mapRequired("where", E.Where);
    mapText(Y, "message", E.Message);
  }
};

template <> struct MappingTraits<UserFile> {
  static void mapping(IO &Y, UserFile &F) {
    mapPath(Y, "path", F.Path);
    Y.mapRequired("hash", F.State.Hash);
    Y.mapRequired("suppressions", F.State.Suppressed.Suppressions);
    Y.mapRequired("errors", F.State.Suppressed.Errors);
  }
};

template <> struct MappingTraits<AnalysisStats> {
  static void mapping(IO &Y, AnalysisStats &S) {
    Y.mapRequired("functions", S.Functions);
    Y.mapRequired("not-analysed", S.NotAnalysed);
    Y.mapRequired("not-followed", S.NotFollowed);
    Y.mapRequired("facts", S.Facts);
    Y.mapRequired("collectives", S.Collectives);
    Y.mapRequired("visited", S.FactsVisited);
    Y.mapRequired("lowering", S.LoweringSeconds);
    Y.mapRequired("inference", S.InferenceSeconds);
    Y.mapRequired("report", S.ReportSeconds);
    Y.mapRequired("matching", S.CollectivesSeconds);
  }
};

template <> struct MappingTraits<TypedOn> {
  static void mapping(IO &Y, TypedOn &T) {
    mapText(Y, "axis", T.Axis);
    Y.mapRequired("typed", T.Typed);
    Y.mapRequired("of", T.Of);
  }
};

template <> struct MappingTraits<FunctionCoverage> {
  static void mapping(IO &Y, FunctionCoverage &F) {
    mapText(Y, "function", F.Function);
    Y.mapRequired("where", F.Where);
    Y.mapRequired("expressions", F.Expressions);
    Y.mapRequired("typed", F.Typed);
    Y.mapRequired("collectives", F.Collectives);
    Y.mapRequired("given", F.Given);
    Y.mapRequired("updates", F.Updates);
    Y.mapRequired("followed", F.Followed);
    Y.mapRequired("given-up", F.GivenUp);
  }
};

template <> struct MappingTraits<Uncovered> {
  static void mapping(IO &Y, Uncovered &U) {
    mapText(Y, "what", U.What);
    Y.mapRequired("where", U.Where);
    Y.mapRequired("expressions", U.Expressions);
    Y.mapRequired("collectives", U.Collectives);
  }
};

template <> struct MappingTraits<FileResult> {
  static void mapping(IO &Y, FileResult &R) {
    Y.mapRequired("diagnostics", R.Lint.Diagnostics);
    Y.mapRequired("allows", R.Lint.Allows);
    Y.mapRequired("stats", R.Lint.Stats);
    Y.mapRequired("covered", R.Lint.Covered.Functions);
    Y.mapRequired("missing", R.Lint.Covered.Missing);
    Y.mapRequired("total", R.TotalSeconds);
    Y.mapRequired("analysis", R.AnalysisSeconds);
    std::vector<UserFile> Files;
    for (auto &[Path, State] : R.UserFiles)
      Files.push_back({Path, State});
    Y.mapRequired("files", Files);
    for (UserFile &F : Files)
      R.UserFiles[F.Path] = std::move(F.State);
  }
};

} // namespace llvm::yaml

std::optional<std::string> spmd::lint::printResult(const FileResult &Result,
                                                   StringRef Root) {
  FileResult Copy = Result; // YAML traits read and write through one reference
  std::string Out;
  raw_string_ostream OS(Out);
  TextContext Context{Root};
  yaml::Output Y(OS, &Context, /*WrapColumn=*/0);
  Y << Copy;
  if (!Context.AllUTF8)
    return std::nullopt;
  return Out;
}

std::optional<FileResult> spmd::lint::parseResult(StringRef Text,
                                                  StringRef Root) {
  FileResult Result;
  TextContext Context{Root};
  yaml::Input Y(Text, &Context, [](const SMDiagnostic &, void *) {});
  Y >> Result;
  if (Y.error())
    return std::nullopt;
  Result.Analysed = true;
  return Result;
}
