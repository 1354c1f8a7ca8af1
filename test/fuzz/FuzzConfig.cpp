//===- FuzzConfig.cpp - Any bytes as .spmd-tidy ---------------------------===//

#include "Expect.h"

#include "spmd/lint/ConfigFile.h"

using namespace spmd::lint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const std::string Text(reinterpret_cast<const char *>(Data), Size);
  auto Layer = parseConfig({Text, "/project/.spmd-tidy"}, "/project");
  if (!Layer)
    expect(!llvm::toString(Layer.takeError()).empty(),
           "an error says something");
  return 0;
}
