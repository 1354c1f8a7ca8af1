//===- FuzzOpFile.cpp - Any bytes as a file of op rules -------------------===//
//
// A file that is refused adds nothing; one that is taken is explained.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/ops/OpExplain.h"

#include "llvm/Support/raw_ostream.h"

using namespace spmd::rules;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const std::string Text(reinterpret_cast<const char *>(Data), Size);
  OpCatalogue Ops;
  if (llvm::Error E = Ops.addYAML({Text, "ops.yaml"})) {
    expect(!llvm::toString(std::move(E)).empty(), "an error says something");
    expect(Ops.rules().empty(), "what is refused adds nothing");
    return 0;
  }
  listRules(Ops, llvm::nulls());
  for (const OpRule &R : Ops.rules()) {
    auto Page = explainOp(Ops, R.Name);
    if (!Page) // an op of a scope, found by its names
      llvm::consumeError(Page.takeError());
  }
  return 0;
}
