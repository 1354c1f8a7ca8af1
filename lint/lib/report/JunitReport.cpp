//===- JunitReport.cpp - Findings as failed tests -------------------------===//
//
// For hosts that show nothing but tests: each finding is a failed one, each
// file without any a passed one, each that could not be analysed an error.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/Report.h"

#include "llvm/Support/JSON.h"

#include <set>

using namespace llvm;
using namespace spmd::lint;

namespace {

std::string escaped(StringRef Text) {
  std::string Out;
  for (char C : json::fixUTF8(Text)) {
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    case '\n':
      Out += "&#10;";
      break;
    default:
      // XML has no other control characters.
      Out += static_cast<unsigned char>(C) < ' ' && C != '\t' ? '?' : C;
    }
  }
  return Out;
}

class JunitWriter {
public:
  JunitWriter(raw_ostream &OS, const ReportOptions &Options)
      : OS(OS), Options(Options) {}

  void report(const Report &R) {
    std::set<StringRef> Bad;
    for (const auto *List : {&R.ParseErrors, &R.Diagnostics})
      for (const Diagnostic &D : *List)
        Bad.insert(D.Where.File);
    Bad.insert(R.Crashed.begin(), R.Crashed.end());
    std::vector<StringRef> Good;
    for (const std::string &File : R.Files)
      if (!Bad.contains(File))
        Good.push_back(File);
    const std::size_t Errors = R.ParseErrors.size() + R.Crashed.size();
    const std::size_t Tests = Errors + R.Diagnostics.size() + Good.size();
    OS << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
       << "<testsuites>\n  <testsuite name=\"spmd-tidy\" tests=\"" << Tests
       << "\" failures=\"" << R.Diagnostics.size() << "\" errors=\"" << Errors
       << "\">\n";
    for (const Diagnostic &D : R.ParseErrors)
      test(D, "error");
    for (const std::string &File : R.Crashed)
      test(Diagnostic{{File, 0, 0, 0, 0},
                      "crash",
                      Severity::Error,
                      "the analysis crashed",
                      {},
                      {},
                      false,
                      ""},
           "error");
    for (const Diagnostic &D : R.Diagnostics)
      test(D, "failure");
    for (StringRef File : Good)
      OS << "    <testcase classname=\"" << shown(File)
         << "\" name=\"spmd-tidy\"/>\n";
    OS << "  </testsuite>\n</testsuites>\n";
  }

private:
  std::string shown(StringRef File) const {
    return escaped(pathFrom(Options.SourceRoot, File));
  }

  std::string shown(const Place &P) const {
    return shown(P.File) + (P.Line ? ":" + std::to_string(P.Line) + ":" +
                                         std::to_string(P.Column)
                                   : "");
  }

  void test(const Diagnostic &D, StringRef Outcome) {
    OS << "    <testcase classname=\"" << shown(D.Where.File) << "\" name=\""
       << escaped(D.Check) << " at " << D.Where.Line << ':' << D.Where.Column
       << "\" file=\"" << shown(D.Where.File) << "\" line=\"" << D.Where.Line
       << "\">\n      <" << Outcome << " type=\"" << severityName(D.Level)
       << "\" message=\"" << escaped(D.Message) << "\">" << shown(D.Where)
       << ": " << escaped(D.Message);
    for (const Note &N : D.Notes)
      OS << '\n' << shown(N.Where) << ": note: " << escaped(N.Message);
    OS << "</" << Outcome << ">\n    </testcase>\n";
  }

  raw_ostream &OS;
  const ReportOptions &Options;
};

void writeJunit(raw_ostream &OS, const Report &R, const SourceTexts &,
                const ReportOptions &Options) {
  JunitWriter(OS, Options).report(R);
}

const ReportFormatRegistration Register({"junit", writeJunit});

} // namespace
