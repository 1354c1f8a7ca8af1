//===- SarifReport.cpp - SARIF 2.1.0, for code hosts and editors ----------===//
//
// Columns count code points. Paths in the repository are relative to %SRCROOT%,
// its root, as code hosts want them. A rule's help is its check's page.
// Not clang/Basic/Sarif.h: its documents have no fixes, suppressions,
// fingerprints or base of paths.
//
//===----------------------------------------------------------------------===//

#include "CoverageReport.h"
#include "Fingerprint.h"
#include "spmd/lint/Check.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

json::Value text(StringRef S) { return json::fixUTF8(S); }

json::Object message(const Twine &Text) {
  return json::Object{{"text", text(Text.str())}};
}

/// A path as the path of a URI.
std::string escaped(StringRef Path) {
  std::string Out;
  for (char C : Path)
    if (isAlnum(C) || StringRef("/-._~+").contains(C))
      Out += C;
    else
      Out += "%" + toHex(StringRef(&C, 1));
  return Out;
}

std::size_t codePoints(StringRef Bytes) {
  return static_cast<std::size_t>(llvm::count_if(Bytes, [](char C) {
    return (static_cast<unsigned char>(C) & 0xC0) != 0x80;
  }));
}

class SarifWriter {
public:
  SarifWriter(const SourceTexts &Texts, const ReportOptions &Options)
      : Texts(Texts), Options(Options) {}

  json::Value run(const Report &R) const {
    json::Array Rules, Results;
    for (const CheckInfo &C : allChecks())
      Rules.push_back(rule(C));
    const std::vector<std::string> Prints = fingerprints(R.Diagnostics, Texts);
    for (const auto &[D, Print] : llvm::zip(R.Diagnostics, Prints))
      Results.push_back(result(D, Print));
    json::Object Driver{{"name", "spmd-tidy"},
                        {"semanticVersion", SPMD_VERSION},
                        {"version", SPMD_VERSION},
                        {"rules", std::move(Rules)}};
    json::Object Out{
        {"tool", json::Object{{"driver", std::move(Driver)}}},
        {"columnKind", "unicodeCodePoints"},
        {"invocations", json::Array{invocation(R)}},
        {"originalUriBaseIds",
         json::Object{
             {"%SRCROOT%", json::Object{{"uri", folder(Options.SourceRoot)}}}}},
        {"results", std::move(Results)}};
    if (const std::string Line = summaryLine(R); !Line.empty())
      Out["properties"] = json::Object{{"coverage", text(Line)},
                                       {"coverageByFunction", coverage(R)}};
    return Out;
  }

private:
  static std::string folder(StringRef Path) {
    return "file://" + escaped(Path) + "/";
  }

  /// The same object as in the JSON report.
  static json::Value coverage(const Report &R) {
    std::string Printed;
    raw_string_ostream OS(Printed);
    json::OStream J(OS);
    J.object([&] { writeCoverage(J, R); });
    return cantFail(json::parse(Printed));
  }

  /// What could not be analysed is no result, but must not look like none.
  json::Object invocation(const Report &R) const {
    json::Array Notifications;
    for (const Diagnostic &D : R.ParseErrors)
      Notifications.push_back(
          json::Object{{"level", "error"},
                       {"message", message(D.Message)},
                       {"locations", json::Array{location(D.Where)}}});
    for (const std::string &File : R.Crashed)
      Notifications.push_back(json::Object{
          {"level", "error"},
          {"message", message("the analysis crashed")},
          {"locations", json::Array{location({File, 0, 0, 0, 0})}}});
    return json::Object{
        {"executionSuccessful", R.ParseErrors.empty() && R.Crashed.empty()},
        {"toolExecutionNotifications", std::move(Notifications)},
        {"workingDirectory",
         json::Object{{"uri", folder(Options.WorkingDirectory)}}}};
  }

  json::Object rule(const CheckInfo &C) const {
    json::Object Out{
        {"id", C.Name},
        {"shortDescription", message(C.Summary)},
        {"help", json::Object{{"text", text(C.Summary)},
                              {"markdown", text(checkHelp(C.Name))}}},
        {"defaultConfiguration",
         json::Object{{"level", severityName(C.Default)}}}};
    if (!Options.CheckPages.empty())
      Out["helpUri"] =
          ("file://" + escaped(Options.CheckPages) + "/" + C.Name + ".md")
              .str();
    return Out;
  }

  json::Object artifact(StringRef File) const {
    const StringRef Below = pathFrom(Options.SourceRoot, File);
    if (Below.size() != File.size())
      return json::Object{{"uri", escaped(Below)}, {"uriBaseId", "%SRCROOT%"}};
    return json::Object{{"uri", "file://" + escaped(File)}};
  }

  json::Object region(const Place &P) const {
    const StringRef Line = Texts.line(P.File, P.Line);
    const std::size_t Before = P.Column ? P.Column - 1 : 0;
    json::Object Out{{"startLine", P.Line},
                     {"startColumn", codePoints(Line.take_front(Before)) + 1},
                     {"byteOffset", P.Offset},
                     {"byteLength", P.Length}};
    if (P.Length && Before + P.Length <= Line.size())
      Out["endColumn"] = codePoints(Line.take_front(Before + P.Length)) + 1;
    return Out;
  }

  json::Object location(const Place &P) const {
    json::Object Physical{{"artifactLocation", artifact(P.File)}};
    if (P.Line) // a file as a whole has no region
      Physical["region"] = region(P);
    return json::Object{{"physicalLocation", std::move(Physical)}};
  }

  json::Object fix(const Fix &F) const {
    json::Array Changes;
    for (const Edit &E : F.Edits) {
      json::Object Replacement{
          {"deletedRegion",
           json::Object{{"byteOffset", E.Offset}, {"byteLength", E.Length}}},
          {"insertedContent", message(E.Text)}};
      Changes.push_back(
          json::Object{{"artifactLocation", artifact(E.File)},
                       {"replacements", json::Array{std::move(Replacement)}}});
    }
    return json::Object{
        {"description",
         message(F.Cost.empty() ? F.Description
                                : F.Description + " (" + F.Cost + ")")},
        {"artifactChanges", std::move(Changes)}};
  }

  json::Object result(const Diagnostic &D, StringRef Print) const {
    json::Array Related, Fixes;
    for (const Note &N : D.Notes) {
      json::Object L = location(N.Where);
      L["id"] = Related.size() + 1;
      L["message"] = message(N.Message);
      Related.push_back(std::move(L));
    }
    for (const Fix &F : D.Fixes)
      if (!F.Edits.empty())
        Fixes.push_back(fix(F));
    json::Object Out{
        {"ruleId", text(D.Check)},
        {"level", severityName(D.Level)},
        {"message", message(D.Witness.empty()
                                ? D.Message
                                : D.Message + "; for example, " + D.Witness)},
        {"locations", json::Array{location(D.Where)}},
        {"partialFingerprints", json::Object{{"spmd-tidy/v1", Print.str()}}}};
    if (!Related.empty())
      Out["relatedLocations"] = std::move(Related);
    if (!Fixes.empty())
      Out["fixes"] = std::move(Fixes);
    return Out;
  }

  const SourceTexts &Texts;
  const ReportOptions &Options;
};

void writeSarif(raw_ostream &OS, const Report &R, const SourceTexts &Texts,
                const ReportOptions &Options) {
  const json::Value Root =
      json::Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", json::Array{SarifWriter(Texts, Options).run(R)}}};
  OS << formatv("{0:2}", Root) << '\n';
}

const ReportFormatRegistration Register({"sarif", writeSarif});

} // namespace
