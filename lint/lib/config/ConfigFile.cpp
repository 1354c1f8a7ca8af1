//===- ConfigFile.cpp - Reading `.spmd-tidy` ------------------------------===//

#include "spmd/lint/ConfigFile.h"

#include "ConfigKeys.h"
#include "ConfigReader.h"

#include "spmd/lint/OptionValues.h"
#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::lint;

char ConfigError::ID;

void ConfigError::log(raw_ostream &OS) const { OS << Text; }

std::error_code ConfigError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

Expected<ConfigLayer> spmd::lint::parseConfig(MemoryBufferRef Document,
                                              StringRef Folder) {
  ConfigLayer Layer;
  ConfigReader Reader(Document, Folder, Layer);
  std::string Errors = Reader.read(configKeyTable());
  if (!Errors.empty())
    return make_error<ConfigError>(std::move(Errors));
  return Layer;
}

template <typename T>
static void append(std::vector<T> &Into, const std::vector<T> &Near) {
  Into.insert(Into.end(), Near.begin(), Near.end());
}

template <typename T>
static void replace(Configured<T> &Into, const Configured<T> &Near) {
  if (Near.From.Source != "default")
    Into = Near;
}

void spmd::lint::mergeConfig(Config &Into, const Config &Near) {
  append(Into.Checks, Near.Checks);
  // What a farther file says of an expression, this one says otherwise.
  for (const Configured<AxisBinding> &Axis : Near.Axes)
    llvm::erase_if(Into.Axes, [&](const Configured<AxisBinding> &Far) {
      return Far.Value.Expression == Axis.Value.Expression;
    });
  append(Into.Axes, Near.Axes);
  append(Into.OpDocuments, Near.OpDocuments);
  append(Into.ApiDocuments, Near.ApiDocuments);
  append(Into.Types, Near.Types);
  append(Into.Contracts, Near.Contracts);
  append(Into.ExtraArgs, Near.ExtraArgs);
  for (const auto &[Check, S] : Near.Severities)
    Into.Severities[Check] = S;
  for (const auto &[Name, Value] : Near.CheckOptions)
    Into.CheckOptions[Name] = Value;
  for (const auto &[Name, Axis] : Near.Mesh)
    Into.Mesh[Name] = Axis;
  for (const auto &[Name, Value] : Near.Device)
    Into.Device[Name] = Value;
  for (const auto &[Name, Size] : Near.Sizes)
    Into.Sizes[Name] = Size;
  replace(Into.Strict, Near.Strict);
  replace(Into.HeaderFilter, Near.HeaderFilter);
}

/// The built-in table, or a copy that has the user's entries as well.
template <typename Table>
static Expected<std::shared_ptr<const Table>>
tableWith(ArrayRef<Configured<std::string>> Documents) {
  if (Documents.empty())
    return std::shared_ptr<const Table>(&Table::builtin(),
                                        [](const Table *) {});
  auto Extended = std::make_shared<Table>(Table::builtin());
  std::string Errors;
  for (const Configured<std::string> &Doc : Documents)
    if (Error E =
            Extended->addYAML(MemoryBufferRef(Doc.Value, Doc.From.Source)))
      Errors += toString(std::move(E)) + "\n";
  if (!Errors.empty())
    return make_error<ConfigError>(std::move(Errors));
  return Extended;
}

/// What a flattened axis is of may stand in a farther file.
static Error checkMesh(const Config &Cfg) {
  const spmd::rules::MeshSpec Mesh = Cfg.mesh();
  return handleErrors(spmd::rules::checkFlattened(Mesh),
                      [&](const spmd::rules::PayloadError &E) {
                        const Origin &From =
                            Cfg.Mesh.at(Mesh.Axes[E.Offset].Name).From;
                        return make_error<ConfigError>(
                            From.str() + ": error: Mesh: " + E.Message + "\n");
                      });
}

ConfigLoader::ConfigLoader(IntrusiveRefCntPtr<vfs::FileSystem> FS,
                           ConfigOverrides Overrides)
    : FS(std::move(FS)), Overrides(std::move(Overrides)) {}

