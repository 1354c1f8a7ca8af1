//===- ConfigFile.h - Reading `.spmd-tidy` ----------------------*- C++ -*-===//

#ifndef SPMD_LINT_CONFIGFILE_H
#define SPMD_LINT_CONFIGFILE_H

#include "spmd/lint/ConfigLayer.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace spmd::lint {

inline constexpr llvm::StringLiteral ConfigFileName = ".spmd-tidy";

/// Everything that is wrong with a configuration, one line per mistake in the
/// form `file:line:col: error: message`.
class ConfigError : public llvm::ErrorInfo<ConfigError> {
public:
  static char ID;
  explicit ConfigError(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
  std::string Text;
};

/// Parses one document. Relative paths in it are relative to \p Folder.
llvm::Expected<ConfigLayer> parseConfig(llvm::MemoryBufferRef Document,
                                        llvm::StringRef Folder);

/// Lays \p Near over \p Into: lists are extended, entries of maps and single
/// values replaced.
void mergeConfig(Config &Into, const Config &Near);

/// The merged configuration as YAML, each value with the place it comes from.
std::string printConfig(const Config &Cfg);

/// What the command line says about the configuration.
struct ConfigOverrides {
  std::string File;                ///< --config-file: instead of walking up
  std::string Inline;              ///< --config: the nearest document of all
  std::vector<std::string> Checks; ///< --checks, in order
  bool Strict = false;
  std::vector<std::string> ExtraArgs; ///< --extra-arg, in order
  std::string HeaderFilter;           ///< --header-filter; empty: as configured
  /// Of a front end that has configuration files of its own.
  std::map<std::string, std::string> CheckOptions;
};

/// Finds and merges the configuration of source files. Not thread-safe.
class ConfigLoader {
public:
  ConfigLoader(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS,
               ConfigOverrides Overrides);

  /// Walks up from the folder of the absolute path \p Source. The result is
  /// shared by all files of a folder, and so is an error.
  llvm::Expected<std::shared_ptr<const Config>> load(llvm::StringRef Source);
  /// What holds in the working directory.
  llvm::Expected<std::shared_ptr<const Config>> loadHere();

private:
  llvm::Expected<std::shared_ptr<const Config>> loadFolder(llvm::StringRef);
  llvm::Expected<ConfigLayer> readLayer(llvm::StringRef Path);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS;
  ConfigOverrides Overrides;
  struct Folder {
    std::shared_ptr<const Config> Value;
    std::string Error;
  };
  std::map<std::string, Folder> Folders;
};

} // namespace spmd::lint

#endif // SPMD_LINT_CONFIGFILE_H
