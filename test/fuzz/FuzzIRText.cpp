//===- FuzzIRText.cpp - Any bytes as a program ----------------------------===//
//
// What parses prints as text that parses to the same, and inference comes to an
// end on it.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

using namespace spmd::rules;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M) {
    llvm::consumeError(M.takeError());
    return 0;
  }
  const std::string Once = printModule(*M);
  llvm::Expected<Module> Again = parseModule(Once, OpCatalogue::builtin());
  if (!Again)
    std::fputs(llvm::toString(Again.takeError()).c_str(), stderr);
  expect(static_cast<bool>(Again), "what is printed parses");
  expect(printModule(*Again) == Once, "what is printed is what was read");
  InferenceOptions Options;
  inferModule(*M, Options);
  Options.Strict = true;
  inferModule(*M, Options);
  return 0;
}
