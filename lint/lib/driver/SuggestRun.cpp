//===- SuggestRun.cpp - --suggest-sharding --------------------------------===//

#include "SuggestRun.h"

#include "Output.h"

#include "spmd/lint/Fixes.h"
#include "spmd/lint/SourceTexts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace spmd;
using namespace spmd::lint;

Expected<SuggestRequest> spmd::lint::suggestRequest(const Options &O) {
  SuggestRequest Out = *O.Suggest;
  Out.Sizes = O.Sizes;
  Out.Batch = O.Batch;
  if (O.Mesh.empty())
    return Out;
  Expected<rules::MeshSpec> Mesh = rules::parseMesh(O.Mesh);
  if (Mesh) {
    Out.Mesh = std::move(*Mesh);
    return Out;
  }
  std::string Text;
  handleAllErrors(Mesh.takeError(), [&](const rules::PayloadError &P) {
    Text = "the mesh '" + O.Mesh + "': column " + std::to_string(P.Offset + 1) +
           ": " + P.Message;
  });
  return createStringError(Text);
}

namespace {

void complainAt(const Place &Where, const Twine &Message) {
  errs() << Where.File << ':' << Where.Line << ':' << Where.Column
         << ": error: " << Message << '\n';
}

/// Replaces the annotations that two functions share once, if both want the
/// same.
class EditsByFile {
public:
  /// False when \p A wants something else than what another one wants.
  bool add(const ShardingAdvice &A) {
    for (const Edit &E : A.Edits) {
      if (E.Length == 0) {
        All[E.File].push_back(E);
        continue;
      }
      const auto [It, New] =
          Literals.try_emplace({E.File, E.Offset}, E.Text, A.Function);
      if (!New && It->second.first != E.Text) {
        complainAt(A.Where,
                   "'" + A.Function + "' and '" + It->second.second +
                       "' are better off with different types for what one "
                       "annotation describes, " +
                       E.Text + " and " + It->second.first +
                       ": annotate it apart, or name one function as in "
                       "--suggest-sharding=" +
                       A.Function);
        return false;
      }
      if (New)
        All[E.File].push_back(E);
    }
    return true;
  }

