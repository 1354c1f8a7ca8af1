//===- Document.h - A text as the protocol counts in it ---------*- C++ -*-===//

#ifndef SPMD_EDITOR_LIB_DOCUMENT_H
#define SPMD_EDITOR_LIB_DOCUMENT_H

#include "spmd/lint/Diagnostic.h"

#include "llvm/Support/JSON.h"

namespace spmd::editor {

/// The unit of a position's character.
enum class Encoding : unsigned char { UTF16, UTF8, UTF32 };

/// The byte at a position; the end of the line, or of the text, where it is
/// past that.
std::size_t offsetOf(llvm::StringRef Text, const llvm::json::Object &Position,
                     Encoding In);

/// The positions of bytes in a text. Where its lines begin is found once: to
/// count them anew for each of the many places of a long text takes longer than
/// its parse.
class Positions {
public:
  /// \p Text stays the caller's.
  Positions(llvm::StringRef Text, Encoding In) : Text(Text), In(In) {}

  llvm::json::Object of(std::size_t Offset) const;
  llvm::json::Object range(std::size_t Offset, std::size_t Length) const;

private:
  llvm::StringRef Text;
  Encoding In;
  mutable std::vector<std::size_t> Lines; ///< where each begins; empty at first
};

/// Applies the `contentChanges` of a didChange.
void applyChanges(std::string &Text, const llvm::json::Array &Changes,
                  Encoding In);

/// `{"changes": …}` of edits to one file.
llvm::json::Object workspaceEdit(llvm::StringRef Uri, const Positions &In,
                                 const std::vector<lint::Edit> &Edits);

/// The path of a `file:` URI; empty for another.
std::string pathOf(llvm::StringRef Uri);
std::string uriOf(llvm::StringRef Path);

} // namespace spmd::editor

#endif // SPMD_EDITOR_LIB_DOCUMENT_H
