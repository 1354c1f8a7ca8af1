//===- LowerFunction.cpp - A signature, and a body to facts -------------===//

#include "LowerFunction.h"

#include "Amounts.h"
#include "BlockOrder.h"
#include "BranchTests.h"
#include "Conditions.h"
#include "Contracts.h"
#include "DataConditions.h"
#include "ElementCopies.h"
#include "Elements.h"
#include "Escapes.h"
#include "GivenHooks.h"
#include "Initialisation.h"
#include "LocalArenas.h"
#include "LowerBraceLists.h"
#include "LowerExpr.h"
#include "LowerModuleLoops.h"
#include "LowerParts.h"
#include "LowerPlaces.h"
#include "LowerPointerLoops.h"
#include "LowerRootCopies.h"
#include "NullTest.h"
#include "OneRank.h"
#include "OutPointers.h"
#include "PartAmounts.h"
#include "ProgramEnds.h"
#include "Recognisers.h"
#include "SplitBlocks.h"
#include "SwitchTests.h"

#include "cxx/AutogradFunctions.h"

#include "spmd/types/AxisAlgebra.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// \p T of an alias that is declared on another mesh; null where it has no
/// equal form.
static std::shared_ptr<const TypeAnnotation>
onMesh(const TypeAnnotation &T, const MeshSpec &From, const MeshSpec &To) {
  const auto Mapped = [&]() -> llvm::Expected<TypeSpec> {
    llvm::Expected<RankMesh> There = RankMesh::of(From);
    if (!There)
      return There.takeError();
    llvm::Expected<RankMesh> Here = RankMesh::of(To);
    return Here ? remap(T.Entry, *There, *Here) : Here.takeError();
  };
  llvm::Expected<TypeSpec> Entry = Mapped();
  if (Entry)
    return std::make_shared<const TypeAnnotation>(
        TypeAnnotation{withParts(*Entry, To), std::nullopt});
  llvm::consumeError(Entry.takeError());
  return nullptr;
}

/// What annotations of structs say of their tensors is part of the contract:
/// \p OnExit, of what they are at the end. Some of them nothing else names.
static void lowerMembers(FactWriter &L, SlotTable &Slots, bool OnExit) {
  const Function &F = L.ir();
  for (unsigned I = 0; I != F.NumParameters; ++I) {
    if (OnExit && (!F.Slots[I].Declared || !F.Slots[I].Declared->Exit))
      continue;
    const QualType T =
        L.function()->getParamDecl(I)->getType().getNonReferenceType();
    const QualType Of = T->isPointerType() ? T->getPointeeType() : T;
    if (F.Slots[I].Declared && L.module().isOwnStruct(Of))
      for (const FieldDecl *Field : Of->getAsRecordDecl()->fields())
        Slots.field(SlotId(I), Field->getName(), Field);
  }
}

void lowerSignature(FactWriter &L) {
  const FunctionDecl *FD = L.function();
  ModuleLowering &M = L.module();
  Function &F = L.ir();
  SlotTable Slots(L);
  F.NumParameters = FD->getNumParams();
  for (const ParmVarDecl *P : FD->parameters())
    Slots.parameter(P);
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && !MD->isStatic())
    Slots.self();
  // The values that a forward pass of autograd's returns are no R nor I before
  // its backward pass is looked at: calls check the promise.
  const Annotation<TypeAnnotation> Result = isAutogradPass(FD, "forward")
                                                ? Annotation<TypeAnnotation>()
                                                : M.annotations().resultOf(FD);
  F.Result = Result.Value;
  if (Result)
    if (const auto Mesh = M.otherMesh(Result.Where, FD))
      F.Result = onMesh(*Result, *Mesh, *M.annotations().meshInForce(FD));
  F.ResultAxes = M.axesOf(FD);
  F.ResultAt = L.place(Result ? Result.Range : FD->getSourceRange());
  if (!FD->hasBody() || F.Trusted)
    lowerMembers(L, Slots, /*OnExit=*/false);
}

namespace {

/// Goes over the control-flow graph of one body.
class FunctionLowering {
public:
  FunctionLowering(ModuleLowering &M, const FunctionDecl *FD, Function &F,
                   FunctionSource &Source)
      : L(M, FD, F, Source, lowerExpr), F(F), Parts(FD), Counts(FD), Sizes(FD) {
  }

