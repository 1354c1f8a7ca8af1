//===- ReportFormats.cpp - The list of report formats ---------------------===//

#include "spmd/lint/Report.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace spmd::lint;

static std::vector<ReportFormat> &registry() {
  static std::vector<ReportFormat> Formats;
  return Formats;
}

ReportFormatRegistration::ReportFormatRegistration(const ReportFormat &Format) {
  std::vector<ReportFormat> &Formats = registry();
  Formats.insert(
      llvm::upper_bound(Formats, Format,
                        [](const ReportFormat &A, const ReportFormat &B) {
                          return A.Name < B.Name;
                        }),
      Format);
}

ArrayRef<ReportFormat> spmd::lint::reportFormats() { return registry(); }

const ReportFormat *spmd::lint::findReportFormat(StringRef Name) {
  for (const ReportFormat &F : reportFormats())
    if (F.Name == Name)
      return &F;
  return nullptr;
}
