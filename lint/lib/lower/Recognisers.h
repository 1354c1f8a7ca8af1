//===- Recognisers.h - What is known of calls -------------------*- C++ -*-===//
//
// One recogniser per library, each in a file of apis/. It returns nothing for
// a call that is none of its business; a slot, or None, for one it lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_RECOGNISERS_H
#define SPMD_LINT_LOWER_RECOGNISERS_H

#include "ExprLowering.h"

#include "cxx/CallSite.h"

namespace spmd::lint::lower {

using Recognised = std::optional<SlotId>;

Recognised lowerSpmdCall(ExprLowering &L, const CallSite &C);
Recognised lowerSharded(ExprLowering &L, const CallSite &C);
Recognised lowerCollectiveCall(ExprLowering &L, const CallSite &C);
Recognised lowerCudaCall(ExprLowering &L, const CallSite &C);
Recognised lowerReducedPrecision(ExprLowering &L, const CallSite &C);
Recognised lowerStdCall(ExprLowering &L, const CallSite &C);
Recognised lowerGenerator(ExprLowering &L, const CallSite &C);
Recognised lowerAlgorithm(ExprLowering &L, const CallSite &C);
Recognised lowerLayer(ExprLowering &L, const CallSite &C);
Recognised lowerModuleCall(ExprLowering &L, const CallSite &C);
Recognised lowerAutograd(ExprLowering &L, const CallSite &C);
Recognised lowerTorchCall(ExprLowering &L, const CallSite &C);
Recognised lowerIndexing(ExprLowering &L, const CallSite &C);
Recognised lowerCatalogueCall(ExprLowering &L, const CallSite &C);

/// A module that is called \p Layer and applied: a function of the arguments
/// and of all parameters that is linear in none.
SlotId lowerWhole(ExprLowering &L, const CallSite &C, llvm::StringRef Layer);

/// `layer(x)` of a holder that TORCH_MODULE makes: the forward of the module it
/// holds that takes as many arguments; null for all other calls.
const clang::CXXMethodDecl *heldForward(const CallSite &C);

/// An engine of <random> that is made.
Recognised lowerEngine(ExprLowering &L, const clang::CXXConstructExpr *E);

/// Whether \p E makes a module, with values from the random generator.
bool makesModule(const clang::Expr *E);
/// The parameters of \p Module differ between ranks if the generator does.
void drawParameters(ExprLowering &L, SlotId Module, clang::QualType T,
                    const clang::Expr *At);

/// The optimizer that is made with \p Arguments.
SlotId lowerOptimizer(ExprLowering &L,
                      llvm::ArrayRef<const clang::Expr *> Arguments,
                      const clang::Expr *At);

/// Binds the elements of \p List to those in the braces that \p Init is; false
/// if it is none.
bool bindBraces(ExprLowering &L, SlotId List, const clang::Expr *Init);
/// What a forward pass keeps as `ctx->saved_data["key"]`; None if \p E is no
/// such thing.
SlotId savedDatum(ExprLowering &L, const clang::Expr *E);

/// The object that a constructor of std::pair or std::tuple makes.
Recognised lowerTuple(ExprLowering &L, const CallSite &C);
/// The name of element \p I: that of the data member where there is one.
std::string tupleMember(clang::QualType Tuple, std::uint64_t I);
/// The names of all elements of a pair or tuple that are tensors, lists of them
/// or pointers; of the first eight.
llvm::SmallVector<std::string, 4> tupleMembers(clang::QualType Tuple);
/// Whether \p E is what a container holds, a key with its value say.
bool isEntry(const clang::Expr *E);
/// The value of entry \p E, which has the slot \p Entry.
SlotId entryValue(ExprLowering &L, SlotId Entry, const clang::Expr *E,
                  const clang::Expr *At);

/// A string literal, whatever is made of it; null when \p E is none.
const clang::StringLiteral *stringOf(const clang::Expr *E);
std::optional<rules::LocalType> typeOfTag(clang::QualType T);
/// A spec that is put together of literals; null when it is not.
std::shared_ptr<const rules::TypeSpec> evaluatedSpec(ExprLowering &L,
                                                     const clang::Expr *E);

/// The same on a mesh that is refolded, in its form on the mesh in force.
std::shared_ptr<const rules::TypeSpec>
refoldedSpec(ExprLowering &L, const clang::Expr *E, const clang::Expr *Mesh);

/// Whether \p Mesh is, or is a constant made by, spmd::Mesh::refold.
bool isRefolded(ExprLowering &L, const clang::Expr *Mesh);
/// What is said on its axes, on those of the mesh in force. Null, or empty,
/// where it has no equal form there.
std::shared_ptr<const rules::TypeSpec>
unfolded(ExprLowering &L, const clang::Expr *Mesh, const rules::TypeSpec &T);
std::vector<std::string> unfolded(ExprLowering &L, const clang::Expr *Mesh,
                                  llvm::ArrayRef<std::string> Group);

/// The name of a constant of a communication library's: of the macro, the
/// enumerator or the string that \p E is.
std::string constantName(const rules::CollectiveApis &Apis,
                         const clang::ASTContext &Ctx, const clang::Expr *E);
std::string constantName(ExprLowering &L, const clang::Expr *E);
std::optional<rules::CallConstant> callConstant(ExprLowering &L,
                                                const clang::Expr *E);
Recognised namedCommunicator(ExprLowering &L, const clang::Expr *E);
/// `MPI_Comm *`: who has it can make it another communicator.
bool pointsToCommunicator(clang::QualType T);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_RECOGNISERS_H
