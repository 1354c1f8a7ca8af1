//===- FuzzIRText.cpp - Any bytes as a program ----------------------------===//
//
// What parses keeps to the IR and prints as text that parses to the same;
// linking keeps it so, and inference comes to an end on both.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Link.h"
#include "spmd/ir/Verifier.h"

using namespace spmd::rules;

static void expectVerified(const Module &M, const char *What) {
  llvm::Error E = verifyModule(M);
  const std::string Why = llvm::toString(std::move(E));
  std::fputs(Why.c_str(), stderr);
  expect(Why.empty(), What);
}

static void infer(const Module &M) {
  InferenceOptions Options;
  inferModule(M, Options);
  Options.Strict = true;
  inferModule(M, Options);
}

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
  expectVerified(*M, "what parses verifies");
  infer(*M);
  const LinkUnit Unit{&*M, nullptr, {}};
  const Program Linked = linkModules({Unit});
  expectVerified(Linked.M, "what is linked verifies");
  infer(Linked.M);
  return 0;
}
