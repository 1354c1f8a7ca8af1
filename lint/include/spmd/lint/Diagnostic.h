//===- Diagnostic.h - A finding as plain data -------------------*- C++ -*-===//
//
// No Clang types: a finding outlives the AST it came from, is sorted, cached,
// suppressed and rendered by code that knows nothing of Clang.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_DIAGNOSTIC_H
#define SPMD_LINT_DIAGNOSTIC_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace spmd::lint {

enum class Severity : unsigned char { Off, Note, Warning, Error };

llvm::StringRef severityName(Severity S); ///< "off", "note", …
std::optional<Severity> parseSeverity(llvm::StringRef Name);

/// \p File as it is named from \p Folder; itself where it lies elsewhere.
llvm::StringRef pathFrom(llvm::StringRef Folder, llvm::StringRef File);

/// A range of bytes in a file.
struct Place {
  std::string File;    ///< absolute path; empty when there is none
  unsigned Offset = 0; ///< bytes from the start of the file
  unsigned Length = 0;
  unsigned Line = 0; ///< 1-based; 0 when there is no place in the file
  unsigned Column = 0;

  friend auto operator<=>(const Place &, const Place &) = default;
};

struct Note {
  Place Where;
  std::string Message;

  friend auto operator<=>(const Note &, const Note &) = default;
};

/// Replaces \p Length bytes at \p Offset by \p Text.
struct Edit {
  std::string File;
  unsigned Offset = 0;
  unsigned Length = 0;
  std::string Text;

  friend auto operator<=>(const Edit &, const Edit &) = default;
};

struct Fix {
  std::string Description;
  bool Preferred = false; ///< at most one per diagnostic: what --fix applies
  bool Safe = false;      ///< keeps the meaning of the program's types
  std::string Cost;       ///< "all_reduce on tp: 2 MiB; backward: none"
  std::vector<Edit> Edits;

  friend auto operator<=>(const Fix &, const Fix &) = default;
};

struct Diagnostic {
  Place Where;
  std::string Check;
  Severity Level = Severity::Warning;
  std::string Message;
  std::vector<Note> Notes;
  std::vector<Fix> Fixes;
  bool Global = false; ///< in code that is checked globally on its axis
  std::string Witness; ///< the mistake in numbers; empty where none is known

  /// By place, then check: the order of every report.
  friend auto operator<=>(const Diagnostic &, const Diagnostic &) = default;
};

/// Sorts \p Diagnostics by place and drops repetitions: a finding in a header
/// is the same one in each file that includes it. Of findings that agree in
/// place, check and message the one with the most fixes is kept.
void sortAndDeduplicate(std::vector<Diagnostic> &Diagnostics);

} // namespace spmd::lint

#endif // SPMD_LINT_DIAGNOSTIC_H
