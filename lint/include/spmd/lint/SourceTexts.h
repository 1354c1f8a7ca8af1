//===- SourceTexts.h - The text of source files -----------------*- C++ -*-===//

#ifndef SPMD_LINT_SOURCETEXTS_H
#define SPMD_LINT_SOURCETEXTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <string>

namespace spmd::lint {

/// Reads files on demand and keeps them; contents given by hand come first.
/// Not thread-safe.
class SourceTexts {
public:
  explicit SourceTexts(const std::map<std::string, std::string> &Overlay)
      : Overlay(Overlay) {}

  /// Empty when the file cannot be read.
  llvm::StringRef text(llvm::StringRef File) const;
  /// The line without its line ending; empty when there is none.
  llvm::StringRef line(llvm::StringRef File, unsigned Line) const;

private:
  const std::map<std::string, std::string> &Overlay;
  mutable std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>> Files;
};

} // namespace spmd::lint

#endif // SPMD_LINT_SOURCETEXTS_H
