//===- RecordLoops.cpp - Loops over the elements of a list of structs -----===//

#include "RecordLoops.h"

#include "Comparison.h"
#include "CountedLoops.h"
#include "KindsOfClasses.h"
#include "ListSizes.h"
#include "LoopBody.h"
#include "NameWords.h"
#include "Strip.h"
#include "ValuePath.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace clang;
using spmd::rules::BranchTest;

namespace spmd::lint::lower {

namespace {

using Path = std::vector<const ValueDecl *>;

/// Whether \p List has structs, or pointers to such.
bool isOfRecords(QualType List) {
  QualType Of = elementType(List);
  if (!Of.isNull() && (Of->isPointerType() || isHandle(Of)))
    Of = elementType(Of);
  return !Of.isNull() && Of->isRecordType() && classify(Of) == TypeClass::Other;
}

/// `for (l = First; l < Bound; l += Step)`
struct Range {
  const ForStmt *Loop = nullptr;
  const VarDecl *Counter = nullptr;
  std::uint64_t First = 0, Step = 1;
  const Expr *Bound = nullptr;
};

std::optional<std::uint64_t> numberOf(const Expr *E, const ASTContext &Ctx) {
  Expr::EvalResult R;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(R, Ctx) ||
      R.Val.getInt().isNegative())
    return std::nullopt;
  return R.Val.getInt().getLimitedValue();
}

/// What each iteration of \p S adds to \p VD.
std::optional<std::uint64_t> stepOf(const ForStmt *S, const VarDecl *VD,
                                    const ASTContext &Ctx) {
  if (isStep(S->getInc(), VD, /*Up=*/true))
    return 1;
  const auto *Add = dyn_cast_or_null<CompoundAssignOperator>(S->getInc());
  if (!Add || Add->getOpcode() != BO_AddAssign || !isNameOf(Add->getLHS(), VD))
    return std::nullopt;
  return numberOf(Add->getRHS(), Ctx);
}

std::optional<Range> rangeOf(const ForStmt *S, const ASTContext &Ctx) {
  if (const auto All = countedLoop(S); All && !All->LeavesOutOne)
    return Range{S, All->Counter, 0, 1, All->Bound};
  const auto *Is = dyn_cast_or_null<BinaryOperator>(S->getCond());
  const VarDecl *Counter = lower::numberOf(S);
  if (!Is || !isNameOf(Is->getLHS(), Counter))
    return std::nullopt;
  // `l = n - 1; l > 0; --l`
  if (const Expr *Above = aboveLast(Counter->getInit(), Ctx);
      Above && Is->getOpcode() == BO_GT && isNumber(Is->getRHS(), 0, Ctx) &&
      isStep(S->getInc(), Counter, /*Up=*/false))
    return Range{S, Counter, 1, 1, Above};
  if (Is->getOpcode() != BO_LT)
    return std::nullopt;
  const auto First = numberOf(Counter->getInit(), Ctx);
  const auto Step = stepOf(S, Counter, Ctx);
  if (!First || !Step || !*Step)
    return std::nullopt;
  return Range{S, Counter, *First, *Step, Is->getRHS()};
}

/// `list[2]`, `list.front()` and `list.back()` in an expression.
class SingleElement : public RecursiveASTVisitor<SingleElement> {
public:
  explicit SingleElement(const ASTContext &Ctx) : Ctx(Ctx) {}

  bool VisitExpr(Expr *E) {
    // `Layer &last = layers.back();`
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
          VD && VD->isLocalVarDecl() && VD->getInit() &&
          VD->getType()->isReferenceType())
        return TraverseStmt(const_cast<Expr *>(VD->getInit()));
    const Expr *Of = nullptr, *Index = nullptr;
    llvm::StringRef Method;
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      Of = A->getBase();
      Index = A->getIdx();
    } else if (isa<CXXOperatorCallExpr, CXXMemberCallExpr>(E)) {
      const CallSite C(E);
      Method = C.base();
      Of = C.Receiver;
      if (C.Arguments.size() == 1 && (Method == "operator[]" || Method == "at"))
        Index = C.Arguments[0];
      else if (!C.Arguments.empty() || (Method != "front" && Method != "back"))
        return true;
    }
    if (!Of || !isOfRecords(strip(Of)->IgnoreParenImpCasts()->getType()))
      return true;
    Number = Index               ? numberOf(Index, Ctx)
             : Method == "front" ? std::optional<std::uint64_t>(0)
                                 : std::nullopt;
    if (Number || !Index)
      List = pathOf(Of);
    return true;
  }
  Path List; ///< empty: there is none
  std::optional<std::uint64_t> Number;

