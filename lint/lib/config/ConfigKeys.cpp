//===- ConfigKeys.cpp - The keys of `.spmd-tidy` --------------------------===//
//
// One parser per key; the table at the end is the list of keys.
//
//===----------------------------------------------------------------------===//

#include "ConfigKeys.h"

#include "spmd/lint/CheckGlobs.h"
#include "spmd/lint/NearestName.h"
#include "spmd/lint/OptionValues.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"

#include <cmath>

using namespace llvm;
using namespace spmd;
using namespace spmd::lint;

static std::vector<StringRef> checkNames() {
  std::vector<StringRef> Names;
  for (const CheckInfo &C : allChecks())
    Names.push_back(C.Name);
  return Names;
}

static void parseRoot(ConfigReader &R, yaml::Node &N) {
  R.Into.Root = R.boolean(N, "root").value_or(false);
}

static void parseStrict(ConfigReader &R, yaml::Node &N) {
  const Origin From = R.originOf(N);
  if (std::optional<bool> Value = R.boolean(N, "Strict"))
    R.Into.Values.Strict = {*Value, From};
}

static void parseChecks(ConfigReader &R, yaml::Node &N) {
  R.scalars(N, "a glob", [&](const std::string &Text, yaml::Node &At) {
    Expected<std::vector<std::string>> Globs = splitCheckGlobs(Text);
    if (!Globs)
      return R.error(At, toString(Globs.takeError()));
    for (std::string &Glob : *Globs)
      R.Into.Values.Checks.push_back({std::move(Glob), R.originOf(At)});
  });
}

static void parseSeverity(ConfigReader &R, yaml::Node &N) {
  R.entries(N, "a map from checks to severities",
            [&](const std::string &Check, yaml::Node &Key, yaml::Node &Value) {
              if (!findCheck(Check))
                R.error(Key, unknownName("check", Check, checkNames()));
              const Origin From = R.originOf(Key);
              std::optional<std::string> Text = R.scalar(Value, "a severity");
              if (!Text)
                return;
              if (std::optional<Severity> S = lint::parseSeverity(*Text))
                R.Into.Values.Severities[Check] = {*S, From};
              else
                R.error(Value,
                        unknownName("severity", *Text,
                                    {"off", "note", "warning", "error"}));
            });
}

static void parseCheckOptions(ConfigReader &R, yaml::Node &N) {
  R.entries(N, "a map from options of checks to their values",
            [&](const std::string &Name, yaml::Node &Key, yaml::Node &Value) {
              const CheckOption *Option = findCheckOption(Name);
              if (!Option)
                return R.error(Key, unknownCheckOption(Name));
              const Origin From = R.originOf(Key);
              std::string All;
              R.scalars(Value, "a value",
                        [&](const std::string &Text, yaml::Node &) {
                          All += (All.empty() ? "" : ";") + Text;
                        });
              if (std::string Wrong = wrongOptionValue(Name, *Option, All);
                  !Wrong.empty())
                return R.error(Value, Wrong);
              R.Into.Values.CheckOptions[Name] = {std::move(All), From};
            });
}

static void parseAxisSize(ConfigReader &R, yaml::Node &N, unsigned &Size) {
  std::optional<std::string> Text = R.scalar(N, "a size");
  if (Text && (StringRef(*Text).getAsInteger(10, Size) || Size == 0))
    R.error(N, "the size of an axis is a positive number, not '" + *Text + "'");
}

static void parseAxisDefault(ConfigReader &R, yaml::Node &N,
                             std::optional<rules::Atom> &Default) {
  std::optional<std::string> Text = R.scalar(N, "a type");
  if (!Text)
    return;
  // The payload grammar has no atom on its own.
  constexpr StringLiteral Prefix = "a:";
  Expected<rules::TypeSpec> Type = rules::parseTypeSpec((Prefix + *Text).str());
  if (Type) {
    if (Type->Axes.size() == 1)
      Default = Type->Axes.front().Value;
    else
      R.error(N, "expected one of R, I, V, P, S(i)");
    return;
  }
  handleAllErrors(Type.takeError(), [&](const rules::PayloadError &E) {
    R.error(N, E.Offset < Prefix.size() ? 0 : E.Offset - Prefix.size(),
            E.Message);
  });
}

/// "25GB/s" for the unit GB/s.
static void parseQuantity(ConfigReader &R, yaml::Node &N, StringRef Unit,
                          std::optional<double> &Into) {
  std::optional<std::string> Text = R.scalar(N, "a number of " + Unit.str());
  if (!Text)
    return;
  StringRef Number = *Text;
  double Value = 0;
  if (Number.consume_back(Unit) && !Number.rtrim().getAsDouble(Value) &&
      Value > 0 && std::isfinite(Value))
    Into = Value;
  else
    R.error(N, "expected a positive number of " + Unit + ", as in 25" + Unit);
}

