//===- LowerFunction.cpp - Blocks, statements, declarations ---------------===//

#include "BranchTests.h"
#include "LoopCounters.h"
#include "OneRank.h"
#include "Recognisers.h"

#include "cxx/AutogradFunctions.h"

#include "spmd/ir/Walk.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"

#include <set>
#include <tuple>

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {
/// Every mention of a variable, also in closures and in code never reached.
class MentionFinder : public RecursiveASTVisitor<MentionFinder> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Found.push_back(E);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (isa<FieldDecl>(E->getMemberDecl()))
      Bases.insert(E->getBase()->IgnoreParenImpCasts());
    return true;
  }
  std::vector<const DeclRefExpr *> Found;
  llvm::DenseSet<const Expr *> Bases; ///< of which a field is named
};
} // namespace

static bool neverReturns(const CFGBlock &B) {
  if (B.hasNoReturnElement())
    return true;
  for (const CFGElement &E : B)
    if (std::optional<CFGStmt> S = E.getAs<CFGStmt>())
      if (isa<CXXThrowExpr>(S->getStmt()))
        return true;
  return false;
}

/// The block \p End, between that which decides whether \p Loop goes on, which
/// was lowered last, and what is behind the loop. Where that has no iteration
/// for some elements, the two blocks after it are for those that have one, and
/// for the others.
void FunctionLowering::lowerEnd(const EachLoop &Loop, unsigned End) {
  auto &Ways = F.Blocks[Current].Successors;
  llvm::SmallVector<BlockId, 1> Next;
  if (Ways.size() == 2) // the second is the one out of the loop
    Next.push_back(std::exchange(Ways[1], BlockId(End)));
  const bool IsOne = OneRank[Current];
  const auto Enter = [&](unsigned Block) {
    OneRank[Block] = IsOne;
    Current = Block;
    return Block;
  };
  if (!Loop.LeavesOut) {
    Enter(End);
    leaveEach(Loop, /*Visited=*/true);
    F.Blocks[End].Successors.assign(Next.begin(), Next.end());
    return;
  }
  F.Blocks[Enter(End)].Condition.At = place(Loop.LeavesOut);
  F.Blocks[End].Test = boundTest(Loop.LeavesOut, context());
  for (const bool Visited : {true, false}) {
    const unsigned Block = Enter(End + (Visited ? 1 : 2));
    leaveEach(Loop, Visited);
    F.Blocks[End].Successors.push_back(BlockId(Block));
    F.Blocks[Block].Successors.assign(Next.begin(), Next.end());
  }
}

/// Where all objects were made with one value of what decides behind \p Of, one
/// way is left of \p Block.
void FunctionLowering::leaveDecidedWay(const CFGBlock &Of, unsigned Block) {
  rules::Block &B = F.Blocks[Block];
  const Expr *E = Of.getTerminatorCondition() ? Of.getLastCondition() : nullptr;
  if (!E || B.Successors.size() != 2 ||
      isa_and_nonnull<SwitchStmt>(Of.getTerminatorStmt()))
    return;
  if (const std::optional<bool> Is = M.options().decide(E)) {
    B.Successors = {B.Successors[*Is ? 0 : 1]};
    B.Condition = {};
    B.Test.reset();
  }
}

/// Where \p Of, which is lowered to \p Block, finds a pointer to be null, a
/// block says so.
void FunctionLowering::enterNullWay(const CFGBlock &Of, unsigned Block) {
  const auto [Pointer, IsNullIfTrue] = nullTest(Of);
  if (!Pointer || F.Blocks[Block].Successors.size() != 2)
    return;
  const SlotId Slot = value(Pointer);
  if (Slot == SlotId::None)
    return;
  BlockId &Way = F.Blocks[Block].Successors[IsNullIfTrue ? 0 : 1];
  const BlockId Next = std::exchange(Way, BlockId(F.Blocks.size()));
  F.Blocks.emplace_back();
  F.Blocks.back().Facts.push_back(NullFact{Slot, place(Pointer)});
  F.Blocks.back().Successors.push_back(Next);
  OneRank.push_back(false);
}

