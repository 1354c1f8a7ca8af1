//===- EffectLowering.h - From the AST to an effect program -----*- C++ -*-===//
//
// Keeps of all functions of a file what decides which collectives each rank
// gets to, in which order, with which arguments. Calls in expressions become
// statements before the one that they are in.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_EFFECTLOWERING_H
#define SPMD_LINT_EFFECTS_EFFECTLOWERING_H

#include "cxx/CallSite.h"
#include "matchers/FileMatches.h"

#include "spmd/collectives/Finding.h"
#include "spmd/lint/UserFiles.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include <map>

namespace spmd::lint::effects {

struct Setup;

class EffectLowering {
public:
  /// \p OnlyAxis: the one that the file names; empty: it names none, or more.
  /// \p Differing: what types say to differ between its ranks. \p ForProgram:
  /// calls may lead to other files (Link.h).
  EffectLowering(clang::ASTContext &Ctx, const Config &Cfg, OwnFiles &Own,
                 std::string OnlyAxis,
                 const llvm::DenseSet<const clang::Stmt *> &Differing,
                 bool ForProgram)
      : Ctx(Ctx), Cfg(Cfg), Own(Own), OnlyAxis(std::move(OnlyAxis)),
        Differing(Differing), ForProgram(ForProgram),
        Annotations(Ctx, nullptr, [](clang::SourceLocation, std::string) {}) {}

  const collectives::EffectProgram &run(const FileMatches &File);
  clang::SourceLocation place(collectives::Site At) const {
    return Places[At.Id];
  }
  unsigned numPlaces() const { return Places.size(); }
  collectives::EffectProgram take() { return std::move(P); }
  /// Calls that reduce a buffer of one type as one of another.
  std::vector<collectives::Finding> Mistyped;

private:
  using Expr = collectives::Expr;
  using Stmt = collectives::Stmt;
  using Kind = collectives::StmtKind;
  using Trust = collectives::Trust;
  using Operator = collectives::Operator;

  //===--- Functions (EffectLowering.cpp) -----------------------------------//

  std::optional<unsigned> functionOf(const clang::FunctionDecl *FD);
  bool mayBeElsewhere(const clang::FunctionDecl *FD);
  void describe(const clang::FunctionDecl *FD, collectives::Function &F) const;
  void lowerBody(const clang::FunctionDecl *FD);
  void lowerInitialisers(const clang::CXXConstructorDecl *D);
  void addRoot(const Setup &S);
  unsigned variableOf(const clang::VarDecl *D);
  unsigned thisOf(const clang::DeclContext *In);
  /// What stands for it is a pointer to it.
  static bool isByReference(const clang::VarDecl *D);
  collectives::Site site(clang::SourceLocation Loc);

  //===--- Statements (Statements.cpp) --------------------------------------//

  void lower(const clang::Stmt *S);
  /// As one thread runs it.
  void lowerAsIs(const clang::Stmt *S);
  const Stmt *inside(const clang::Stmt *S);
  /// The statements that \p By makes, apart from those around them.
  std::vector<const Stmt *> made(llvm::function_ref<void()> By);
  const Stmt *sequence(std::vector<const Stmt *> Body);
  void lowerCompound(const clang::CompoundStmt *S);
  void lowerDecl(const clang::VarDecl *D);
  void initialise(const Expr *Into, const clang::Expr *From);
  void initialiseArray(const Expr *Into, const clang::InitListExpr *From);
  void lowerIf(const clang::IfStmt *S);
  void lowerSwitch(const clang::SwitchStmt *S);
  void lowerLoop(const clang::Stmt *At, const clang::Expr *Condition,
                 const clang::Stmt *Body, const clang::Expr *Step,
                 bool BodyFirst, const clang::VarDecl *Tested);
  void lowerEach(const clang::CXXForRangeStmt *S);
  void lowerEachOfVector(const clang::CXXForRangeStmt *S);
  void lowerTry(const clang::CXXTryStmt *S);
  void lowerReturn(const clang::ReturnStmt *S);
  /// Ends the objects in \p Scoped from \p First on, the last first.
  void destroy(std::size_t First, clang::SourceLocation At);
  Stmt &emit(Kind K, clang::SourceLocation At);
  void giveUp(const clang::Stmt *S);
  void flush();

