//===- replay.cpp - Runs a fuzz target on files ---------------------------===//
//
// For builds without libFuzzer: every file of the folders given, once.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data,
                                      std::size_t Size);

int main(int Argc, char **Argv) {
  std::size_t Files = 0;
  for (int I = 1; I < Argc; ++I)
    for (const auto &Entry : std::filesystem::directory_iterator(Argv[I])) {
      std::ifstream In(Entry.path(), std::ios::binary);
      const std::vector<char> Bytes((std::istreambuf_iterator<char>(In)), {});
      // A crash is seen with the last file's name.
      std::fprintf(stderr, "%s\n", Entry.path().c_str());
      LLVMFuzzerTestOneInput(
          reinterpret_cast<const std::uint8_t *>(Bytes.data()), Bytes.size());
      ++Files;
    }
  std::printf("%zu inputs\n", Files);
  return Files == 0;
}