void FunctionLowering::lowerBody() {
  for (unsigned I = 0; I != FD->getNumParams(); ++I)
    Variables[FD->getParamDecl(I)->getCanonicalDecl()] = SlotId(I);

  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Options.AddInitializers = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.PruneTriviallyFalseEdges = true;
  std::unique_ptr<CFG> Graph =
      CFG::buildCFG(FD, FD->getBody(), &context(), Options);
  if (!Graph) {
    // The bodies that Clang gives up on are a contract like any other.
    F.Trusted = true;
    return;
  }
  findConditionals(FD->getBody());

  // Reverse post-order, so that predecessors come first outside of loops. What
  // is behind a loop over all elements of a list has a block of its own.
  PostOrderCFGView Order(Graph.get());
  llvm::DenseMap<const CFGBlock *, unsigned> IndexOf;
  const std::vector<const CFGBlock *> Blocks(Order.begin(), Order.end());
  llvm::DenseMap<const CFGBlock *, unsigned> EndOf; ///< by deciding block
  llvm::DenseMap<const CFGBlock *, llvm::SmallVector<const CFGBlock *, 1>>
      EndsBefore;
  unsigned NumBlocks = 0;
  const auto AddEnd = [&](const CFGBlock *B) {
    EndOf[B] = NumBlocks++;
    if (eachLoops().find(B->getTerminatorStmt())->LeavesOut)
      NumBlocks += 2;
  };
  for (const CFGBlock *B : Blocks) {
    for (const CFGBlock *Loop : EndsBefore.lookup(B))
      AddEnd(Loop);
    IndexOf[B] = NumBlocks++;
    if (!eachLoops().find(B->getTerminatorStmt()) || B->succ_size() != 2)
      continue;
    // What comes next is another loop's round, or behind this one.
    const CFGBlock *Next = *B->succ_rbegin();
    if (!Next || IndexOf.count(Next))
      AddEnd(B);
    else
      EndsBefore[Next].push_back(B);
  }
  if (Blocks.empty())
    return;
  llvm::DenseMap<const VarDecl *, BlockId> LoopOf; ///< by what counts
  for (const CFGBlock *B : Blocks)
    if (const auto *For = dyn_cast_or_null<ForStmt>(B->getTerminatorStmt()))
      if (const VarDecl *Counter = iterationCounter(For))
        LoopOf[Counter] = BlockId(IndexOf[B]);
  F.Blocks.resize(NumBlocks);
  OneRank.resize(NumBlocks);
  for (const auto &[B, IsOne] : llvm::zip_equal(
           Blocks, findBlocksOfOneRank(Blocks, constancy(), context())))
    OneRank[IndexOf[B]] = IsOne;
  Entered = true;
  for (const CFGBlock *B : Blocks) {
    const unsigned I = Current = IndexOf[B];
    for (const CFGElement &E : *B)
      lowerElement(E);
    F.Blocks[I].Condition = condition(*B);
    std::optional<BranchTest> Test =
        branchTest(*B, FD, constancy(), context(),
                   eachLoops().choosesElements(B->getTerminatorStmt()),
                   [&](const VarDecl *VD) {
                     const auto It = LoopOf.find(VD);
                     return It == LoopOf.end() ? BlockId::None : It->second;
                   });
    // Names of a list's elements are the same on all ranks.
    if (F.Blocks[I].Condition.At == PlaceId::None && Test &&
        Test->K == BranchTest::Kind::Elements) {
      const Expr *E = B->getLastCondition();
      F.Blocks[I].Condition = {define(DefineFact::Kind::Constant, E), place(E)};
    }
    if (F.Blocks[I].Condition.At != PlaceId::None)
      F.Blocks[I].Test = std::move(Test);
    for (const CFGBlock::AdjacentBlock &Succ : B->succs())
      if (const CFGBlock *S = Succ.getReachableBlock())
        if (auto It = IndexOf.find(S); It != IndexOf.end()) {
          // What the caller never sees is its own successor: exit() and throw
          // must not blur what holds at the return.
          const bool Leaves = S == &Graph->getExit() && neverReturns(*B);
          F.Blocks[I].Successors.push_back(BlockId(Leaves ? I : It->second));
        }
    leaveDecidedWay(*B, I);
    if (const auto End = EndOf.find(B); End != EndOf.end())
      lowerEnd(*eachLoops().find(B->getTerminatorStmt()), End->second);
    else
      enterNullWay(*B, I);
  }
  keepUnchangedLists();
  findEscapes();
  bindArenas();
}

