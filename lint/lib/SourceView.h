//===- SourceView.h - The program's text behind the IR ----------*- C++ -*-===//

#ifndef SPMD_LINT_SOURCEVIEW_H
#define SPMD_LINT_SOURCEVIEW_H

#include "ProgramText.h"

#include "spmd/lint/Lowering.h"

#include "clang/Basic/SourceManager.h"

namespace spmd::lint {

/// The first of \p Handles that spans \p Axis alone, in the order in which
/// they are good to pass on.
std::string axisHandle(llvm::ArrayRef<AxisHandle> Handles, llvm::StringRef Axis,
                       llvm::StringRef Like);

/// The first of \p Handles that is a mesh.
std::string meshHandle(llvm::ArrayRef<AxisHandle> Handles);

/// The text of one file while its AST lives.
class SourceView : public ProgramText {
public:
  /// \p Precompiled as in LintRequest.
  SourceView(clang::ASTContext &Ctx, const LoweredModule &Lowered,
             llvm::ArrayRef<std::string> Precompiled)
      : Ctx(Ctx), Lowered(Lowered), Precompiled(Precompiled) {}

  std::optional<fixits::SourceText> text(const rules::Function *F,
                                         rules::PlaceId At) const override;
  std::string axisSpelling(const rules::Function *F, llvm::StringRef Axis,
                           llvm::StringRef Like) const override;
  std::string meshSpelling(const rules::Function *F) const override;
  bool isTensor(const rules::Function *F, rules::PlaceId At) const override;
  DataKind dataAt(const rules::Function *F, rules::PlaceId At) const override;
  std::optional<fixits::SourceText> statement(const rules::Function *F,
                                              rules::PlaceId At) const override;
  bool isWholeBody(const rules::Function *F, rules::PlaceId At) const override;
  std::optional<fixits::TextEdit>
  includeLibrary(llvm::StringRef File) const override;
  std::optional<fixits::TextEdit>
  annotateVariable(const rules::Function *F, rules::PlaceId At,
                   llvm::StringRef Attribute) const override;

  bool saysAll(const rules::Function *F,
               const rules::TransferFact &T) const override;

  Place place(clang::SourceLocation Loc) const;
  Place definition(const rules::Function *F) const override;
  bool isIncluded(const rules::Function *F) const override;
  Place place(const rules::Function *F, rules::PlaceId At) const override;

private:
  /// Whether the text of \p F is that of other functions too: instances of one
  /// template, of which each may do something else.
  bool isInstance(const rules::Function *F) const;
  bool isLibraryLoaded() const;
  const PlaceSource *source(const rules::Function *F, rules::PlaceId At) const;
  std::optional<fixits::SourceText> textOf(clang::CharSourceRange Range) const;
  /// `CHECK(call);` when \p Call is all that the macro is given.
  std::optional<fixits::SourceText>
  checkedStatement(clang::SourceRange Call) const;
  std::string path(clang::FileID File) const;
  /// With its lines, when nothing else stands on them.
  std::optional<fixits::SourceText>
  wholeLines(std::optional<fixits::SourceText> Of) const;

  clang::ASTContext &Ctx;
  const LoweredModule &Lowered;
  llvm::ArrayRef<std::string> Precompiled;
};

} // namespace spmd::lint

#endif // SPMD_LINT_SOURCEVIEW_H