private:
  const ASTContext &Ctx;
};

/// Whether \p Call may write what argument \p I points to.
bool isWritten(const CallExpr *Call, unsigned I) {
  const FunctionDecl *FD = Call->getDirectCallee();
  if (!FD || I >= FD->getNumParams() || isa<CXXOperatorCallExpr>(Call))
    return false;
  const QualType To = FD->getParamDecl(I)->getType()->getPointeeType();
  return !To.isNull() && !To.isConstQualified();
}

/// The loops of a function that take one struct after the other.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  explicit Finder(const ASTContext &Ctx) : Ctx(Ctx) {}
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }

  bool VisitForStmt(ForStmt *S) {
    const VarDecl *Counter = lower::numberOf(S);
    if (!Counter)
      return true;
    LoopBody In(Counter);
    In.TraverseStmt(S->getBody());
    if (In.Leaves)
      return true;
    const std::optional<Range> Of = rangeOf(S, Ctx);
    for (const auto &[List, Each] : In.Lists)
      if (isOfRecords(strip(Each.List)->IgnoreParenImpCasts()->getType())) {
        Numbered.push_back({S, Counter, List, Each.Elements});
        if (Of)
          Ranges[List].push_back(*Of);
      }
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    if (isOfRecords(S->getRangeInit()->getType()) && S->getLoopVariable())
      Each.push_back(S);
    return true;
  }
  bool VisitCallExpr(CallExpr *S) {
    // Of two elements, that which the call is to write.
    std::optional<ByNumber> Of;
    bool Writes = false;
    for (unsigned I = 0; I != S->getNumArgs(); ++I) {
      SingleElement Here(Ctx);
      Here.TraverseStmt(S->getArg(I));
      if (Here.List.empty() || (Of && !(isWritten(S, I) && !Writes)))
        continue;
      Of = {S, Here.List, Here.Number};
      Writes = isWritten(S, I);
    }
    if (Of)
      Given.push_back(*Of);
    return true;
  }

  struct ByCounter {
    const ForStmt *Loop;
    const VarDecl *Counter;
    Path List;
    llvm::SmallVector<const Expr *, 4> Elements;
  };
  struct ByNumber {
    const CallExpr *Call;
    Path List;
    std::optional<std::uint64_t> Number; ///< none: the last one
  };
  std::vector<ByNumber> Given;
  /// Whether some loop has an iteration for each element of \p List.
  bool comesToAll(const Path &List) const {
    const auto Of = Ranges.find(List);
    return (Of != Ranges.end() && llvm::any_of(Of->second,
                                               [](const Range &R) {
                                                 return !R.First && R.Step == 1;
                                               })) ||
           llvm::any_of(Each, [&](const CXXForRangeStmt *S) {
             return pathOf(S->getRangeInit()) == List;
           });
  }

  std::vector<ByCounter> Numbered;
  std::vector<const CXXForRangeStmt *> Each;
  std::map<Path, std::vector<Range>> Ranges; ///< by list

private:
  const ASTContext &Ctx;
};

/// Whether a condition asks for the number of an element, or for its size, and
/// for nothing else that may be another thing each time.
class AsksForNumber : public RecursiveASTVisitor<AsksForNumber> {
public:
  AsksForNumber(const VarDecl *Element, const Constancy &Constant,
                const FunctionDecl *In)
      : Element(Element), Constant(Constant), In(In) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    Asks |= VD == Element;
    Else |= VD && VD != Element && !Constant.isKeptHere(VD);
    // `int size = layers[i]->size;`
    if (VD && VD != Element && VD->isLocalVarDecl() && VD->getInit() &&
        Constant.isKeptHere(VD) && Constant.isPerTurn(VD))
      return TraverseStmt(const_cast<Expr *>(VD->getInit()));
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isComparisonOp() && leavesOutClass(E, In))
      for (const Expr *Side : {E->getLHS(), E->getRHS()})
        Kinds.insert(Side->IgnoreParenImpCasts());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E)) {
      const bool IsAt = O->getOperator() == OO_Subscript;
      Else |= IsAt
                  ? namedBy(strip(O->getArg(1))) != Element
                  : O->getOperator() != OO_Arrow && O->getOperator() != OO_Star;
      return true;
    }
    const auto *C = dyn_cast<CXXMemberCallExpr>(E);
    const CXXMethodDecl *D = C ? C->getMethodDecl() : nullptr;
    Else |=
        !D || D->getNumParams() || (!countsWhatItHas(D) && !Kinds.contains(C));
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    Else |= namedBy(E->getIdx()->IgnoreParenImpCasts()) != Element;
    return true;
  }
  bool Asks = false, Else = false;

