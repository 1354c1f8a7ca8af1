//===- ConfigReader.h - YAML nodes with places ------------------*- C++ -*-===//
//
// What the parsers of the single keys share: scalars, lists and maps, each
// mistake recorded at its own line and column.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LIB_CONFIG_CONFIGREADER_H
#define SPMD_LINT_LIB_CONFIG_CONFIGREADER_H

#include "spmd/lint/ConfigLayer.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

namespace spmd::lint {

class ConfigReader;

/// One key of the file.
struct ConfigKey {
  llvm::StringRef Name;
  void (*Parse)(ConfigReader &, llvm::yaml::Node &Value);
};

class ConfigReader {
public:
  ConfigReader(llvm::MemoryBufferRef Document, llvm::StringRef Folder,
               ConfigLayer &Into);

  /// Reads the whole document, which may have \p Keys, sorted by name; empty on
  /// success.
  std::string read(llvm::ArrayRef<ConfigKey> Keys);

  ConfigLayer &Into;

  void error(const llvm::yaml::Node &At, const llvm::Twine &Message);
  /// At \p Offset bytes into the scalar.
  void error(const llvm::yaml::Node &At, std::size_t Offset,
             const llvm::Twine &Message);
  Origin originOf(const llvm::yaml::Node &At) const;

  /// A scalar's text; an error and nothing when it is something else.
  std::optional<std::string> scalar(llvm::yaml::Node &N, llvm::StringRef What);
  std::optional<bool> boolean(llvm::yaml::Node &N, llvm::StringRef What);
  /// A scalar, or a list of them.
  void scalars(
      llvm::yaml::Node &N, llvm::StringRef What,
      llvm::function_ref<void(const std::string &, llvm::yaml::Node &)> Each);
  /// A map; duplicate keys are errors.
  void entries(llvm::yaml::Node &N, llvm::StringRef What,
               llvm::function_ref<void(const std::string &, llvm::yaml::Node &,
                                       llvm::yaml::Node &)>
                   Each);

  /// The text of a nested document with its lines and columns kept, so that
  /// another parser's messages name the right place.
  void nestedDocument(llvm::yaml::Node &N,
                      std::vector<Configured<std::string>> &Into);

  std::string absolute(llvm::StringRef Path) const;

private:
  void add(llvm::SMLoc Where, const llvm::Twine &Message);
  const char *startOf(const llvm::yaml::Node &N) const;
  void finishNested(const char *End);

  llvm::MemoryBufferRef Document;
  llvm::StringRef Folder;
  llvm::SourceMgr Sources;
  std::string Errors;
  const char *LastKey;
  /// The nested document whose end is not known until the next key is seen.
  const char *NestedStart = nullptr;
  std::vector<Configured<std::string>> *NestedInto = nullptr;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_CONFIG_CONFIGREADER_H
