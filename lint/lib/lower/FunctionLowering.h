//===- FunctionLowering.h - One body to blocks of facts ---------*- C++ -*-===//
//
// Clang's CFG lists every subexpression in the order of evaluation. Each is
// lowered when it comes, without recursion; its value is a slot that later
// expressions look up. A pointer and what it points to are one slot: aliases
// are bindings in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_FUNCTIONLOWERING_H
#define SPMD_LINT_LOWER_FUNCTIONLOWERING_H

#include "Constancy.h"
#include "EachLoops.h"
#include "GrowingLists.h"
#include "LoopCounters.h"
#include "ModuleLowering.h"
#include "SingleElements.h"
#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "spmd/ops/ScalarRules.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

using rules::Operand;
using rules::PlaceId;
using rules::SlotId;

class FunctionLowering {
public:
  FunctionLowering(ModuleLowering &M, const clang::FunctionDecl *FD,
                   rules::Function &F, FunctionSource &Source)
      : M(M), FD(FD), F(F), Source(Source) {}

  /// Parameters, result and axes: what callers see.
  void lowerSignature();
  void lowerMembers();
  void lowerBody();
  /// In place of a body: what unknown code may do to the parameters.
  void lowerAssumptions();

  //===--- What the recognisers of single APIs use
  //-------------------------===//