private:
  const VarDecl *Element;
  const Constancy &Constant;
  const FunctionDecl *In;
  llvm::SmallPtrSet<const Expr *, 2> Kinds; ///< that tell classes apart
};

/// How many of `list.size()`, or none: an empty one is left out for good
/// reason.
bool tellsIfEmpty(const Expr *E, const ASTContext &Ctx) {
  E = E->IgnoreParenImpCasts();
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isLogicalOp())
    return tellsIfEmpty(B->getLHS(), Ctx) || tellsIfEmpty(B->getRHS(), Ctx);
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return tellsIfEmpty(U->getSubExpr(), Ctx);
  if (listOfSize(E))
    return true;
  const auto *B = dyn_cast<BinaryOperator>(E);
  const std::optional<Comparison> C =
      B ? comparedWithConstant(B, Ctx) : std::nullopt;
  return C && listOfSize(C->Number) && C->To < 2;
}

/// The condition of what \p S decides.
const Expr *conditionOf(const Stmt *S) {
  if (const auto *If = dyn_cast<IfStmt>(S))
    return If->getCond();
  return cast<BinaryOperator>(S);
}

/// `n` of `n / 2` and `n - 1`.
const Expr *wholeOf(const Expr *Bound, const ASTContext &Ctx) {
  const auto *B = dyn_cast<BinaryOperator>(Bound->IgnoreParenImpCasts());
  if (!B || (B->getOpcode() != BO_Div && B->getOpcode() != BO_Sub))
    return nullptr;
  const auto By = numberOf(B->getRHS(), Ctx);
  return By && *By > (B->getOpcode() == BO_Div ? 1U : 0U) ? B->getLHS()
                                                          : nullptr;
}

/// What tells the elements that \p Of comes to, whose numbers are called
/// \p Name, from the others; nothing if no bound that \p IsWhole says to be
/// that of all of them tells.
std::optional<BranchTest>
partOf(const Range &Of, const std::string &Name, const ASTContext &Ctx,
       llvm::function_ref<bool(const Expr *)> IsWhole) {
  using Relation = BranchTest::Relation;
  constexpr auto Elements = BranchTest::Kind::Elements;
  const auto Number = [](std::uint64_t N) {
    return static_cast<std::int64_t>(N);
  };
  if (const Expr *Whole = wholeOf(Of.Bound, Ctx); Whole && IsWhole(Whole))
    return BranchTest{Elements, Name + " < " + printed(Of.Bound, Ctx),
                      Relation::Unequal, 0};
  if (!IsWhole(Of.Bound))
    return std::nullopt;
  if (Of.Step == 2 && Of.First % 2) // else nothing says that it is 0 or 1
    return BranchTest{Elements, Name + " % 2", Relation::Unequal, 0};
  if (Of.Step > 1)
    return BranchTest{Elements, Name + " % " + std::to_string(Of.Step),
                      Relation::Equal, Number(Of.First % Of.Step)};
  if (Of.First == 1)
    return BranchTest{Elements, Name, Relation::Unequal, 0};
  if (Of.First)
    return BranchTest{Elements, Name, Relation::Greater, Number(Of.First) - 1};
  return std::nullopt;
}

/// \p Text with \p To for the variable \p From.
std::string renamed(llvm::StringRef Text, llvm::StringRef From,
                    llvm::StringRef To) {
  const auto IsName = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  std::string Out;
  while (!Text.empty()) {
    const llvm::StringRef Word = Text.take_while(IsName);
    const bool IsMember = llvm::StringRef(Out).ends_with(".") ||
                          llvm::StringRef(Out).ends_with("->");
    Out += Word == From && !IsMember ? To : Word;
    Text = Text.drop_front(Word.size());
    const llvm::StringRef Between =
        Text.take_until([&](char C) { return IsName(C); });
    Out += Between;
    Text = Text.drop_front(Between.size());
  }
  return Out;
}

} // namespace

