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
llvm::json::Object positionOf(llvm::StringRef Text, std::size_t Offset,
                              Encoding In);
llvm::json::Object rangeOf(llvm::StringRef Text, std::size_t Offset,
                           std::size_t Length, Encoding In);

/// Applies the `contentChanges` of a didChange.
void applyChanges(std::string &Text, const llvm::json::Array &Changes,
                  Encoding In);

/// `{"changes": …}` of edits to one file whose text is \p Text.
llvm::json::Object workspaceEdit(llvm::StringRef Uri, llvm::StringRef Text,
                                 const std::vector<lint::Edit> &Edits,
                                 Encoding In);

/// The path of a `file:` URI; empty for another.
std::string pathOf(llvm::StringRef Uri);
std::string uriOf(llvm::StringRef Path);

} // namespace spmd::editor

#endif // SPMD_EDITOR_LIB_DOCUMENT_H
