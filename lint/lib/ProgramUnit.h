//===- ProgramUnit.h - What outlives a file's AST ---------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_PROGRAMUNIT_H
#define SPMD_LINT_LIB_PROGRAMUNIT_H

#include "SourceView.h"
#include "effects/CheckCollectives.h"

namespace spmd::lint {

/// What the report may want of a place.
struct KeptPlace {
  std::optional<fixits::SourceText> Text, Statement;
  Place Where;
  bool IsTensor = false;
  DataKind Data = DataKind::None;
  bool IsWholeBody = false; ///< of a call's or collective's place
  bool SaysAll = false;     ///< of an operator's place
};

struct KeptFunction {
  std::vector<KeptPlace> Places; ///< by PlaceId
  std::vector<AxisHandle> Handles;
  bool IsIncluded = false; ///< by the unit's file, which is another one
};

/// A file of a program, lowered, with the text that its findings need.
struct ProgramUnit {
  std::string File; ///< the main one of the translation unit
  rules::Module M;
  rules::Linkages Symbols;
  rules::ClassFamilies Classes;
  std::optional<KeptEffects> Effects;
  llvm::DenseMap<const rules::Function *, KeptFunction> Texts;
  /// By file: the edit that makes the library visible there, if one is needed.
  std::map<std::string, std::optional<fixits::TextEdit>> Includes;
};

std::shared_ptr<const ProgramUnit> keepUnit(std::string File,
                                            LoweredModule &&Lowered,
                                            const SourceView &View,
                                            std::optional<KeptEffects> Effects);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_PROGRAMUNIT_H