  void lower();

private:
  void lowerBlock(const CFGBlock &B);
  void addTest(const CFGBlock &B);
  /// The block that begins the loop whose iterations \p Counter counts.
  BlockId loopOf(const VarDecl *Counter) const {
    const auto Loop = Order->LoopOf.find(Counter);
    return Loop == Order->LoopOf.end() ? BlockId::None : Loop->second;
  }
  void addWays(const CFGBlock &B);
  bool addCases(const CFGBlock &B);
  NumbersOfFile numbersOfFile() const {
    return {L.context(), L.module().options(), L.module().settings(),
            L.module().countedMembers()};
  }
  void lowerEnd(const EachLoop &Loop, BlockId End);
  void leaveDecidedWay(const CFGBlock &Of);
  void enterNullWay(const CFGBlock &Of);
  void lowerElement(const CFGElement &E);
  void lowerStatement(const Stmt *S);
  void lowerVariable(const VarDecl *VD);
  void lowerReturn(const ReturnStmt *S);
  void beginIteration(const EachLoop *Loop);
  void bindBranch(const Expr *E);

  ExprLowering L;
  Function &F;
  const PartAmounts Parts;
  const Amounts Counts;
  MadeSizes Sizes;
  std::optional<BlockOrder> Order;
  PointerTurns Turns;
  PendingCopies Copies;
};

} // namespace

void FunctionLowering::lower() {
  const FunctionDecl *FD = L.function();
  for (unsigned I = 0; I != FD->getNumParams(); ++I)
    L.Slots.name(FD->getParamDecl(I), SlotId(I));
  lowerMembers(L, L.Slots, /*OnExit=*/true);
  nameBeginnings(L);
  nameParts(L);

  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Options.AddInitializers = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.PruneTriviallyFalseEdges = true;
  std::unique_ptr<CFG> Graph =
      CFG::buildCFG(FD, FD->getBody(), &L.context(), Options);
  if (!Graph) { // what Clang gives up on is a contract like any other
    F.Trusted = true;
    return;
  }
  Order.emplace(*Graph, L.Body.eachLoops());
  if (Order->Blocks.empty())
    return;
  F.Blocks.resize(Order->Size);
  hookGivenObjects(L);
  for (const auto &[B, IsOne] : llvm::zip_equal(
           Order->Blocks, findBlocksOfOneRank(Order->Blocks, L.Body.constancy(),
                                              L.context()))) {
    L.setOneRank(IsOne);
    lowerBlock(*B);
  }
  unrollModules(L, *Order);
  unrollTurns(L, Turns);
  orderBlocks(F, Order->Size);
  L.Lists.keepUnchanged();
  findEscapes(L, L.Slots);
  bindArenas(L);
  bindBeginnings(L);
  L.Slots.bindParameterLists();
  L.Slots.markApart();
  markDecidedByReductions(F, L.Slots);
  // Of long functions half of it would be room for more.
  F.Slots.shrink_to_fit();
}

void FunctionLowering::lowerBlock(const CFGBlock &B) {
  L.enter(Order->NumberOf.lookup(&B));
  beginTurn(L, B);
  Copies.enter(L, B);
  for (const CFGElement &E : B)
    lowerElement(E);
  Copies.leave(L, B);
  L.block().Condition = lowerCondition(L, Sizes, B);
  addTest(B);
  addWays(B);
  if (const PointerLoops::Loop *Loop =
          L.Body.pointerLoops().find(B.getTerminatorStmt()))
    Turns.emplace_back(Loop, Order->NumberOf.lookup(&B));
  leaveDecidedWay(B);
  if (const auto End = Order->EndOf.find(&B); End != Order->EndOf.end())
    lowerEnd(*L.Body.eachLoops().find(B.getTerminatorStmt()), End->second);
  else
    enterNullWay(B);
  L.block().Facts.shrink_to_fit();
}

void FunctionLowering::addTest(const CFGBlock &B) {
  const Stmt *At = B.getTerminatorStmt();
  std::optional<BranchTest> Test = branchTest(
      B, L.function(), {L.Body.constancy(), Counts}, numbersOfFile(),
      L.Body.eachLoops().choosesElements(At, L.module().settings().freezes()) ||
          L.Body.recordLoops().choosesElements(At),
      [&](const VarDecl *VD) { return loopOf(VD); });
  if (Test && Parts.askedIn(B.getLastCondition()))
    Test->K = BranchTest::Kind::Flag;
  const RecordLoops &OfRecords = L.Body.recordLoops();
  Test = Test ? OfRecords.named(At, *std::move(Test)) : OfRecords.comesTo(At);
  Operand &Condition = L.block().Condition;
  // Names of a list's elements are the same on all ranks.
  if (Condition.At == PlaceId::None && Test &&
      (Test->K == BranchTest::Kind::Elements ||
       Test->K == BranchTest::Kind::Defined)) {
    const Expr *E = B.getLastCondition();
    Condition = {L.define(DefineFact::Kind::Constant, E), L.place(E)};
  }
  if (Condition.At != PlaceId::None) {
    L.block().OnData = !Test && isDecidedByData(B);
    if (L.block().OnData)
      Test = dataTest(B, L.context());
    L.block().Test = std::move(Test);
  }
}