  SlotId value(const clang::Expr *E);
  Operand operand(const clang::Expr *E);
  /// Slot None when \p E is null or an absent optional.
  Operand operandOrNone(const clang::Expr *E);
  PlaceId place(const clang::Stmt *S);
  PlaceId place(clang::SourceRange R);
  template <typename T> void emit(T Fact) {
    F.Blocks[Current].Facts.push_back(std::move(Fact));
  }
  /// \p Comm is what a rank or a size is of.
  SlotId define(rules::DefineFact::Kind K, const clang::Expr *At,
                SlotId Comm = SlotId::None);
  /// The variable or member that \p E is, and the members that were set to it.
  llvm::SmallVector<SlotId, 2> namesOf(const clang::Expr *E);
  SlotId defineRank(const clang::Expr *At, SlotId Comm);
  /// What \p D says with [[spmd::size]] of its value \p At; none without.
  SlotId declaredSize(const clang::NamedDecl *D, const clang::Expr *At);
  /// The gradient of a tensor.
  SlotId gradientOf(Operand Of, const clang::Expr *At);
  SlotId defineAxes(const clang::Expr *At, std::vector<std::string> Names);
  void havoc(const clang::Expr *Argument, const clang::Expr *At);
  /// Unknown code has \p Argument: if it is a closure, it may be run.
  void lendClosure(const clang::Expr *Argument, const clang::Expr *At);
  void assign(SlotId Dst, const clang::Expr *At, rules::DefineFact::Kind K,
              SlotId Comm = SlotId::None);
  void assignNewStorage(SlotId Dst, const clang::Expr *At);
  SlotId element(Operand Of, const clang::Expr *Index, const clang::Expr *At);
  void joinList(SlotId List, Operand Value, const clang::Expr *At);
  SlotId emitOp(const rules::OpRule &Rule, llvm::ArrayRef<Operand> Operands,
                const clang::Expr *At, SlotId WritesTo = SlotId::None,
                bool Partial = false,
                llvm::ArrayRef<rules::OpArgument> Arguments = {});
  /// An operator of two numbers; one that assigns stores in \p Left.
  SlotId lowerArithmetic(clang::BinaryOperatorKind K, const clang::Expr *Left,
                         Operand Lhs, Operand Rhs, const clang::Expr *At);
  /// A value stored into what \p Target denotes.
  void store(const clang::Expr *Target, Operand Value, const clang::Expr *At);
  SlotId temporary() { return F.addTemporary(); }
  std::optional<std::int64_t> constant(const clang::Expr *E) const;
  clang::ASTContext &context() const { return M.context(); }
  ModuleLowering &module() { return M; }
  const clang::FunctionDecl *function() const { return FD; }
  const rules::Slot &slot(SlotId S) const { return F.slot(S); }
  SlotId fieldSlot(SlotId Base, llvm::StringRef Name,
                   const clang::ValueDecl *D = nullptr);
  /// A member of the object that the method is called on.
  SlotId ownFieldSlot(const clang::FieldDecl *Field) {
    return fieldSlot(thisSlot(), Field->getName(), Field);
  }
  /// The field if it was mentioned before.
  SlotId findField(SlotId Base, llvm::StringRef Member) const;
  /// The object that an in-place op on a chain of views changes; \p Partial is
  /// set when the chain selects a part.
  const clang::Expr *viewedObject(const clang::Expr *E, bool &Partial);
  /// The slot of \p E if it is an element of a list whose elements are slots
  /// of their own; else None.
  SlotId singleElement(const clang::Expr *E);
  /// A value that meets an annotated variable or field.
  void checkStore(SlotId Target, Operand Value, const clang::Stmt *At,
                  bool IsElement = false);
  /// \p Value is what a call of \p Callee makes, which promises a type.
  void checkResult(const clang::FunctionDecl *Callee, Operand Value,
                   const clang::Expr *At);
  const SingleElements &singles();
  const GrowingLists &growing();
  SlotId elementSlot(SlotId List, std::uint64_t Number) {
    return fieldSlot(List, "[" + std::to_string(Number) + "]");
  }
  /// The list \p List begins with what \p Values gives each element.
  void bindElements(SlotId List, const clang::InitListExpr *Values);
  /// Whether \p Call puts an element into a list that all elements are put in.
  bool fillsList(const clang::Expr *Call) {
    return eachLoops().filled().isFilling(Call);
  }
  /// The list that a loop over all its elements has \p Element of; else the
  /// tensor itself.
  SlotId listOf(const clang::Expr *Element);
  /// The list of all parameters of a module, or of an optimizer.
  SlotId parametersOf(SlotId Object) {
    return Object == SlotId::None ? Object
                                  : fieldSlot(Object, rules::ParametersMember);
  }
  /// The same of a \p Module whose members say what they are.
  SlotId parametersOf(SlotId Object, clang::QualType Module);
  /// Whether more is said of some parameters in the list \p List of a
  /// \p Module than of all of them.
  bool hasDifferentParts(SlotId List, clang::QualType Module);
  /// The state of the random generator that all code of the program shares.
  SlotId generatorSlot();
  /// What keeps its value in this function.
  const Constancy &constancy();
  /// The tensor whose size is asked for: a name of its own, if \p Tensor will
  /// name others later.
  void noteSized(const clang::Expr *Tensor);
  /// The same where the size is used.
  SlotId sizedTensor(const clang::Expr *Tensor) const;
  /// What was assigned to a field of a local options struct.
  const clang::Expr *lastFieldValue(const clang::Expr *Object,
                                    llvm::StringRef Field) const;

private:
  // Slots.cpp
  SlotId variableSlot(const clang::VarDecl *VD);
  bool isOutermost(const clang::VarDecl *VD) const;
  SlotId thisSlot();
  SlotId resultSlot();
  SlotId captureSlot(const clang::VarDecl *VD);
  void describe(rules::Slot &S, const clang::ValueDecl *D);
  void inherit(rules::Slot &S, const clang::ValueDecl *D) const;
  void noteHandle(SlotId S, const clang::ValueDecl *D);
  void bindArenas();
  std::string textOf(SlotId S) const;

  // LowerFunction.cpp
  void lowerEnd(const EachLoop &Loop, unsigned End);
  void leaveDecidedWay(const clang::CFGBlock &Of, unsigned Block);
  void enterNullWay(const clang::CFGBlock &Of, unsigned Block);
  void lowerElement(const clang::CFGElement &E);
  void lowerStatement(const clang::Stmt *S);
  Operand condition(const clang::CFGBlock &B);
  void findConditionals(const clang::Stmt *Body);
  void findEscapes();

  // Initialisation.cpp
  Operand converted(const clang::VarDecl *VD, Operand Value);
  void initialise(const clang::VarDecl *VD, const clang::Expr *Init);
  void initialiseElements(SlotId List, const clang::Expr *Init);
  void initialiseField(const clang::CXXCtorInitializer *Init);
  void defineFields(SlotId Object, const clang::Expr *Init);

  // LowerEach.cpp
  void beginEach(const EachLoop &Loop);
  void nextEach(const EachLoop &Loop);
  void endEach(const EachLoop &Loop);
  void leaveEach(const EachLoop &Loop, bool Visited);
  void keepUnchangedLists();
  SlotId eachElement(const clang::Expr *E);
  const EachLoops &eachLoops();

