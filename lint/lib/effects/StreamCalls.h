//===- StreamCalls.h - Calls of CUDA's runtime and libraries ----*- C++ -*-===//
//
// The CUDA runtime, which HIP has under other names, cuBLAS and cuDNN: what is
// put on which stream, and who waits for whom.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_STREAMCALLS_H
#define SPMD_LINT_EFFECTS_STREAMCALLS_H

#include "Recursion.h"
#include "cxx/CallSite.h"

#include "clang/AST/ExprCXX.h"

namespace spmd::lint::effects {

class StreamCalls : PartLowering {
public:
  StreamCalls(const clang::ASTContext &Ctx, StatementWriter &Out,
              ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Ctx(Ctx) {}

  /// The status; null for what is no such call.
  const Expr *lower(const CallSite &C);
  void kernel(const clang::CUDAKernelCallExpr *E);
  /// Of a function that is declared to be an op: on the stream that it is
  /// given, or on the host.
  void declared(const CallSite &C);

private:
  /// On its handle's stream.
  const Expr *blas(const CallSite &C, llvm::StringRef Name);
  const Expr *dnn(const CallSite &C, llvm::StringRef Name);
  bool onStreams(const CallSite &C, llvm::StringRef Name);
  bool onMemory(const CallSite &C, llvm::StringRef Name);
  void onStream(const CallSite &C, const Expr *On, bool OnHandle, bool Blocks,
                llvm::ArrayRef<unsigned> Pointers,
                llvm::function_ref<bool(unsigned)> Writes, bool IsSeen = true);
  void read(const CallSite &C, llvm::ArrayRef<unsigned> Pointers);
  void act(const CallSite &C, collectives::StreamAction A,
           llvm::ArrayRef<const clang::Expr *> Of);

  const clang::ASTContext &Ctx;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_STREAMCALLS_H
