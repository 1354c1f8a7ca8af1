//===- Config.h - What `.spmd-tidy` says ------------------------*- C++ -*-===//
//
// The merged configuration of one source file. Every value knows where it was
// written. See ConfigFile.h for how it is read.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_CONFIG_H
#define SPMD_LINT_CONFIG_H

#include "spmd/lint/Check.h"
#include "spmd/ops/CollectiveApi.h"
#include "spmd/ops/OpCatalogue.h"
#include "spmd/planner/Layout.h"
#include "spmd/types/TypeSpec.h"

#include <map>
#include <memory>

namespace spmd::lint {

/// Where a configuration value was written.
struct Origin {
  std::string Source; ///< path of a `.spmd-tidy`, or an option's name
  unsigned Line = 0;  ///< 0 for options and defaults
  std::string str() const;
};

template <typename T> struct Configured {
  T Value{};
  Origin From{"default", 0};
};

/// One entry of `Axes`: a C++ expression or variable and the axes it spans, or
/// whose ranks it counts.
struct AxisBinding {
  std::string Expression;
  std::vector<std::string> Axes; ///< several: flattened, outermost first
};

/// One entry of `Types`: a class of the user's, and those that derive from it,
/// is what a tensor, a module or an optimizer of libtorch is.
struct DeclaredClass {
  std::string Class; ///< qualified
  std::string Is;    ///< one of classKinds()
  /// What a member is, by its name: one of ClassKind::Roles.
  std::map<std::string, std::string> Members;
};
/// What a class can be, and what its members then can be.
struct ClassKind {
  llvm::StringRef Name;
  std::vector<llvm::StringRef> Roles;
};
llvm::ArrayRef<ClassKind> classKinds();

/// One entry of `Mesh`, and what joins the ranks that differ on it.
struct ConfiguredAxis {
  rules::MeshAxis Axis;
  std::optional<double> Bandwidth; ///< GB/s
  std::optional<double> Latency;   ///< microseconds
};

/// One entry of `Device`: a positive number of its unit.
struct DeviceKey {
  llvm::StringRef Name, Unit; ///< unit empty: a whole number
};
llvm::ArrayRef<DeviceKey> deviceKeys();

struct Config {
  /// Globs over check names, a leading `-` removes; the last match decides.
  std::vector<Configured<std::string>> Checks;
  std::map<std::string, Configured<Severity>> Severities;
  /// By the full name; valid ones only.
  std::map<std::string, Configured<std::string>> CheckOptions;
  std::map<std::string, Configured<ConfiguredAxis>> Mesh; ///< by axis name
  /// What a suggestion counts with, by key, in the unit of deviceKeys().
  std::map<std::string, Configured<double>> Device;
  /// What names of sizes stand for in a suggestion.
  std::map<std::string, Configured<std::int64_t>> Sizes;
  Configured<bool> Strict;
  std::vector<Configured<AxisBinding>> Axes;
  /// YAML documents in the format of rules/ops, farthest file first.
  std::vector<Configured<std::string>> OpDocuments;
  /// The same in the format of rules/ops/apis.
  std::vector<Configured<std::string>> ApiDocuments;
  std::vector<Configured<DeclaredClass>> Types;
  std::vector<Configured<std::string>> Contracts; ///< absolute paths
  std::vector<Configured<std::string>> ExtraArgs;
  /// Headers outside the project whose findings are wanted all the same.
  Configured<std::string> HeaderFilter;
  /// Folder of the outermost `.spmd-tidy` that applies; headers below it are
  /// the user's own. Empty without one.
  std::string ProjectRoot;

  /// The built-in catalogue extended by OpDocuments; never null once loaded.
  std::shared_ptr<const rules::OpCatalogue> Ops;
  /// The known communication libraries extended by ApiDocuments; likewise.
  std::shared_ptr<const rules::CollectiveApis> Apis;

  bool isEnabled(llvm::StringRef Check) const;
  /// Off for a disabled check.
  Severity severity(const CheckInfo &Check) const;
  /// The same for one finding: a check may have chosen another level than its
  /// default, and keeps it where the configuration is silent.
  Severity levelOf(const Diagnostic &D) const;
  /// What is set for one of the declared options of a check, or its default.
  llvm::StringRef option(llvm::StringRef FullName) const;
  bool flag(llvm::StringRef FullName) const;
  unsigned number(llvm::StringRef FullName) const;
  rules::MeshSpec mesh() const;
  /// In GB/s and microseconds, where an axis has no others.
  static constexpr double DefaultBandwidth = 100, DefaultLatency = 10;
  /// Of the axes for which something is said; per byte.
  llvm::StringMap<planner::Link> links() const;
};

} // namespace spmd::lint

#endif // SPMD_LINT_CONFIG_H
