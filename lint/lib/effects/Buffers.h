//===- Buffers.h - What is said of the buffers of calls ------- -*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_BUFFERS_H
#define SPMD_LINT_EFFECTS_BUFFERS_H

#include "Recursion.h"
#include "cxx/CallSite.h"

#include "spmd/collectives/Finding.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::effects {

class Buffers : PartLowering {
public:
  Buffers(const clang::ASTContext &Ctx, const rules::CollectiveApis &Apis,
          StatementWriter &Out, ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Ctx(Ctx), Apis(Apis) {}

  /// A sum of floats that are taken for integers is no sum. Calls that only
  /// move bytes may say what they like, but as many of another size are not
  /// all there is.
  void check(const CallSite &C, const rules::CollectiveCall &Api,
             llvm::StringRef Name);
  /// Adds what is known of the call's buffers beside their values.
  void describe(const CallSite &C, const rules::CollectiveCall &Api,
                collectives::Event &What);

  /// Calls that take a buffer of one type for one of another.
  llvm::ArrayRef<collectives::Finding> mistyped() const { return Mistyped; }
  /// Whether a call was given the variable itself.
  bool contains(const clang::VarDecl *D) const {
    return Given.contains(D->getCanonicalDecl());
  }

private:
  void checkReduced(const CallSite &C, const rules::CollectiveCall &Api,
                    llvm::StringRef Name);
  void checkMoved(const CallSite &C, const rules::CollectiveCall &Api,
                  llvm::StringRef Name);
  void checkFilled(const CallSite &C, const rules::CollectiveCall &Api,
                   llvm::StringRef Name);
  /// Notes that the call takes elements of the type \p Of for \p Said.
  collectives::Finding &add(collectives::BadArgument What, const CallSite &C,
                            llvm::StringRef Name, clang::QualType Of,
                            std::string Said);
  /// How many elements of a buffer one of what is counted stands for.
  unsigned elementsPerCount(const CallSite &C,
                            const rules::CollectiveCall &Api);
  std::uint64_t datatypeBits(llvm::StringRef Name) const;

  const clang::ASTContext &Ctx;
  const rules::CollectiveApis &Apis;
  llvm::DenseSet<const clang::VarDecl *> Given;
  std::vector<collectives::Finding> Mistyped;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_BUFFERS_H
