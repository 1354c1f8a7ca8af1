//===- View.h - One file as a request sees it -------------------*- C++ -*-===//

#ifndef SPMD_EDITOR_LIB_VIEW_H
#define SPMD_EDITOR_LIB_VIEW_H

#include "Document.h"

#include "spmd/editor/Analysis.h"

namespace spmd::editor {

/// What the user wants to be shown: `spmd` in initializationOptions, and in the
/// settings of workspace/didChangeConfiguration.
struct Settings {
  bool InlayHints = true;
  std::vector<std::string> HintAxes; ///< empty: all
  bool CodeLens = true;
  bool Status = false; ///< spmd/status is wanted after each analysis

  void read(const llvm::json::Object &From);
  bool wantsHint(llvm::StringRef Axis) const;
};

/// An open file and the latest analysis of it.
struct View {
  std::string Uri, Path;
  llvm::StringRef Text; ///< as it is in the editor
  Positions Of;         ///< of the text
  /// Of exactly this text; null where there is none.
  std::shared_ptr<const Analysis> Now;
  Encoding In = Encoding::UTF16;
  const Settings &Wanted;
  /// What was published last: findings in it were not suppressed.
  const llvm::json::Array *Published = nullptr;

  std::size_t offset(const llvm::json::Object &Position) const {
    return offsetOf(Text, Position, In);
  }
  llvm::json::Object range(const lint::Place &P) const {
    return Of.range(P.Offset, P.Length);
  }
  bool isHere(const lint::Place &P) const { return P.File == Path; }
  /// The findings that are shown, in the order of places.
  std::vector<lint::Diagnostic> shown() const;
};

/// What the check's page is called, and what is said of it where there is none.
struct CheckPages {
  std::string Folder;
  std::string uri(llvm::StringRef Check) const;
};

//===--- What is added to clangd's answers --------------------------------===//

llvm::json::Value addHover(llvm::json::Value Reply, const View &V,
                           const llvm::json::Object &Params, bool Markdown);
llvm::json::Value addInlayHints(llvm::json::Value Reply, const View &V,
                                const llvm::json::Object &Params);
llvm::json::Value addSymbols(llvm::json::Value Reply, const View &V);
llvm::json::Value addCodeActions(llvm::json::Value Reply, const View &V,
                                 const llvm::json::Object &Params);
void addLinks(llvm::json::Array &Diagnostics, const CheckPages &Pages);

//===--- What only we answer ----------------------------------------------===//

llvm::json::Value codeLenses(const View &V);
llvm::json::Value typeFlow(const View &V, const llvm::json::Object &Params);
/// Mesh, findings by level and how much has a type, for a status bar.
llvm::json::Object status(const View &V);
/// The edits that write what was inferred: of the function around \p Line, or
/// of all.
std::vector<lint::Edit> annotations(const View &V,
                                    std::optional<std::int64_t> Line);
/// What can stand at the cursor in the string of an attribute; none outside of
/// one. \p Last: of the file, or of an earlier text of it.
std::optional<llvm::json::Array>
completePayload(llvm::StringRef Text, std::size_t Offset, const Analysis *Last);

} // namespace spmd::editor

#endif // SPMD_EDITOR_LIB_VIEW_H
