//===- SourceView.h - The program's text behind the IR ----------*- C++ -*-===//

#ifndef SPMD_LINT_SOURCEVIEW_H
#define SPMD_LINT_SOURCEVIEW_H

#include "spmd/fixits/Edits.h"
#include "spmd/lint/Lint.h"
#include "spmd/lint/Lowering.h"

#include "clang/Basic/SourceManager.h"

#include <set>

namespace spmd::lint {

class SourceView : public fixits::SourceEnvironment {
public:
  SourceView(clang::ASTContext &Ctx, const LoweredModule &Lowered)
      : Ctx(Ctx), Lowered(Lowered) {}

  std::optional<fixits::SourceText> text(const rules::Function *F,
                                         rules::PlaceId At) const override;
  std::string axisSpelling(const rules::Function *F,
                           llvm::StringRef Axis) const override;
  bool isTensor(const rules::Function *F, rules::PlaceId At) const override;
  std::optional<fixits::SourceText> statement(const rules::Function *F,
                                              rules::PlaceId At) const override;
  std::optional<fixits::TextEdit>
  includeLibrary(llvm::StringRef File) const override;

  /// Whether the text of \p F is that of other functions too: instances of one
  /// template, of which each may do something else.
  bool isInstance(const rules::Function *F) const;

  /// Whether what \p T says of its types is all that there is to say: a tag
  /// may be a shard of a dim that is known at run time only.
  bool saysAll(const rules::Function *F, const rules::TransferFact &T) const;

  /// Where a finding is shown: unlike text(), also inside macros.
  Place place(clang::SourceLocation Loc) const;
  Place place(const rules::Function *F, rules::PlaceId At) const;

private:
  const PlaceSource *source(const rules::Function *F, rules::PlaceId At) const;
  std::optional<fixits::SourceText> textOf(clang::CharSourceRange Range) const;
  /// `CHECK(call);` when \p Call is all that the macro is given.
  std::optional<fixits::SourceText>
  checkedStatement(clang::SourceRange Call) const;
  std::string path(clang::FileID File) const;

  clang::ASTContext &Ctx;
  const LoweredModule &Lowered;
};

/// --dump-types: the inferred type of every definition, in order of place.
class TypeDump {
public:
  TypeDump(const SourceView &View, DumpFormat Format)
      : View(View), Format(Format) {}
  void add(const rules::TypedSlot &T);
  std::string str() const;

private:
  struct Line {
    Place Where;
    std::string Name, Type;
    friend auto operator<=>(const Line &, const Line &) = default;
  };
  const SourceView &View;
  DumpFormat Format;
  std::set<Line> Lines;
};

} // namespace spmd::lint

#endif // SPMD_LINT_SOURCEVIEW_H
