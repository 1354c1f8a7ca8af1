//===- FuzzJsonReport.cpp - Any bytes in a finding's texts ----------------===//
//
// Names, messages and paths may be any bytes; the report is JSON all the same.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/lint/Report.h"
#include "spmd/lint/SourceTexts.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace spmd::lint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  llvm::StringRef Rest(reinterpret_cast<const char *>(Data), Size);
  const auto Next = [&] {
    const auto [Part, After] = Rest.split('\n');
    Rest = After;
    return Part.str();
  };
  Report R;
  while (!Rest.empty()) {
    Diagnostic D;
    D.Check = Next();
    D.Message = Next();
    D.Witness = Next();
    D.Where.File = Next();
    D.Where.Line = static_cast<unsigned>(Rest.size());
    Note N;
    N.Message = Next();
    D.Notes.push_back(std::move(N));
    Fix F;
    F.Description = Next();
    F.Cost = Next();
    Edit E;
    E.File = Next();
    E.Text = Next();
    F.Edits.push_back(std::move(E));
    D.Fixes.push_back(std::move(F));
    R.Diagnostics.push_back(std::move(D));
  }
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  const std::map<std::string, std::string> NoFiles;
  const SourceTexts Texts(NoFiles);
  findReportFormat("json")->Write(OS, R, Texts, {});
  llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(Out);
  expect(static_cast<bool>(Parsed), "the report is JSON");
  const llvm::json::Array *Found =
      Parsed->getAsObject()->getArray("diagnostics");
  expect(Found && Found->size() == R.Diagnostics.size(),
         "every finding is in the report");
  return 0;
}