  // LowerExpr.cpp
  SlotId lowerExpr(const clang::Expr *E);
  SlotId ofOneRank(SlotId Named, const clang::Expr *E);
  SlotId lowerCast(const clang::CastExpr *E);
  SlotId lowerConstruct(const clang::CXXConstructExpr *E);
  SlotId wrapped(llvm::ArrayRef<const clang::Expr *> Parts,
                 const clang::Expr *At);
  SlotId lowerInitList(const clang::InitListExpr *E);
  SlotId summary(llvm::ArrayRef<const clang::Expr *> Elements,
                 const clang::Expr *At);
  SlotId lowerLambda(const clang::LambdaExpr *E);

  // LowerOperators.cpp
  SlotId lowerUnary(const clang::UnaryOperator *E);
  SlotId lowerBinary(const clang::BinaryOperator *E);
  SlotId lowerSubscript(const clang::Expr *Base, const clang::Expr *Index,
                        const clang::Expr *At);
  bool isCounted(const clang::Expr *Index);
  SlotId movePointer(Operand From, const clang::Expr *Offset, SlotId To,
                     const clang::Expr *At);
  SlotId lowerAssign(const clang::Expr *Target, const clang::Expr *Value,
                     const clang::Expr *At);
  const rules::OpRule *scalarRule(clang::BinaryOperatorKind K) const;

  // LowerCall.cpp
  SlotId lowerCall(const clang::Expr *E);
  SlotId lowerKnownCall(const CallSite &C, std::string Symbol);
  SlotId lowerUnknownCall(const CallSite &C);
  void giveModules(const CallSite &C);
  SlotId lowerOwnOp(const CallSite &C, const rules::OpRule &Rule);
  std::optional<SlotId> lowerLambdaCall(const CallSite &C);
  /// Whether what has the type \p T is another name of what \p Init names.
  static bool refers(clang::QualType T, const clang::Expr *Init);
  void requireResult(const rules::TypeAnnotation &Declared, PlaceId DeclaredAt,
                     llvm::StringRef Of, Operand Value, const clang::Expr *At);
  void checkReturn(rules::Operand Value, const clang::Expr *At);

  ModuleLowering &M;
  const clang::FunctionDecl *FD;
  rules::Function &F;
  FunctionSource &Source;
  SlotId Result = SlotId::None, Generator = SlotId::None;
  unsigned Current = 0;
  bool Entered = false;      ///< inside lowerBody
  std::vector<bool> OneRank; ///< blocks for an axis of one rank
  llvm::DenseMap<const clang::Expr *, SlotId> Values;
  llvm::DenseMap<const clang::Stmt *, PlaceId> PlaceOf;
  llvm::DenseMap<const clang::ValueDecl *, SlotId> Variables;
  llvm::StringMap<SlotId> Fields; ///< by base and member
  llvm::DenseMap<SlotId, const clang::FieldDecl *> FieldOf;
  /// Branches of `?:`, and the slot that each is a value of.
  llvm::DenseMap<const clang::Expr *,
                 const clang::AbstractConditionalOperator *>
      BranchOf;
  llvm::DenseSet<const clang::Expr *> Returned; ///< by themselves, or as one
  llvm::DenseMap<const clang::AbstractConditionalOperator *, SlotId> Merged;
  std::map<std::pair<SlotId, std::string>, const clang::Expr *> FieldValues;
  std::optional<Constancy> Constant;
  std::optional<SingleElements> Singles;
  std::optional<GrowingLists> Growing;
  /// Lists of parameters of which is known what they have in common, and those
  /// in which some have more.
  llvm::DenseSet<SlotId> CommonOf, DifferentParts;
  std::optional<SteppedNumbers> Stepped;
  std::optional<EachLoops> Each;
  /// A list of an EachLoop: what it held before, the element of the iteration,
  /// and what the iterations so far left; the same of the gradients.
  struct EachList {
    const clang::Expr *Mention = nullptr;
    Operand List;
    SlotId Before = SlotId::None, Element = SlotId::None, Done = SlotId::None;
    SlotId GradientsBefore = SlotId::None, GradientsDone = SlotId::None;
  };
  llvm::DenseMap<const EachLoop *, llvm::SmallVector<EachList, 2>> EachLists;
  llvm::DenseMap<const clang::Expr *, SlotId> Sized;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_FUNCTIONLOWERING_H