/// The ways of a switch, where it decides by a number that keeps its value.
bool FunctionLowering::addCases(const CFGBlock &B) {
  // Not always that of B: a call may have ended it.
  const BlockId Here{static_cast<std::uint32_t>(&L.block() - F.Blocks.data())};
  const std::optional<BranchTest> Of = switchTest(
      B, L.function(), {L.Body.constancy(), Counts}, numbersOfFile());
  const bool Told = Of && lowerSwitch(L, B, *Of, [&](const CFGBlock *S) {
                      const auto To = Order->NumberOf.find(S);
                      return To == Order->NumberOf.end()
                                 ? std::nullopt
                                 : std::optional(To->second);
                    });
  L.enter(Here);
  return Told;
}

void FunctionLowering::addWays(const CFGBlock &B) {
  if (addCases(B))
    return;
  if (const auto End = Order->BehindBreak.find(B.getTerminatorStmt());
      End != Order->BehindBreak.end()) {
    L.block().Successors.push_back(End->second);
    return;
  }
  // As after a call of exit(), nothing goes on there.
  if (callsAbort(B, L.module().apis())) {
    const BlockId Stop{static_cast<std::uint32_t>(F.Blocks.size())};
    L.block().Successors.push_back(Stop);
    F.Blocks.emplace_back().Successors.push_back(Stop);
    return;
  }
  for (const CFGBlock::AdjacentBlock &Succ : B.succs())
    if (const CFGBlock *S = Succ.getReachableBlock())
      if (Order->NumberOf.contains(S)) {
        // What the caller never sees, behind exit() and throw, must not blur
        // what holds at the return.
        const bool Leaves = S == &B.getParent()->getExit() &&
                            endsProgram(B, L.function(), L.context());
        const BlockId Stop{static_cast<std::uint32_t>(F.Blocks.size())};
        L.block().Successors.push_back(Leaves ? Stop
                                              : Order->NumberOf.lookup(S));
        if (Leaves)
          F.Blocks.emplace_back().Successors.push_back(Stop);
      }
}

/// The block \p End, between that which decides whether \p Loop goes on, which
/// was lowered last, and what is behind the loop. Where that has no iteration
/// for some elements, the two blocks after it are for those that have one, and
/// for the others.
void FunctionLowering::lowerEnd(const EachLoop &Loop, BlockId End) {
  auto &Ways = L.block().Successors;
  llvm::SmallVector<BlockId, 1> Next;
  if (Ways.size() == 2) // the second is the one out of the loop
    Next.push_back(std::exchange(Ways[1], End));
  L.enter(End);
  Block &Behind = L.block();
  if (!Loop.LeavesOut) {
    L.Lists.leave(Loop, /*Visited=*/true);
    bindCopiedLists(L, Loop);
    Behind.Successors.assign(Next.begin(), Next.end());
    return;
  }
  Behind.Condition.At = L.place(Loop.LeavesOut);
  Behind.Test = boundTest(Loop.LeavesOut, L.context());
  for (const bool Visited : {true, false}) {
    const BlockId Block{rules::index(End) + (Visited ? 1U : 2U)};
    L.enter(Block);
    L.Lists.leave(Loop, Visited);
    Behind.Successors.push_back(Block);
    L.block().Successors.assign(Next.begin(), Next.end());
  }
}

/// Where all objects were made with one value of what decides behind \p Of, one
/// way is left.
void FunctionLowering::leaveDecidedWay(const CFGBlock &Of) {
  Block &B = L.block();
  const Expr *E = Of.getTerminatorCondition() ? Of.getLastCondition() : nullptr;
  if (!E || B.Successors.size() != 2 ||
      isa_and_nonnull<SwitchStmt>(Of.getTerminatorStmt()))
    return;
  if (const std::optional<bool> Is = L.module().options().decide(E)) {
    B.Successors = {B.Successors[*Is ? 0 : 1]};
    B.Condition = {};
    B.Test.reset();
    B.OnData = false;
  }
}

/// Where \p Of, which was lowered last, finds a pointer to be null, a block
/// says so.
void FunctionLowering::enterNullWay(const CFGBlock &Of) {
  const auto [Pointer, IsNullIfTrue] = nullTest(Of);
  if (!Pointer || L.block().Successors.size() != 2)
    return;
  const SlotId Slot = L.value(Pointer);
  if (Slot == SlotId::None)
    return;
  if (!IsNullIfTrue && givesOutIfAsked(Of.getTerminatorStmt(), Pointer)) {
    L.block().Condition = {};
    L.block().Test.reset();
    L.block().Successors.pop_back();
    return;
  }
  BlockId &Way = L.block().Successors[IsNullIfTrue ? 0 : 1];
  const BlockId Next = std::exchange(Way, BlockId(F.Blocks.size()));
  Block &Null = F.Blocks.emplace_back();
  Null.Facts.push_back(NullFact{Slot, L.place(Pointer)});
  Null.Successors.push_back(Next);
}

