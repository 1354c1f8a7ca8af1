//===- ParseErrors.cpp - Clang's errors as plain data ---------------------===//

#include "ParseErrors.h"

#include "spmd/lint/UserFiles.h"

#include "clang/Basic/DiagnosticDriver.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;
using namespace spmd::lint;

Place ParseErrorCollector::placeOf(const clang::Diagnostic &Info) const {
  Place P;
  P.File = MainFile.str();
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
    return P;
  const clang::SourceManager &SM = Info.getSourceManager();
  const clang::SourceLocation Loc = SM.getFileLoc(Info.getLocation());
  const auto [File, Offset] = SM.getDecomposedLoc(Loc);
  clang::OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
  if (!Entry)
    return P; // the command line
  P.File = absolutePath(SM.getFileManager(), Entry->getName());
  P.Offset = Offset;
  P.Length = 1;
  P.Line = SM.getLineNumber(File, Offset);
  P.Column = SM.getColumnNumber(File, Offset);
  return P;
}

void ParseErrorCollector::HandleDiagnostic(
    clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) {
  // The front end asks for the number of errors.
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level < clang::DiagnosticsEngine::Error)
    return;
  const unsigned ID = Info.getID();
  switch (ID) {
  // Flags of other compilers, and of other versions, change nothing here.
  case clang::diag::err_drv_unknown_argument:
  case clang::diag::err_drv_unknown_argument_with_suggestion:
  case clang::diag::err_drv_unsupported_opt:
  case clang::diag::err_drv_unsupported_opt_for_target:
  case clang::diag::err_drv_invalid_value:
    return;
  case clang::diag::err_pp_file_not_found:
  case clang::diag::err_pp_file_not_found_angled_include_not_fatal:
  case clang::diag::err_pp_file_not_found_typo_not_fatal:
    Into.MissingHeaders.push_back(
        Info.getArgKind(0) == clang::DiagnosticsEngine::ak_std_string
            ? Info.getArgStdStr(0)
            : Info.getArgCStr(0));
    break;
  default:
    // A warning that is an error by default: other compilers accept the code.
    if (Info.getDiags()->getDiagnosticIDs()->isWarningOrExtension(ID))
      return;
  }
  Diagnostic D;
  D.Check = "clang-diagnostic-error";
  D.Level = Severity::Error;
  D.Where = placeOf(Info);
  SmallString<128> Message;
  Info.FormatDiagnostic(Message);
  D.Message = Message.str().str();
  Into.ParseErrors.push_back(std::move(D));
}