  std::map<std::string, std::vector<Edit>> All;

private:
  std::map<std::pair<std::string, unsigned>,
           std::pair<std::string, std::string>>
      Literals;
};

bool isUserFile(ArrayRef<FileResult> Results, const std::string &File) {
  return llvm::any_of(
      Results, [&](const FileResult &R) { return R.UserFiles.contains(File); });
}

/// The files that \p Advice changes, as they are then; nothing where two
/// functions want different things.
std::optional<FileOverlay> rewritten(ArrayRef<FileResult> Results,
                                     ArrayRef<ShardingAdvice> Advice,
                                     const FileOverlay &Overlay) {
  EditsByFile Edits;
  for (const ShardingAdvice &A : Advice)
    if (!Edits.add(A))
      return std::nullopt;
  const SourceTexts Texts(Overlay);
  FileOverlay Out;
  for (const auto &[File, Mine] : Edits.All)
    if (isUserFile(Results, File))
      Out[File] = applyEdits(Texts.text(File), normalisedEdits(Mine));
  return Out;
}

/// What is found in \p Changed and was not \p Before, if that is more. Has what
/// makes it right inserted, if that does.
std::optional<Diagnostic> newFinding(FileOverlay &Changed,
                                     const FileOverlay &Overlay,
                                     LintOverlay Lint,
                                     ArrayRef<Diagnostic> Before) {
  std::vector<Diagnostic> Found;
  for (const bool Completes : {false, true}) {
    FileOverlay All = Overlay;
    for (const auto &[File, Text] : Changed)
      All[File] = Text;
    Found = Lint(All, Completes);
    if (Found.size() > Before.size())
      continue;
    for (auto &[File, Text] : Changed)
      Text = All[File];
    return std::nullopt;
  }
  const auto IsNew = [&](const Diagnostic &D) {
    return llvm::none_of(
        Before, [&](const Diagnostic &B) { return B.Message == D.Message; });
  };
  const auto First = llvm::find_if(Found, IsNew);
  return First == Found.end() ? Found.back() : *First;
}

/// What \p Advice makes of the files, without that after which there is more to
/// find; says what that would be.
FileOverlay accepted(ArrayRef<FileResult> Results,
                     ArrayRef<ShardingAdvice> Advice,
                     const FileOverlay &Overlay, LintOverlay Lint,
                     ArrayRef<Diagnostic> Before) {
  FileOverlay Out;
  std::vector<ShardingAdvice> Kept;
  for (const ShardingAdvice &A : Advice) {
    Kept.push_back(A);
    std::optional<FileOverlay> Changed = rewritten(Results, Kept, Overlay);
    const auto Found =
        Changed ? newFinding(*Changed, Overlay, Lint, Before) : std::nullopt;
    if (Changed && !Found) {
      Out = std::move(*Changed);
      continue;
    }
    if (Found)
      complainAt(A.Where,
                 "'" + A.Function +
                     "' is not changed: then there would be to find: " +
                     Found->Message);
    Kept.pop_back();
  }
  return Out;
}

SuggestOutcome writeEdits(const Options &O, ArrayRef<FileResult> Results,
                          ArrayRef<ShardingAdvice> Advice,
                          const FileOverlay &Overlay, LintOverlay Lint) {
  std::optional<FileOverlay> After = rewritten(Results, Advice, Overlay);
  if (!After)
    return SuggestOutcome::None;
  SuggestOutcome Out = SuggestOutcome::Made;
  FileOverlay Old = Overlay;
  const std::vector<Diagnostic> Found = Lint(Old, /*Completes=*/false);
  if (newFinding(*After, Overlay, Lint, Found)) {
    After = accepted(Results, Advice, Overlay, Lint, Found);
    Out = SuggestOutcome::NotWritten;
  }
  const SourceTexts Texts(Overlay);
  FileOverlay Before;
  for (const auto &[File, New] : *After)
    if (O.FixDryRun) {
      Before[File] = Texts.text(File).str();
    } else if (Error E = replaceFile(File, New)) {
      errs() << "spmd-tidy: error: " << toString(std::move(E)) << '\n';
      Out = SuggestOutcome::NotWritten;
    }
  printDiff(O, Before, O.FixDryRun ? *After : FileOverlay());
  return Out;
}

bool writeReport(raw_ostream &OS, bool AsJSON,
                 ArrayRef<ShardingAdvice> Advice) {
  if (!AsJSON) {
    bool First = true;
    for (const ShardingAdvice &A : Advice)
      if (A.Error.empty())
        OS << (std::exchange(First, false) ? "" : "\n") << A.Text;
    return true;
  }
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("version", 1);
    J.attributeArray("suggestions", [&] {
      for (const ShardingAdvice &A : Advice)
        if (A.Error.empty())
          J.value(cantFail(json::parse(A.JSON)));
    });
  });
  OS << '\n';
  return true;
}

} // namespace

SuggestOutcome spmd::lint::reportSuggestions(const Options &O,
                                             ArrayRef<FileResult> Results,
                                             const FileOverlay &Overlay,
                                             LintOverlay Lint) {
  std::vector<ShardingAdvice> Advice;
  const auto IsSame = [](const ShardingAdvice &A, const ShardingAdvice &B) {
    return A.Where == B.Where && A.Function == B.Function;
  };
  // A function of a header is one in all files.
  for (const FileResult &R : Results)
    for (const ShardingAdvice &A : R.Lint.Advice)
      if (llvm::none_of(Advice,
                        [&](const ShardingAdvice &B) { return IsSame(A, B); }))
        Advice.push_back(A);
  SuggestOutcome Out = SuggestOutcome::Made;
  for (const ShardingAdvice &A : Advice)
    if (!A.Error.empty()) {
      complainAt(A.Where, A.Error);
      Out = SuggestOutcome::None;
    }
  if (Advice.empty()) {
    errs() << "spmd-tidy: error: "
           << (O.Suggest->Function.empty()
                   ? "no function here is [[spmd::global]]"
                   : "no function here is called '" + O.Suggest->Function + "'")
           << ": there is nothing to suggest\n";
    return SuggestOutcome::None;
  }
  bool TextWritten = false;
  for (const FormatRequest &F : O.Formats) {
    TextWritten |= F.Name == "text";
    if (F.File.empty()) {
      writeReport(outs(), F.Name == "json", Advice);
      TextWritten = true;
      continue;
    }
    std::error_code EC;
    raw_fd_ostream OS(F.File, EC);
    if (!EC)
      writeReport(OS, F.Name == "json", Advice);
    if (EC) {
      errs() << "spmd-tidy: error: cannot write " << F.File << ": "
             << EC.message() << '\n';
      return SuggestOutcome::NotWritten;
    }
  }
  if (!TextWritten && !O.FixDryRun)
    writeReport(outs(), false, Advice);
  if (O.fixMode() == FixMode::None || Out != SuggestOutcome::Made)
    return Out;
  return writeEdits(O, Results, Advice, Overlay, Lint);
}
