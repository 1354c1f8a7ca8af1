//===- FactWriter.h - Writes the facts of one function ----------*- C++ -*-===//
//
// Facts go to the block that is being written. It knows places and new slots;
// which storage has which slot is for SlotTable, what an expression is for
// ExprLowering.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_FACTWRITER_H
#define SPMD_LINT_LOWER_FACTWRITER_H

#include "ModuleLowering.h"

namespace spmd::lint::lower {

using rules::Operand;
using rules::PlaceId;
using rules::SlotId;

class FactWriter {
public:
  FactWriter(ModuleLowering &M, const clang::FunctionDecl *FD,
             rules::Function &F, FunctionSource &Source)
      : M(M), FD(FD), F(F), Source(Source) {}
  FactWriter(const FactWriter &) = delete;

  ModuleLowering &module() const { return M; }
  clang::ASTContext &context() const { return M.context(); }
  const clang::FunctionDecl *function() const { return FD; }
  rules::Function &ir() const { return F; }
  FunctionSource &source() const { return Source; }
  const rules::Slot &slot(SlotId S) const { return F.slot(S); }
  rules::Block &block() const { return F.Blocks[rules::index(Current)]; }
  /// What comes next is in \p B.
  void enter(rules::BlockId B) { Current = B; }

  PlaceId place(const clang::Stmt *S);
  PlaceId place(clang::SourceRange R);
  SlotId temporary() { return F.addTemporary(); }
  template <typename T> void emit(T Fact) {
    block().Facts.push_back(std::move(Fact));
  }
  /// \p Comm is what a rank or a size is of.
  SlotId define(rules::DefineFact::Kind K, const clang::Expr *At,
                SlotId Comm = SlotId::None);
  void assign(SlotId Dst, const clang::Expr *At, rules::DefineFact::Kind K,
              SlotId Comm = SlotId::None);
  SlotId defineRank(const clang::Expr *At, SlotId Comm);
  SlotId defineAxes(const clang::Expr *At, std::vector<std::string> Names);
  /// What \p D says with [[spmd::size]] of its value \p At; none without.
  SlotId declaredSize(const clang::NamedDecl *D, const clang::Expr *At);
  /// The gradient of a tensor.
  SlotId gradientOf(Operand Of, const clang::Expr *At);
  /// `zero_grad()`: what is gathered in the gradients of \p Of is dropped.
  void clearGradientsOf(Operand Of, const clang::Expr *At);
  SlotId emitOp(const rules::OpRule &Rule, llvm::ArrayRef<Operand> Operands,
                const clang::Expr *At, SlotId WritesTo = SlotId::None,
                bool Partial = false,
                llvm::ArrayRef<rules::OpArgument> Arguments = {});
  void joinList(SlotId List, Operand Value, const clang::Expr *At);

private:
  ModuleLowering &M;
  const clang::FunctionDecl *FD;
  rules::Function &F;
  FunctionSource &Source;
  rules::BlockId Current{0};
  llvm::DenseMap<const clang::Stmt *, PlaceId> PlaceOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_FACTWRITER_H
