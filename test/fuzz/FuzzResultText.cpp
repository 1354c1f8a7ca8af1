//===- FuzzResultText.cpp - Any bytes in the cache of results -------------===//
//
// What is stored is read back as it was, whatever a finding's texts are; what
// is read, whoever wrote it, is none or is stored and read as the same.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"
#include "FindingsFromBytes.h"
#include "driver/ResultText.h"

#include "llvm/Support/JSON.h"

using namespace spmd::lint;

namespace {

void expectKept(const FileResult &Result, bool IsUTF8) {
  const std::optional<std::string> Text = printResult(Result);
  expect(Text || !IsUTF8, "what is UTF-8 is stored");
  if (!Text)
    return;
  const std::optional<FileResult> Again = parseResult(*Text);
  expect(Again.has_value(), "what is stored is read");
  expect(Again->Lint.Diagnostics == Result.Lint.Diagnostics,
         "findings are read as they were stored");
  expect(Again->Lint.Allows == Result.Lint.Allows,
         "suppressions are read as they were stored");
  expect(Again->UserFiles.size() == Result.UserFiles.size(),
         "files are read as they were stored");
  expect(printResult(*Again) == Text, "what is stored again is the same");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  const bool IsUTF8 = llvm::json::isUTF8(Text);
  if (const std::optional<FileResult> Read = parseResult(Text))
    expectKept(*Read, IsUTF8);

  FileResult Made;
  Made.Lint.Diagnostics = findingsFromBytes(Text);
  for (const Diagnostic &D : Made.Lint.Diagnostics) {
    const Suppression S = {D.Where, D.Check, 1, 2, {D.Message}, true, {}};
    Made.Lint.Allows.push_back(S);
    UserFileState &State = Made.UserFiles[D.Where.File];
    State.Hash = Size;
    State.Suppressed.Suppressions.push_back(S);
    State.Suppressed.Errors.push_back({D.Where, D.Witness});
  }
  expectKept(Made, IsUTF8);
  return 0;
}