  //===--- Threads (OpenMp.cpp) ---------------------------------------------//

  bool isForThreads(const clang::Stmt *S);
  void lowerForThreads(const clang::Stmt *S, const clang::Stmt *Body);

  //===--- Expressions (Expressions.cpp) ------------------------------------//

  const Expr *value(const clang::Expr *E);
  const Expr *valueAsIs(const clang::Expr *E);
  const Expr *place(const clang::Expr *E);
  const Expr *constant(const clang::Expr *E);
  const Expr *cast(const clang::CastExpr *E);
  const Expr *unary(const clang::UnaryOperator *E);
  const Expr *binary(const clang::BinaryOperator *E);
  const Expr *isNan(const clang::Expr *X);
  const Expr *logical(const clang::BinaryOperator *E);
  const Expr *conditional(const clang::AbstractConditionalOperator *E);
  const Expr *field(const Expr *Of, llvm::StringRef Name);
  const Expr *element(const Expr *Of, const Expr *Index, bool OfPointer);
  const Expr *target(const Expr *Pointer);
  const Expr *temporary();
  const Expr *function(unsigned Number);
  const Expr *conditionalOf(const Expr *If, const Expr *A, const Expr *B);
  void assign(const Expr *Into, const Expr *Value, clang::SourceLocation At);
  const Stmt *assignment(const Expr *Into, const Expr *Value);
  void forget(const Expr *What, clang::SourceLocation At);
  const Expr *visited(const clang::Expr *E);
  const Expr *unreadable(const clang::RecoveryExpr *E);

  //===--- Calls (LowerCalls.cpp) -------------------------------------------//

  /// The value of the call; of one that returns a record or a reference, a
  /// pointer to it.
  const Expr *call(const clang::Expr *E);
  const Expr *lowerCall(const clang::Expr *E);
  const Expr *event(const CallSite &C, const rules::CollectiveCall &Api);
  void addOptions(collectives::Event &Of, const clang::Expr *Struct);
  void checkBuffers(const CallSite &C, const rules::CollectiveCall &Api,
                    llvm::StringRef Name);
  const Expr *ownCall(const CallSite &C, unsigned Callee, const Expr *This);
  const Expr *emitCall(const CallSite &C, unsigned Callee,
                       std::vector<const Expr *> Arguments);
  const Expr *libraryCall(const CallSite &C);
  const Expr *argument(const clang::Expr *E, clang::QualType To);
  const Expr *handleOf(const clang::Expr *Receiver);
  void construct(const Expr *Into, const clang::CXXConstructExpr *E);
  void forgetArgument(const clang::Expr *A, clang::QualType To);
  bool isLibrary(const clang::FunctionDecl *FD) const;

  //===--- Calls of the runtime (TypedOperators.cpp) ------------------------//

  bool constructRuntime(const Expr *Into, const clang::CXXConstructExpr *E);
  const Expr *viewed(const clang::Expr *A, collectives::Event &What);
  const Expr *axisOf(const CallSite &C);
  const Expr *asked(const CallSite &C, rules::CallKind K, const Expr *Axis);
  const Expr *awaited(const CallSite &C);
  const Expr *reduced(const CallSite &C);
  const Expr *collective(const CallSite &C, rules::CallKind K);
  const Expr *runtimeCall(const CallSite &C);

  //===--- Which function it is (Callees.cpp) -------------------------------//

  void noteOverridden(const clang::CXXMethodDecl *By,
                      const clang::CXXMethodDecl *MD);
  std::optional<unsigned> calleeOf(const CallSite &C);
  static bool isFunctionObject(clang::QualType T);
  const Expr *heldFunction(const clang::CXXConstructExpr *E);
  const Expr *forwardCall(const CallSite &C);
  const Expr *indirectCall(const clang::Expr *E, const Expr *Callee,
                           llvm::ArrayRef<const clang::Expr *> Given);

