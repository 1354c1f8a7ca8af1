//===- ParseErrors.h - Clang's errors as plain data -------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_PARSEERRORS_H
#define SPMD_LINT_LIB_DRIVER_PARSEERRORS_H

#include "LintJob.h"

#include "clang/Basic/Diagnostic.h"

namespace spmd::lint {

/// Collects errors; warnings are the compiler's business.
class ParseErrorCollector : public clang::DiagnosticConsumer {
public:
  explicit ParseErrorCollector(FileResult &Into, llvm::StringRef MainFile)
      : Into(Into), MainFile(MainFile) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;

private:
  Place placeOf(const clang::Diagnostic &Info) const;

  FileResult &Into;
  llvm::StringRef MainFile;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_PARSEERRORS_H