void FunctionLowering::lowerElement(const CFGElement &E) {
  if (std::optional<CFGStmt> S = E.getAs<CFGStmt>())
    lowerStatement(S->getStmt());
  else if (std::optional<CFGInitializer> I = E.getAs<CFGInitializer>())
    initialiseField(L, I->getInitializer());
}

void FunctionLowering::lowerStatement(const Stmt *S) {
  if (const auto *E = dyn_cast<Expr>(S)) {
    beginIteration(L.Body.eachLoops().decidedBy(E));
    if (const EachLoop *Loop = L.Body.eachLoops().continuedBy(E))
      L.Lists.end(*Loop);
    const std::size_t Before = L.block().Facts.size();
    L.value(E);
    if (std::optional<BranchTest> One = L.Body.recordLoops().givenTo(E))
      guardElement(L, Before, E, *std::move(One));
    if (const auto *Call = dyn_cast<CallExpr>(E))
      splitCall(L, Before, Call, [&](const Expr *Argument) {
        return iterationTest(Argument, L.function(),
                             {L.Body.constancy(), Counts}, numbersOfFile(),
                             [&](const VarDecl *VD) { return loopOf(VD); });
      });
    bindBranch(E);
  } else if (const auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *One : D->decls())
      if (const auto *VD = dyn_cast<VarDecl>(One);
          VD && !VD->isInvalidDecl() &&
          (!VD->isStaticLocal() || VD->hasAttr<CUDASharedAttr>()))
        lowerVariable(VD);
  } else if (const auto *R = dyn_cast<ReturnStmt>(S)) {
    lowerReturn(R);
  }
}

void FunctionLowering::beginIteration(const EachLoop *Loop) {
  const SlotId Element = Loop ? L.Lists.next(*Loop) : SlotId::None;
  if (Element != SlotId::None)
    L.setValue(strip(Loop->Variable->getInit()), Element);
}

void FunctionLowering::bindBranch(const Expr *E) {
  const AbstractConditionalOperator *Of = L.Body.conditionals().withBranch(E);
  if (!Of || E != strip(E))
    return;
  SlotId &Merged = L.merged(Of);
  if (Merged == SlotId::None)
    Merged = L.temporary();
  const Operand From = L.operand(E);
  if (From.Slot == SlotId::None)
    return;
  if (L.Body.conditionals().isReturned(E))
    checkReturn(L, From, E);
  if (readsElement(E))
    L.emitOp(ScalarRules::get().Copy, {From}, E, L.merged(Of));
  else
    L.emit(BindFact{L.merged(Of), From, L.place(E)});
}

void FunctionLowering::lowerVariable(const VarDecl *VD) {
  if (beginTurn(L, VD))
    return;
  beginIteration(L.Body.eachLoops().elementOf(VD));
  if (isPartName(L, VD))
    L.operandOrNone(VD->getInit());
  else if (!L.Slots.isListOfParts(VD))
    initialise(L, VD);
  if (const EachLoop *Loop = L.Body.eachLoops().startedBy(VD))
    beginLoop(L, *Loop);
}

void FunctionLowering::lowerReturn(const ReturnStmt *S) {
  const Expr *V = S->getRetValue();
  const bool Tracked = V && !V->getType()->isVoidType();
  const Operand Value = Tracked ? L.operand(V) : Operand();
  if (Value.Slot != SlotId::None && makesModule(V))
    drawParameters(L, Value.Slot, V->getType(), V);
  if (Value.Slot != SlotId::None &&
      classify(V->getType()) == TypeClass::Other) {
    const bool Pointer = V->getType()->isPointerType();
    if (Pointer ? L.module().isOwnStruct(V->getType()->getPointeeType())
                : V->getType()->isRecordType())
      L.emit(BindFact{L.Slots.result(), Value, PlaceId::None,
                      /*Refers=*/Pointer});
  }
  for (const EachLoop *Loop : L.Body.eachLoops().leftBy(S))
    L.Lists.leaveEarly(*Loop);
  if (V && isAutogradPass(L.function(), "backward") &&
      bindBraces(L, L.Slots.result(), V))
    return L.emit(ReturnFact{{}, L.place(S)});
  L.emit(ReturnFact{Value, L.place(S)});
}

void lowerFunction(ModuleLowering &M, const FunctionDecl *FD, Function &F,
                   FunctionSource &Source) {
  FunctionLowering(M, FD, F, Source).lower();
}

} // namespace spmd::lint::lower