/// Marks the locals that some code names without leaving a fact: what they hold
/// is then seen by more than the facts say.
void FunctionLowering::findEscapes() {
  // Where it stands: wrapped, as in `x.index({i, j})`, it is another
  // expression.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> Told;
  const auto Tell = [&](const Operand &O) {
    if (O.Slot == SlotId::None || O.At == PlaceId::None)
      return;
    const rules::Place &P = F.Places[index(O.At)];
    Told.insert({index(O.Slot), P.Line, P.Column});
  };
  const SourceManager &SM = context().getSourceManager();
  const auto IsTold = [&](SlotId S, const Expr *E) {
    const PresumedLoc At = SM.getPresumedLoc(SM.getFileLoc(E->getBeginLoc()));
    return At.isValid() &&
           Told.contains({index(S), At.getLine(), At.getColumn()});
  };
  for (const Fact &X : factsOf(F))
    forEachOperand(X, Tell);
  MentionFinder Mentions;
  Mentions.TraverseStmt(FD->getBody());
  for (const DeclRefExpr *E : Mentions.Found) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    if (!VD || !VD->isLocalVarDeclOrParm())
      continue;
    const bool Object = isObject(VD->getType().getNonReferenceType());
    if (!Object &&
        (!VD->isLocalVarDecl() || classify(VD->getType()) != TypeClass::Tensor))
      continue;
    const SlotId S = variableSlot(VD);
    if ((F.slot(S).Kind != SlotKind::Local && !F.slot(S).Owned) ||
        (Object && Mentions.Bases.contains(E)) || IsTold(S, E))
      continue;
    F.Slots[index(S)].Owned = false;
    F.Slots[index(S)].Escapes |= !Object;
  }
}

/// Whether \p E is computed from numbers of the host's: what a pointer, a
/// handle or an iterator is equal to says nothing about what it points to.
static bool isOfNumbers(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot)
    return isOfNumbers(U->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E);
      B && (B->isComparisonOp() || B->isLogicalOp()))
    return isOfNumbers(B->getLHS()) && isOfNumbers(B->getRHS());
  // Operators of classes compare handles, but for those that lead to a number.
  if (const auto *X = dyn_cast<CXXOperatorCallExpr>(E);
      X && X->getOperator() != OO_Subscript && X->getOperator() != OO_Star)
    return false;
  return E->getType()->isArithmeticType() || E->getType()->isEnumeralType();
}

/// What decides where the block \p B goes on.
Operand FunctionLowering::condition(const CFGBlock &B) {
  const Expr *E = B.getTerminatorCondition() ? B.getLastCondition() : nullptr;
  if (!E || !isOfNumbers(E) || E->isTypeDependent() || E->containsErrors())
    return {};
  const Operand If = operand(E);
  // The ways of a switch are not those of true and false.
  if (If.Slot != SlotId::None &&
      isa_and_nonnull<SwitchStmt>(B.getTerminatorStmt()))
    return {emitOp(ScalarRules::get().Math, {If}, E), If.At};
  return If;
}

void FunctionLowering::lowerElement(const CFGElement &E) {
  if (std::optional<CFGStmt> S = E.getAs<CFGStmt>())
    lowerStatement(S->getStmt());
  else if (std::optional<CFGInitializer> I = E.getAs<CFGInitializer>())
    initialiseField(I->getInitializer());
}

