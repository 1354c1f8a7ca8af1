//===- Verifier.h - What every module keeps to ------------------*- C++ -*-===//
//
// What inference, linking and inlining take for granted. The text form is
// verified when it is parsed, what is lowered in builds with assertions.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_VERIFIER_H
#define SPMD_IR_VERIFIER_H

#include "spmd/ir/IR.h"

#include "llvm/Support/Error.h"

namespace spmd::rules {

/// A function, or a slot, block or fact of it.
struct IRPart {
  const Function *In = nullptr;
  std::optional<SlotId> Slot;
  std::optional<std::uint32_t> Block;
  std::optional<std::uint32_t> Fact; ///< of Block
};

/// What a part of a module is not, and was expected to be.
class VerifierError : public llvm::ErrorInfo<VerifierError> {
public:
  static char ID;
  VerifierError(IRPart Part, std::string Message)
      : Part(Part), Message(std::move(Message)) {}

  const IRPart &part() const { return Part; }
  /// "expected …", without the part.
  const std::string &reason() const { return Message; }
  /// "@f, b0, fact 2 at 3:7: expected …".
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  IRPart Part;
  std::string Message;
};

/// The first thing that is wrong, as a VerifierError.
llvm::Error verifyModule(const Module &M);

} // namespace spmd::rules

#endif // SPMD_IR_VERIFIER_H
