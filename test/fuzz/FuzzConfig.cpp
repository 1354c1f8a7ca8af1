//===- FuzzConfig.cpp - Any bytes as .spmd-tidy ---------------------------===//
//
// A configuration is refused with a message, or is loaded; what --show-config
// prints of it says the same.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"

#include "spmd/lint/ConfigFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace spmd::lint;

namespace {

template <typename T>
void expectSame(const std::vector<Configured<T>> &A,
                const std::vector<Configured<T>> &B) {
  expect(A.size() == B.size(), "as many values are read back");
  for (std::size_t I = 0; I != A.size(); ++I)
    expect(A[I].Value == B[I].Value, "a value is read back as it was");
}

void expectSame(const Config &A, const Config &B) {
  expect(A.Severities.size() == B.Severities.size(), "as many severities");
  for (const auto &[Check, Level] : A.Severities) {
    const auto Read = B.Severities.find(Check);
    expect(Read != B.Severities.end() && Read->second.Value == Level.Value,
           "a severity is read back as it was");
  }
  expect(A.Axes.size() == B.Axes.size(), "as many bindings are read back");
  for (std::size_t I = 0; I != A.Axes.size(); ++I)
    expect(A.Axes[I].Value.Expression == B.Axes[I].Value.Expression &&
               A.Axes[I].Value.Axes == B.Axes[I].Value.Axes,
           "a binding is read back as it was");
  expectSame(A.Checks, B.Checks);
  expectSame(A.Contracts, B.Contracts);
  expectSame(A.ExtraArgs, B.ExtraArgs);
  expect(A.mesh() == B.mesh(), "the mesh is read back as it was");
  expect(A.Strict.Value == B.Strict.Value, "Strict is read back");
  expect(A.HeaderFilter.Value == B.HeaderFilter.Value, "the filter is read");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Files->addFile("/project/.spmd-tidy", 0,
                 llvm::MemoryBuffer::getMemBufferCopy(Text));
  ConfigLoader Loader(Files, {});
  auto Loaded = Loader.load("/project/a.cpp");
  if (!Loaded) {
    expect(!llvm::toString(Loaded.takeError()).empty(),
           "an error says something");
    return 0;
  }
  const std::string Shown = printConfig(**Loaded);
  if (!llvm::json::isUTF8(Text))
    return 0;
  auto Again = parseConfig({Shown, "/project/.spmd-tidy"}, "/project");
  if (!Again)
    std::fputs(llvm::toString(Again.takeError()).c_str(), stderr);
  expect(static_cast<bool>(Again), "what --show-config prints is read");
  expectSame(**Loaded, Again->Values);
  return 0;
}
