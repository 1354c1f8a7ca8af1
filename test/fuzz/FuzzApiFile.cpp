//===- FuzzApiFile.cpp - Any bytes as a table of communication calls ------===//
//
// A file that is refused adds nothing; the calls of one that is taken are found
// by their names.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/ops/CollectiveApi.h"

using namespace spmd::rules;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const std::string Text(reinterpret_cast<const char *>(Data), Size);
  CollectiveApis Apis;
  if (llvm::Error E = Apis.addYAML({Text, "apis.yaml"})) {
    expect(!llvm::toString(std::move(E)).empty(), "an error says something");
    expect(Apis.all().empty(), "what is refused adds nothing");
    return 0;
  }
  listCalls(Apis, llvm::nulls());
  const CollectiveApis Copy(Apis);
  for (const CollectiveApi &Api : Apis.all())
    for (const CollectiveCall &Call : Api.Calls)
      expect(!Apis.find(Call.Name) == !Copy.find(Call.Name),
             "a copy finds the same");
  return 0;
}
