//===- EntryReader.h - Lists of entries from YAML ---------------*- C++ -*-===//
//
// What readers of tables have in common: entries with known keys, each once,
// whose values are text; and errors that name the place.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_LIB_ENTRYREADER_H
#define SPMD_OPS_LIB_ENTRYREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <optional>
#include <string>
#include <vector>

namespace spmd::rules {

class EntryReader {
protected:
  /// A piece of the document, in place: its address is its location.
  using Text = llvm::StringRef;

  explicit EntryReader(llvm::MemoryBufferRef Buffer) : Buffer(Buffer) {}

  /// Calls \p Each with what the document is, if there is something. The error
  /// holds all that were told, a line each.
  llvm::Error readRoot(llvm::function_ref<void(llvm::yaml::Node &)> Each);

  /// The maps of a list. \p List and \p Item say what was expected in place of
  /// something else.
  void items(llvm::yaml::Node &Node, const llvm::Twine &List,
             const llvm::Twine &Item,
             llvm::function_ref<void(llvm::yaml::MappingNode &)> Each);
  /// The values of a map that has some of \p Keys.
  void entries(llvm::yaml::MappingNode &Map,
               llvm::ArrayRef<llvm::StringLiteral> Keys,
               llvm::function_ref<void(Text Key, llvm::yaml::Node &)> Each);
  /// The pairs of a map, as text.
  void pairs(llvm::yaml::MappingNode &Map, Text Key,
             llvm::function_ref<void(Text, Text)> Each);
  std::optional<Text> scalar(llvm::yaml::Node &Value, Text Key);
  /// Of one or several.
  std::vector<Text> list(llvm::yaml::Node &Value, Text Key);

  void error(llvm::SMLoc At, const llvm::Twine &Message);
  void error(Text At, const llvm::Twine &Message) {
    error(llvm::SMLoc::getFromPointer(At.data()), Message);
  }
  void error(llvm::yaml::Node &At, const llvm::Twine &Message) {
    error(At.getSourceRange().Start, Message);
  }
  std::size_t numErrors() const { return Errors.size(); }
  unsigned lineOf(llvm::SMLoc At) const {
    return SM.getLineAndColumn(At).first;
  }

  llvm::MemoryBufferRef Buffer;

private:
  llvm::SourceMgr SM;
  std::vector<std::string> Errors;
};

} // namespace spmd::rules

#endif // SPMD_OPS_LIB_ENTRYREADER_H