void FunctionLowering::lowerStatement(const Stmt *S) {
  if (const auto *E = dyn_cast<Expr>(S)) {
    const Expr *Stripped = strip(E);
    if (const EachLoop *Loop = eachLoops().decidedBy(E))
      nextEach(*Loop);
    if (const EachLoop *Loop = eachLoops().continuedBy(E))
      endEach(*Loop);
    value(E);
    auto It = BranchOf.find(Stripped);
    if (It == BranchOf.end() || E != Stripped)
      return;
    auto [Slot, New] = Merged.try_emplace(It->second, SlotId::None);
    if (New)
      Slot->second = temporary();
    const SlotId Into = Slot->second;
    const Operand From = operand(E);
    if (From.Slot == SlotId::None)
      return;
    if (Returned.contains(E))
      checkReturn(From, E);
    emit(BindFact{Into, From, place(E)});
    return;
  }
  if (const auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *One : D->decls())
      if (const auto *VD = dyn_cast<VarDecl>(One);
          VD && !VD->isInvalidDecl() && !VD->isStaticLocal()) {
        if (const EachLoop *Loop = eachLoops().elementOf(VD))
          nextEach(*Loop);
        initialise(VD, VD->getInit());
        if (const EachLoop *Loop = eachLoops().startedBy(VD))
          beginEach(*Loop);
      }
    return;
  }
  if (const auto *R = dyn_cast<ReturnStmt>(S)) {
    const Expr *V = R->getRetValue();
    const bool Tracked = V && !V->getType()->isVoidType();
    const Operand Value = Tracked ? operand(V) : Operand();
    if (Value.Slot != SlotId::None &&
        classify(V->getType()) == TypeClass::Other) {
      const bool Pointer = V->getType()->isPointerType();
      if (Pointer ? M.isOwnStruct(V->getType()->getPointeeType())
                  : V->getType()->isRecordType())
        emit(BindFact{resultSlot(), Value, PlaceId::None, /*Refers=*/Pointer});
    }
    if (V && isAutogradPass(FD, "backward") &&
        bindBraces(*this, resultSlot(), V))
      return emit(ReturnFact{{}, place(R)});
    emit(ReturnFact{Value, place(R)});
  }
}

/// \p Value, at \p At, is to be what the result of \p Of is declared to be.
void FunctionLowering::requireResult(const TypeAnnotation &Declared,
                                     PlaceId DeclaredAt, llvm::StringRef Of,
                                     Operand Value, const Expr *At) {
  AssertFact A;
  A.Value = Value;
  A.Type = std::make_shared<TypeSpec>(Declared.Entry);
  A.K = AssertFact::Kind::Return;
  A.Subject = Of.str();
  A.At = place(At);
  A.DeclaredAt = DeclaredAt;
  emit(std::move(A));
}

/// One of several values of which a return takes one: on its path there is no
/// other that could be what the function promises.
void FunctionLowering::checkReturn(Operand Value, const Expr *At) {
  if (F.Result && !isa<AbstractConditionalOperator>(At))
    requireResult(*F.Result, F.ResultAt, F.DisplayName, Value, At);
}

void FunctionLowering::checkResult(const FunctionDecl *Callee, Operand Value,
                                   const Expr *At) {
  if (const auto T = M.annotations().resultOf(Callee))
    requireResult(*T, place(T.Range), Callee->getName(), Value, At);
}

/// A value that meets an annotated variable or field.
void FunctionLowering::checkStore(SlotId Target, Operand Value, const Stmt *At,
                                  bool IsElement) {
  const Slot &S = F.slot(Target);
  // What changes from entry to exit is checked at the exit.
  if (!S.Declared || S.Declared->Exit || Value.Slot == SlotId::None ||
      Value.Slot == Target)
    return;
  AssertFact A;
  A.Value = Value;
  A.Type = std::make_shared<TypeSpec>(S.Declared->Entry);
  A.Mesh = S.Mesh;
  A.K = S.Kind == SlotKind::Field ? AssertFact::Kind::Field
                                  : AssertFact::Kind::Variable;
  A.IsElement = IsElement;
  A.Subject = S.Name;
  A.At = place(At);
  A.DeclaredAt = S.DeclaredAt;
  emit(std::move(A));
}

const SingleElements &FunctionLowering::singles() {
  if (!Singles)
    Singles.emplace(FD);
  return *Singles;
}

SlotId FunctionLowering::singleElement(const Expr *E) {
  if (const SlotId S = savedDatum(*this, E); S != SlotId::None)
    return S;
  const SingleElements::Element *Of = singles().find(strip(E));
  return Of ? elementSlot(value(Of->List), Of->Number) : SlotId::None;
}

const GrowingLists &FunctionLowering::growing() {
  if (!Growing)
    Growing.emplace(FD);
  return *Growing;
}

} // namespace spmd::lint::lower