/// "4", or "(dp,tp)" for another name of these.
static void parseSizeOrParts(ConfigReader &R, yaml::Node &N,
                             rules::MeshAxis &Axis) {
  std::optional<std::string> Text = R.scalar(N, "a size");
  if (!Text || !StringRef(*Text).starts_with("("))
    return parseAxisSize(R, N, Axis.Size);
  Expected<std::vector<std::string>> Parts = rules::parseAxes(*Text);
  if (Parts)
    Axis.Of = std::move(*Parts);
  else
    handleAllErrors(Parts.takeError(), [&](const rules::PayloadError &E) {
      R.error(N, E.Offset, E.Message);
    });
}

static void parseMesh(ConfigReader &R, yaml::Node &N) {
  R.entries(N, "a map from axes to sizes",
            [&](const std::string &Name, yaml::Node &Key, yaml::Node &Value) {
              ConfiguredAxis Axis;
              Axis.Axis.Name = Name;
              const Origin From = R.originOf(Key);
              if (!isa<yaml::MappingNode>(Value))
                parseSizeOrParts(R, Value, Axis.Axis);
              else
                R.entries(
                    Value, "an axis",
                    [&](const std::string &Field, yaml::Node &FieldKey,
                        yaml::Node &FieldValue) {
                      if (Field == "size")
                        parseAxisSize(R, FieldValue, Axis.Axis.Size);
                      else if (Field == "default")
                        parseAxisDefault(R, FieldValue, Axis.Axis.Default);
                      else if (Field == "bandwidth")
                        parseQuantity(R, FieldValue, "GB/s", Axis.Bandwidth);
                      else if (Field == "latency")
                        parseQuantity(R, FieldValue, "us", Axis.Latency);
                      else
                        R.error(FieldKey,
                                unknownName("key", Field,
                                            {"size", "default", "bandwidth",
                                             "latency"}));
                    });
              R.Into.Values.Mesh[Name] = {std::move(Axis), From};
            });
}

ArrayRef<DeviceKey> spmd::lint::deviceKeys() {
  static constexpr DeviceKey Keys[] = {
      {"flops", "TFLOP/s"}, {"bandwidth", "GB/s"}, {"memory", "GB"},
      {"optimizer", "B"},   {"accumulate", ""},
  };
  return Keys;
}

static std::optional<std::int64_t> positive(ConfigReader &R, yaml::Node &N,
                                            StringRef What) {
  std::optional<std::string> Text = R.scalar(N, What);
  std::int64_t Value = 0;
  if (!Text)
    return std::nullopt;
  if (!StringRef(*Text).getAsInteger(10, Value) && Value > 0)
    return Value;
  R.error(N, What + " is a positive number, not '" + *Text + "'");
  return std::nullopt;
}

static void parseDevice(ConfigReader &R, yaml::Node &N) {
  R.entries(N, "a map from what a device can do to how much of it",
            [&](const std::string &Name, yaml::Node &Key, yaml::Node &Value) {
              const Origin From = R.originOf(Key);
              std::vector<StringRef> Names;
              for (const DeviceKey &K : deviceKeys()) {
                Names.push_back(K.Name);
                if (K.Name != Name)
                  continue;
                std::optional<double> Number;
                if (!K.Unit.empty())
                  parseQuantity(R, Value, K.Unit, Number);
                else if (const auto Whole = positive(R, Value, Name))
                  Number = static_cast<double>(*Whole);
                if (Number)
                  R.Into.Values.Device[Name] = {*Number, From};
                return;
              }
              R.error(Key, unknownName("key", Name, Names));
            });
}

static void parseSizes(ConfigReader &R, yaml::Node &N) {
  R.entries(N, "a map from names of sizes to numbers",
            [&](const std::string &Name, yaml::Node &Key, yaml::Node &Value) {
              const Origin From = R.originOf(Key);
              if (const auto Size = positive(R, Value, "a size"))
                R.Into.Values.Sizes[Name] = {*Size, From};
            });
}

static void parseAxes(ConfigReader &R, yaml::Node &N) {
  R.entries(N, "a map from expressions to axes",
            [&](const std::string &Expr, yaml::Node &Key, yaml::Node &Value) {
              const Origin From = R.originOf(Key);
              std::optional<std::string> Text = R.scalar(Value, "an axis");
              if (!Text)
                return;
              Expected<std::vector<std::string>> Axes = rules::parseAxes(*Text);
              if (Axes) {
                R.Into.Values.Axes.push_back({{Expr, std::move(*Axes)}, From});
                return;
              }
              handleAllErrors(Axes.takeError(),
                              [&](const rules::PayloadError &E) {
                                R.error(Value, E.Offset, E.Message);
                              });
            });
}