Expected<ConfigLayer> ConfigLoader::readLayer(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = FS->getBufferForFile(Path);
  if (!Buffer)
    return make_error<ConfigError>(
        (Path + ": error: " + Buffer.getError().message() + "\n").str());
  return parseConfig((*Buffer)->getMemBufferRef(),
                     sys::path::parent_path(Path));
}

Expected<std::shared_ptr<const Config>>
ConfigLoader::loadFolder(StringRef Start) {
  // Nearest first.
  std::vector<ConfigLayer> Layers;
  std::string Errors, ProjectRoot;
  auto Add = [&](Expected<ConfigLayer> Layer) {
    if (Layer) {
      Layers.push_back(std::move(*Layer));
      return Layers.back().Root;
    }
    handleAllErrors(Layer.takeError(),
                    [&](const ConfigError &E) { Errors += E.Text; });
    return false;
  };

  ConfigLayer CommandLine;
  for (const std::string &Glob : Overrides.Checks)
    CommandLine.Values.Checks.push_back({Glob, {"--checks", 0}});
  if (Overrides.Strict)
    CommandLine.Values.Strict = {true, {"--strict", 0}};
  for (const std::string &Arg : Overrides.ExtraArgs)
    CommandLine.Values.ExtraArgs.push_back({Arg, {"--extra-arg", 0}});
  if (!Overrides.HeaderFilter.empty())
    CommandLine.Values.HeaderFilter = {Overrides.HeaderFilter,
                                       {"--header-filter", 0}};
  for (const auto &[Name, Value] : Overrides.CheckOptions) {
    const CheckOption *Option = findCheckOption(Name);
    const std::string Wrong = Option ? wrongOptionValue(Name, *Option, Value)
                                     : unknownCheckOption(Name);
    if (!Wrong.empty())
      Errors += "CheckOptions: " + Wrong + "\n";
    CommandLine.Values.CheckOptions[Name] = {Value, {"CheckOptions", 0}};
  }
  Layers.push_back(std::move(CommandLine));

  bool Root = false;
  if (!Overrides.Inline.empty())
    Root =
        Add(parseConfig(MemoryBufferRef(Overrides.Inline, "--config"), Start));
  if (!Overrides.File.empty()) {
    Add(readLayer(Overrides.File));
  } else {
    for (StringRef At = Start; !At.empty() && !Root;
         At = sys::path::parent_path(At)) {
      SmallString<128> Path(At);
      sys::path::append(Path, ConfigFileName);
      if (!FS->exists(Path))
        continue;
      ProjectRoot = At.str();
      Root = Add(readLayer(Path));
    }
  }
  if (!Errors.empty())
    return make_error<ConfigError>(std::move(Errors));

  auto Merged = std::make_shared<Config>();
  for (const ConfigLayer &Layer : llvm::reverse(Layers))
    mergeConfig(*Merged, Layer.Values);
  Merged->ProjectRoot = std::move(ProjectRoot);
  if (Error E = checkMesh(*Merged))
    return std::move(E);
  auto Ops = tableWith<spmd::rules::OpCatalogue>(Merged->OpDocuments);
  if (!Ops)
    return Ops.takeError();
  Merged->Ops = std::move(*Ops);
  auto Apis = tableWith<spmd::rules::CollectiveApis>(Merged->ApiDocuments);
  if (!Apis)
    return Apis.takeError();
  Merged->Apis = std::move(*Apis);
  return Merged;
}

Expected<std::shared_ptr<const Config>> ConfigLoader::loadHere() {
  SmallString<256> Source("source.cpp");
  sys::fs::make_absolute(Source);
  return load(Source);
}

Expected<std::shared_ptr<const Config>> ConfigLoader::load(StringRef Source) {
  StringRef Start = sys::path::parent_path(Source);
  auto [It, New] = Folders.try_emplace(Start.str());
  Folder &F = It->second;
  if (New) {
    auto Loaded = loadFolder(Start);
    if (Loaded)
      F.Value = std::move(*Loaded);
    else
      F.Error = toString(Loaded.takeError());
  }
  if (!F.Value)
    return make_error<ConfigError>(F.Error);
  return F.Value;
}
