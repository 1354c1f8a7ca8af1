//===- FindingsFromBytes.h - Findings with any texts ------------*- C++ -*-===//

#ifndef SPMD_TEST_FUZZ_FINDINGSFROMBYTES_H
#define SPMD_TEST_FUZZ_FINDINGSFROMBYTES_H

#include "spmd/lint/Diagnostic.h"

/// Findings whose names, messages and paths are the lines of \p Bytes, ten
/// lines each.
inline std::vector<spmd::lint::Diagnostic>
findingsFromBytes(llvm::StringRef Bytes) {
  using namespace spmd::lint;
  const auto Next = [&] {
    const auto [Line, After] = Bytes.split('\n');
    Bytes = After;
    return Line.str();
  };
  std::vector<Diagnostic> Out;
  while (!Bytes.empty()) {
    Diagnostic &D = Out.emplace_back();
    const auto Number = static_cast<unsigned>(Bytes.size());
    D.Check = Next();
    D.Message = Next();
    D.Witness = Next();
    D.Where = {Next(), Number, Number / 2, Number, Number * 3};
    D.Level = static_cast<Severity>(Number % 4);
    D.Notes.push_back({{Next(), 0, 0, Number, 1}, Next()});
    Fix F;
    F.Description = Next();
    F.Cost = Next();
    F.Preferred = Number % 2;
    F.Edits.push_back({Next(), Number, 0, Next()});
    D.Fixes.push_back(std::move(F));
  }
  return Out;
}

#endif // SPMD_TEST_FUZZ_FINDINGSFROMBYTES_H