static void parseNested(ConfigReader &R, yaml::Node &N, StringRef What,
                        std::vector<Configured<std::string>> &Into) {
  if (isa<yaml::MappingNode, yaml::SequenceNode>(N))
    R.nestedDocument(N, Into);
  else if (!isa<yaml::NullNode>(N))
    R.error(N, "expected " + What);
}

static void parseOps(ConfigReader &R, yaml::Node &N) {
  parseNested(R, N, "op rules", R.Into.Values.OpDocuments);
}

static void parseCollectives(ConfigReader &R, yaml::Node &N) {
  parseNested(R, N, "a list of communication libraries",
              R.Into.Values.ApiDocuments);
}

static void parseContracts(ConfigReader &R, yaml::Node &N) {
  R.scalars(N, "a header", [&](const std::string &Path, yaml::Node &At) {
    const std::string File = R.absolute(Path);
    if (!sys::fs::exists(File))
      R.error(At, "Contracts: there is no file '" + File + "'");
    R.Into.Values.Contracts.push_back({File, R.originOf(At)});
  });
}

ArrayRef<ClassKind> spmd::lint::classKinds() {
  static const ClassKind Kinds[] = {
      {"tensor", {"storage", "gradient", "backward"}},
      {"module", {"parameters", "forward"}},
      {"optimizer", {"parameters", "step"}},
  };
  return Kinds;
}

static const ClassKind *findKind(StringRef Name) {
  const auto *It =
      find_if(classKinds(), [&](const ClassKind &K) { return K.Name == Name; });
  return It == classKinds().end() ? nullptr : It;
}

/// `fl::Variable: {is: tensor, gradient: grad}`.
static void parseTypes(ConfigReader &R, yaml::Node &N) {
  R.entries(
      N, "a map from classes to what they are",
      [&](const std::string &Class, yaml::Node &Key, yaml::Node &Value) {
        DeclaredClass Type;
        Type.Class = Class;
        const auto OnMember = [&](const std::string &Role, yaml::Node &At,
                                  yaml::Node &Of) {
          if (Role != "is") {
            const ClassKind *Kind = findKind(Type.Is);
            if (!Kind)
              return R.error(At, "expected 'is' first: tensor, module or "
                                 "optimizer");
            if (!is_contained(Kind->Roles, Role))
              return R.error(
                  At, unknownName("member of a " + Type.Is, Role, Kind->Roles));
            return R.scalars(Of, "a member",
                             [&](const std::string &Member, yaml::Node &) {
                               Type.Members[Member] = Role;
                             });
          }
          std::optional<std::string> Kind = R.scalar(Of, "what the class is");
          if (Kind && !findKind(*Kind))
            R.error(Of, unknownName("kind of class", *Kind,
                                    {"tensor", "module", "optimizer"}));
          Type.Is = Kind.value_or("");
        };
        const Origin From = R.originOf(Key);
        R.entries(Value, "what the class is, and its members", OnMember);
        if (Type.Is.empty())
          R.error(Key, "expected 'is': tensor, module or optimizer");
        R.Into.Values.Types.push_back({std::move(Type), From});
      });
}

static void parseExtraArgs(ConfigReader &R, yaml::Node &N) {
  R.scalars(N, "a compiler flag", [&](const std::string &Arg, yaml::Node &At) {
    R.Into.Values.ExtraArgs.push_back({Arg, R.originOf(At)});
  });
}

static void parseHeaderFilter(ConfigReader &R, yaml::Node &N) {
  const Origin From = R.originOf(N);
  std::optional<std::string> Text = R.scalar(N, "a regular expression");
  if (!Text)
    return;
  std::string Reason;
  if (Text->empty() || Regex(*Text).isValid(Reason))
    R.Into.Values.HeaderFilter = {*Text, From};
  else
    R.error(N, "not a regular expression: " + Reason);
}

ArrayRef<ConfigKey> spmd::lint::configKeyTable() {
  static constexpr ConfigKey Keys[] = {
      {"Axes", parseAxes},           {"CheckOptions", parseCheckOptions},
      {"Checks", parseChecks},       {"Collectives", parseCollectives},
      {"Contracts", parseContracts}, {"Device", parseDevice},
      {"ExtraArgs", parseExtraArgs}, {"HeaderFilter", parseHeaderFilter},
      {"Mesh", parseMesh},           {"Ops", parseOps},
      {"Severity", ::parseSeverity}, {"Sizes", parseSizes},
      {"Strict", parseStrict},       {"Types", parseTypes},
      {"root", parseRoot},
  };
  return Keys;
}
