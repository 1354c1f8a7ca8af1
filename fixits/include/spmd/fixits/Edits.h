//===- Edits.h - A repair as text -------------------------------*- C++ -*-===//

#ifndef SPMD_FIXITS_EDITS_H
#define SPMD_FIXITS_EDITS_H

#include "spmd/fixits/Repair.h"

namespace spmd::fixits {

/// A stretch of a source file and what stands there.
struct SourceText {
  std::string File; ///< absolute
  unsigned Offset = 0;
  unsigned Length = 0;
  unsigned Line = 0;
  unsigned Column = 0;
  std::string Text;
};

struct TextEdit {
  std::string File;
  unsigned Offset = 0;
  unsigned Length = 0;
  std::string Text;
};

/// What rendering needs to know about the program's text; the front end
/// implements it.
class SourceEnvironment {
public:
  virtual ~SourceEnvironment() = default;

  /// The text at a place; none inside macro bodies and generated code.
  virtual std::optional<SourceText> text(const rules::Function *F,
                                         rules::PlaceId At) const = 0;
  /// How the function can write a communicator over \p Axis alone, in the
  /// user's own words: `tp_`, `mesh.axis("tp")`. Empty when it cannot. One of
  /// the kind of \p Like, if that is not empty: raw calls take no other.
  virtual std::string axisSpelling(const rules::Function *F,
                                   llvm::StringRef Axis,
                                   llvm::StringRef Like = {}) const = 0;
  /// How it can write a mesh; empty when it cannot.
  virtual std::string meshSpelling(const rules::Function *F) const = 0;
  /// True when the expression is a tensor handle, which the library's operators
  /// take and return. Raw buffers cannot be wrapped.
  virtual bool isTensor(const rules::Function *F, rules::PlaceId At) const = 0;
  /// The whole statement around \p At with its semicolon, when the collective
  /// is all it does.
  virtual std::optional<SourceText> statement(const rules::Function *F,
                                              rules::PlaceId At) const = 0;
  /// The edit that makes <spmd/torch.h> visible in \p File, when it is not.
  virtual std::optional<TextEdit>
  includeLibrary(llvm::StringRef File) const = 0;
  /// The edit that puts \p Attribute in front of the variable at \p At where it
  /// is declared; none where that is no statement of its own, or has others.
  virtual std::optional<TextEdit>
  annotateVariable(const rules::Function *, rules::PlaceId,
                   llvm::StringRef /*Attribute*/) const {
    return std::nullopt;
  }
  /// `spmd::`, or empty under `using namespace spmd`.
  virtual std::string qualifier() const { return "spmd::"; }
  /// Whether what stands at \p At, a collective or a call, is all that the
  /// function does, or all that it returns.
  virtual bool isWholeBody(const rules::Function *F,
                           rules::PlaceId At) const = 0;
};

/// The edits of \p R, in order of place; empty when it cannot be written where
/// it is needed (no name for the axis in scope, a raw buffer, a macro).
std::vector<TextEdit> renderEdits(const Repair &R, const rules::Violation &V,
                                  const SourceEnvironment &Source);

/// Whether the functions that the call of \p R, a RemoveCall, runs do nothing
/// but the collective: then it may go.
bool isWholeCall(const Repair &R, const rules::Violation &V,
                 const SourceEnvironment &Source);

/// The edit of a repair at the variable, where it may be made so and the
/// library is not used in the file anyway.
std::optional<TextEdit> renderAtVariable(const Repair &R,
                                         const rules::Violation &V,
                                         const SourceEnvironment &Source);

/// `[[spmd::type("dp: V -> dp: P")]]`, for such a repair.
std::string conversionOf(const Repair &R, const rules::Violation &V);

/// What the repair does: "all_reduce 'x' on 'tp' first".
std::string describe(const Repair &R, const rules::Violation &V,
                     const SourceEnvironment &Source);

/// `'name'`, or the expression's text when it is short, or "this value".
std::string nameOf(const rules::ViolationOperand &O, const rules::Function *F,
                   const SourceEnvironment &Source);

/// What a value may be, for a sentence: "R", "S(0)", "R or I".
std::string inWords(const rules::AxisType &T);

/// `invariant_to_replicate`, `all_gather from S(0) to R`.
std::string nameOf(const rules::Transition &T, const rules::Atom &From,
                   const rules::Atom &To);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_EDITS_H
