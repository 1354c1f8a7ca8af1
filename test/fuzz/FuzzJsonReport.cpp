//===- FuzzJsonReport.cpp - Any bytes in a finding's texts ----------------===//
//
// Names, messages and paths may be any bytes; the reports, also the one in
// SARIF, are JSON all the same, in UTF-8, and say what the findings say.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"
#include "FindingsFromBytes.h"

#include "spmd/lint/Report.h"
#include "spmd/lint/SourceTexts.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace spmd::lint;
namespace json = llvm::json;

namespace {

void expectText(const json::Object *In, llvm::StringRef Key,
                llvm::StringRef Text) {
  const auto Found = In ? In->getString(Key) : std::nullopt;
  expect(Found && *Found == json::fixUTF8(Text),
         "a text is read back as it was");
}

const json::Object *first(const json::Object *In, llvm::StringRef Key) {
  const json::Array *List = In ? In->getArray(Key) : nullptr;
  return List && !List->empty() ? List->front().getAsObject() : nullptr;
}

void expectSame(const json::Object *Found, const Diagnostic &D) {
  expectText(Found, "check", D.Check);
  expectText(Found, "message", D.Message);
  expectText(Found, "file", D.Where.File);
  expect(Found->getInteger("line") == D.Where.Line, "a line is read back");
  const json::Object *N = first(Found, "notes");
  expectText(N, "file", D.Notes.front().Where.File);
  expectText(N, "message", D.Notes.front().Message);
  const Fix &F = D.Fixes.front();
  const json::Object *Repair = first(Found, "fixes");
  expectText(Repair, "description", F.Description);
  const json::Object *E = first(Repair, "edits");
  expectText(E, "file", F.Edits.front().File);
  expectText(E, "text", F.Edits.front().Text);
}

/// The report in \p Format, which is UTF-8 and JSON.
json::Value written(const Report &R, llvm::StringRef Format) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  const std::map<std::string, std::string> NoFiles;
  const SourceTexts Texts(NoFiles);
  findReportFormat(Format)->Write(OS, R, Texts, {});
  expect(json::isUTF8(Out), "the report is UTF-8");
  llvm::Expected<json::Value> Parsed = json::parse(Out);
  expect(static_cast<bool>(Parsed), "the report is JSON");
  return std::move(*Parsed);
}

void expectSarif(const json::Object *Found, const Diagnostic &D) {
  expectText(Found, "ruleId", D.Check);
  const json::Object *Changed = first(first(Found, "fixes"), "artifactChanges");
  const json::Object *Replaced = first(Changed, "replacements");
  expect(Replaced, "an edit is in the report");
  expectText(Replaced->getObject("insertedContent"), "text",
             D.Fixes.front().Edits.front().Text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  Report R;
  R.Diagnostics =
      findingsFromBytes({reinterpret_cast<const char *>(Data), Size});
  const json::Value Json = written(R, "json"), Sarif = written(R, "sarif");
  const json::Object *Root = Json.getAsObject();
  const json::Array *Found = Root ? Root->getArray("diagnostics") : nullptr;
  const json::Object *Run = first(Sarif.getAsObject(), "runs");
  const json::Array *Results = Run ? Run->getArray("results") : nullptr;
  for (const json::Array *List : {Found, Results})
    expect(List && List->size() == R.Diagnostics.size(),
           "every finding is in the report");
  for (std::size_t I = 0; I != Found->size(); ++I) {
    expectSame((*Found)[I].getAsObject(), R.Diagnostics[I]);
    expectSarif((*Results)[I].getAsObject(), R.Diagnostics[I]);
  }
  return 0;
}