  //===--- Storage in use (Accesses.cpp) ------------------------------------//

  std::string spelled(const clang::Expr *E) const;
  Stmt &access(const Expr *Pointer, bool Writes, llvm::StringRef By,
               clang::SourceLocation At);
  void end(const Expr *Pointer, llvm::StringRef By, clang::SourceLocation At);
  const Expr *storage(const Expr *Handle);
  static bool isTensor(clang::QualType T);
  static bool isVector(clang::QualType T);
  bool hostCall(const CallSite &C, llvm::StringRef Name,
                llvm::ArrayRef<const Expr *> Values);
  void tensorAccesses(const CallSite &C, llvm::ArrayRef<const Expr *> Values);
  void hand(const CallSite &C, llvm::ArrayRef<const Expr *> Values);
  unsigned elementsPerCount(const CallSite &C,
                            const rules::CollectiveCall &Api);
  std::uint64_t datatypeBits(llvm::StringRef Name) const;
  void describe(const CallSite &C, const rules::CollectiveCall &Api,
                collectives::Event &What);
  void endBuffers(const clang::CompoundStmt *S);
  const Expr *containerCall(const CallSite &C);
  bool constructContainer(const Expr *Into, const clang::CXXConstructExpr *E);

  //===--- What annotations say (DeclaredVarying.cpp) -----------------------//

  bool varies(const clang::ValueDecl *D);
  collectives::Declared declaredNumber(const clang::Expr *E);
  void varyIfDeclared(const clang::VarDecl *D);
  bool differs(const clang::Expr *E) const;

  /// The rank, or the number of ranks, as a launcher tells it
  /// (LauncherVariables.cpp).
  const Expr *launcherNumber(const CallSite &C);

  //===--- Streams (StreamCalls.cpp) ----------------------------------------//

  void onStream(const CallSite &C, const Expr *On, bool OnHandle, bool Blocks,
                llvm::ArrayRef<unsigned> Pointers,
                llvm::function_ref<bool(unsigned)> Writes);
  void kernel(const clang::CUDAKernelCallExpr *E);
  void streamAction(const CallSite &C, collectives::StreamAction A,
                    llvm::ArrayRef<const clang::Expr *> Of);
  const Expr *blasCall(const CallSite &C, llvm::StringRef Name);
  const Expr *allocateShared(const CallSite &C);
  const Expr *streamCall(const CallSite &C);

  clang::ASTContext &Ctx;
  const Config &Cfg;
  OwnFiles &Own;
  const std::string OnlyAxis;
  const llvm::DenseSet<const clang::Stmt *> &Differing;
  const bool ForProgram;
  AnnotationReader Annotations;
  collectives::EffectProgram P;
  std::vector<clang::SourceLocation> Places{clang::SourceLocation()};
  llvm::DenseMap<const clang::FunctionDecl *, unsigned> Functions;
  std::vector<const clang::FunctionDecl *> Pending;
  llvm::DenseMap<const clang::VarDecl *, unsigned> Variables;
  llvm::DenseMap<const clang::DeclContext *, unsigned> This;
  /// Those with a body in the file, by what they override.
  llvm::DenseMap<const clang::CXXMethodDecl *,
                 llvm::SmallPtrSet<const clang::CXXMethodDecl *, 2>>
      Overriders;
  llvm::DenseMap<const clang::LabelDecl *, unsigned> Labels;
  std::map<clang::FileID, bool> HasDirectives; ///< ignored ones of OpenMP
  std::vector<const Stmt *> Out; ///< of the sequence that is being made
  std::optional<Stmt> Open;      ///< made last, and not yet in Out
  const clang::FunctionDecl *Current = nullptr;
  /// Objects whose end is seen, and how many were there where the innermost
  /// loop begins.
  std::vector<const clang::VarDecl *> Scoped;
  std::size_t InLoop = 0;
  /// The calls of the statement that is being lowered.
  llvm::DenseMap<const clang::Expr *, const Expr *> Called;
  /// Variables that are buffers of calls.
  llvm::DenseSet<const clang::VarDecl *> Buffers;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_EFFECTLOWERING_H
