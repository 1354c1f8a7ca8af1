//===- FuzzIRText.cpp - Any bytes as a program ----------------------------===//
//
// What parses prints as text that parses to the same, and inference comes to an
// end on it.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/rules/IRText.h"
#include "spmd/rules/Inference.h"

#include "llvm/Support/raw_ostream.h"

using namespace spmd::rules;

namespace {

std::string printed(const Module &M) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  printModule(M, OS);
  return Out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M) {
    llvm::consumeError(M.takeError());
    return 0;
  }
  const std::string Once = printed(*M);
  llvm::Expected<Module> Again = parseModule(Once, OpCatalogue::builtin());
  if (!Again)
    std::fputs(llvm::toString(Again.takeError()).c_str(), stderr);
  expect(static_cast<bool>(Again), "what is printed parses");
  expect(printed(*Again) == Once, "what is printed is what was read");
  InferenceOptions Options;
  inferModule(*M, Options);
  Options.Strict = true;
  inferModule(*M, Options);
  return 0;
}
