//===- TypeDump.h - The inferred types as text or JSON ----------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_TYPEDUMP_H
#define SPMD_LINT_LIB_TYPEDUMP_H

#include "ProgramText.h"

#include <set>

namespace spmd::lint {

/// --dump-types: the inferred type of every definition, in order of place.
class TypeDump {
public:
  /// Text names files from \p Folder.
  TypeDump(const ProgramText &View, DumpFormat Format, llvm::StringRef Folder)
      : View(View), Format(Format), Folder(Folder) {}
  void add(const rules::TypedSlot &T);
  std::string str() const;

private:
  struct Line {
    Place Where;
    std::string Name, Type;
    friend auto operator<=>(const Line &, const Line &) = default;
  };
  const ProgramText &View;
  DumpFormat Format;
  llvm::StringRef Folder;
  std::set<Line> Lines;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_TYPEDUMP_H
