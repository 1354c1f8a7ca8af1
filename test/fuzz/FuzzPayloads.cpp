//===- FuzzPayloads.cpp - Any bytes as what attributes say ----------------===//
//
// What parses prints as text that parses to the same.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/ops/OpSpec.h"
#include "spmd/ops/ShapeRule.h"
#include "spmd/types/TypeSpec.h"

using namespace spmd::rules;

namespace {

template <typename Parse, typename Print>
void roundTrip(llvm::StringRef Text, Parse Read, Print Write) {
  auto First = Read(Text);
  if (!First)
    return llvm::consumeError(First.takeError());
  auto Again = Read(Write(*First));
  expect(static_cast<bool>(Again), "what is printed parses");
  expect(*First == *Again, "what is printed is what was read");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  roundTrip(Text, parseTypeAnnotation, printTypeAnnotation);
  roundTrip(Text, parseTypeSpec, printTypeSpec);
  roundTrip(Text, parseMesh, printMesh);
  roundTrip(Text, parseOpSpec, printOpSpec);
  roundTrip(Text, parseShapeRule, printShapeRule);
  roundTrip(
      Text, [](llvm::StringRef T) { return parseAxes(T); },
      [](const std::vector<std::string> &A) { return printAxes(A); });
  return 0;
}
