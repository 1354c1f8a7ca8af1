//===- FuzzJsonReport.cpp - Any bytes in a finding's texts ----------------===//
//
// Names, messages and paths may be any bytes; the report is JSON all the same,
// in UTF-8, and says what the findings say.
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  Report R;
  R.Diagnostics =
      findingsFromBytes({reinterpret_cast<const char *>(Data), Size});
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  const std::map<std::string, std::string> NoFiles;
  const SourceTexts Texts(NoFiles);
  findReportFormat("json")->Write(OS, R, Texts, {});
  expect(json::isUTF8(Out), "the report is UTF-8");
  llvm::Expected<json::Value> Parsed = json::parse(Out);
  expect(static_cast<bool>(Parsed), "the report is JSON");
  const json::Object *Root = Parsed->getAsObject();
  const json::Array *Found = Root ? Root->getArray("diagnostics") : nullptr;
  expect(Found && Found->size() == R.Diagnostics.size(),
         "every finding is in the report");
  for (std::size_t I = 0; I != Found->size(); ++I)
    expectSame((*Found)[I].getAsObject(), R.Diagnostics[I]);
  return 0;
}
