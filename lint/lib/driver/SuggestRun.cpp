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

SuggestOutcome writeEdits(const Options &O, ArrayRef<FileResult> Results,
                          ArrayRef<ShardingAdvice> Advice,
                          const FileOverlay &Overlay) {
  EditsByFile Edits;
  for (const ShardingAdvice &A : Advice)
    if (!Edits.add(A))
      return SuggestOutcome::None;
  SourceTexts Texts(Overlay);
  SuggestOutcome Out = SuggestOutcome::Made;
  FileOverlay Before, After;
  for (const auto &[File, Mine] : Edits.All) {
    if (!isUserFile(Results, File))
      continue;
    const StringRef Old = Texts.text(File);
    const std::string New = applyEdits(Old, normalisedEdits(Mine));
    if (O.FixDryRun) {
      Before[File] = Old.str();
      After[File] = New;
    } else if (Error E = replaceFile(File, New)) {
      errs() << "spmd-tidy: error: " << toString(std::move(E)) << '\n';
      Out = SuggestOutcome::NotWritten;
    }
  }
  printDiff(O, Before, After);
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
                                             const FileOverlay &Overlay) {
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
  return writeEdits(O, Results, Advice, Overlay);
}