RecordLoops::RecordLoops(const FunctionDecl *FD, const Constancy &Constant) {
  const ASTContext &Ctx = FD->getASTContext();
  Finder Found(Ctx);
  Found.TraverseStmt(FD->getBody());
  const auto Add = [&](const Stmt *Body, const VarDecl *Element,
                       NamedElement Named, const Names &Called) {
    ElementChoices Here;
    addElementChoices(Here, Body, std::move(Named));
    for (const auto &[S, OfGradient] : Here) {
      Expr *Condition = const_cast<Expr *>(conditionOf(S));
      AsksForNumber In(Element, Constant, FD);
      In.TraverseStmt(Condition);
      if (In.Asks && !In.Else && !tellsIfEmpty(Condition, Ctx))
        Choices.try_emplace(S, Called);
    }
  };
  std::map<Path, std::string> NameOf; ///< that of the first counter
  for (const auto &Loop : Found.Numbered) {
    const std::string Here = Loop.Counter->getNameAsString();
    NamedElement Named;
    Named.Mentions.insert(Loop.Elements.begin(), Loop.Elements.end());
    Add(Loop.Loop->getBody(), Loop.Counter, std::move(Named),
        {Here, NameOf.try_emplace(Loop.List, Here).first->second});
  }
  for (const CXXForRangeStmt *S : Found.Each)
    Add(S->getBody(), S->getLoopVariable(), {{S->getLoopVariable()}, {}}, {});
  for (const auto &Call : Found.Given) {
    const auto IsOther = [&](const auto &Other) {
      return Other.List == Call.List && Other.Number != Call.Number;
    };
    if (!Found.comesToAll(Call.List) || llvm::any_of(Found.Given, IsOther))
      continue;
    const auto Known = NameOf.find(Call.List);
    const std::string Name = Known == NameOf.end() ? "number" : Known->second;
    constexpr auto Elements = BranchTest::Kind::Elements;
    GivenTo.try_emplace(
        Call.Call, Call.Number
                       ? BranchTest{Elements, Name, BranchTest::Relation::Equal,
                                    static_cast<std::int64_t>(*Call.Number)}
                       : BranchTest{Elements, Name + " == last",
                                    BranchTest::Relation::Unequal, 0});
  }
  for (const auto &[List, Of] : Found.Ranges) {
    const auto IsWhole = [&, &This = List, &Loops = Of](const Expr *Bound) {
      const Expr *Sized = listOfSize(Bound);
      return (Sized && pathOf(Sized) == This) ||
             llvm::any_of(Loops, [&](const Range &Other) {
               return !Other.First && Other.Step == 1 &&
                      printed(Other.Bound, Ctx) == printed(Bound, Ctx);
             });
    };
    for (const Range &Loop : Of)
      if (const auto Part = partOf(Loop, NameOf[List], Ctx, IsWhole))
        ComesTo.try_emplace(Loop.Loop, *Part);
  }
}

std::optional<BranchTest> RecordLoops::givenTo(const Stmt *Call) const {
  const auto At = GivenTo.find(Call);
  return At == GivenTo.end() ? std::nullopt : std::optional(At->second);
}

std::optional<BranchTest> RecordLoops::comesTo(const Stmt *S) const {
  const auto At = ComesTo.find(S);
  return At == ComesTo.end() ? std::nullopt : std::optional(At->second);
}

BranchTest RecordLoops::named(const Stmt *S, BranchTest Test) const {
  using Relation = BranchTest::Relation;
  const auto At = Choices.find(S);
  if (At == Choices.end() || At->second.Here.empty())
    return Test;
  // No element has a negative number.
  if (Test.Of == At->second.Here && Test.R == Relation::Greater && !Test.To)
    Test.R = Relation::Unequal;
  else if (Test.Of == At->second.Here && Test.R == Relation::Less &&
           Test.To == 1)
    Test.R = Relation::Equal, Test.To = 0;
  else if (llvm::StringRef(Test.Of).ends_with(" % 2") && Test.To == 1 &&
           (Test.R == Relation::Equal || Test.R == Relation::Unequal))
    Test = Test.negated(), Test.To = 0;
  Test.Of = renamed(Test.Of, At->second.Here, At->second.Everywhere);
  return Test;
}

} // namespace spmd::lint::lower
