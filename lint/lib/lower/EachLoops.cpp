//===- EachLoops.cpp - Loops over all elements of a list ------------------===//

#include "EachLoops.h"

#include "BraceLists.h"
#include "CountedLoops.h"
#include "Cursors.h"
#include "ElementChoices.h"
#include "ForEach.h"
#include "IteratorLoops.h"
#include "ListSizes.h"
#include "LoopBody.h"
#include "LoopCounters.h"
#include "Strip.h"
#include "ValuePath.h"

#include "cxx/CallSite.h"
#include "cxx/Tuples.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// Whether \p T is a vector that has numbers, as its elements are.
bool ownsNumbers(QualType T) {
  if (T.isNull() || className(T.getCanonicalType()) != "std::vector")
    return false;
  const QualType Of = elementType(T.getCanonicalType());
  return !Of.isNull() && classify(Of) == TypeClass::Scalar;
}

/// Whether \p T is a pointer to numbers, or to a vector of some.
bool isBuffer(QualType T) {
  return !T.isNull() && T->isPointerType() &&
         classify(T) == TypeClass::Buffer &&
         (classify(T->getPointeeType()) == TypeClass::Scalar ||
          ownsNumbers(T->getPointeeType()));
}

/// The one handle in a `std::pair` or `std::tuple`, with names and numbers
/// perhaps; null if \p T is none of these, or has others.
QualType handleIn(QualType T) {
  QualType Out;
  for (const QualType Of :
       isTuple(T) ? elementsOf(T) : llvm::SmallVector<QualType, 4>()) {
    if (isHandle(Of) && !Out.isNull())
      return {};
    if (isHandle(Of))
      Out = Of;
  }
  return Out;
}

/// What one element of an array, or of a container of the library's, is that
/// can be told from others.
QualType listedIn(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  const std::string Name = className(T);
  if (!T->isArrayType() && !llvm::StringRef(Name).starts_with("std::"))
    return {};
  QualType Of = elementType(T);
  if (Name == "std::map" || Name == "std::unordered_map")
    Of = cast<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl())
             ->getTemplateArgs()[1]
             .getAsType();
  const QualType Handle = Of.isNull() ? Of : handleIn(Of);
  return Handle.isNull() ? Of : Handle;
}

bool isListOfHandles(QualType T) {
  return classify(T.getNonReferenceType()) == TypeClass::TensorList;
}

/// Whether \p T is an array of pointers to numbers: `float *const (&p)[N]`.
bool isListOfBuffers(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  return (T->isArrayType() || T->isPointerType()) && isBuffer(elementType(T));
}

class Finder : public RecursiveASTVisitor<Finder> {
public:
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    Ranges.push_back(S);
    return true;
  }
  bool VisitForStmt(ForStmt *S) {
    llvm::append_range(Cursors, cursorsOf(S));
    if (std::optional<CountedLoop> Loop = countedLoop(S))
      Counted.push_back(std::move(*Loop));
    else if (std::optional<IteratorLoop> Loop = iteratorLoop(S))
      Iterated.push_back(*Loop);
    else if (const VarDecl *Counter = numberOf(S))
      Others.push_back({S, Counter, nullptr, nullptr, nullptr, {S->getBody()}});
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt *S) {
    const Stmt *Before = nullptr;
    for (const Stmt *Each : S->body()) {
      const auto *While = dyn_cast<WhileStmt>(Each);
      if (While && Before)
        if (std::optional<CountedLoop> Loop = countedLoop(Before, While))
          Counted.push_back(std::move(*Loop));
      Before = Each;
    }
    return true;
  }
  bool VisitCallExpr(CallExpr *S) {
    Calls.push_back(S);
    return true;
  }
  std::vector<const CXXForRangeStmt *> Ranges;
  std::vector<CountedLoop> Counted, Cursors;
  std::vector<IteratorLoop> Iterated;
  std::vector<CountedLoop> Others; ///< of which nobody knows how far they go
  std::vector<const CallExpr *> Calls;
};

/// The number of elements of the array that \p List names, if its type says.
std::optional<llvm::APInt> numberOfElements(const Expr *List,
                                            const ASTContext &Ctx) {
  const auto *Array = Ctx.getAsConstantArrayType(
      strip(List)->IgnoreParenImpCasts()->getType().getNonReferenceType());
  return Array ? std::optional(Array->getSize()) : std::nullopt;
}

} // namespace

/// Whether the iterations of \p S go over all elements of an array, or which
/// it leaves out. What has no size of its own, or room for more elements than
/// anyone counts, is gone over as a whole if all loops go as far.
EachLoops::Reach EachLoops::reachOf(const CountedLoop &S,
                                    const Expr *List) const {
  const Expr *Bound = S.Bound;
  Expr::EvalResult R;
  const auto Size = numberOfElements(List, Ctx);
  if (Size && Bound->isValueDependent())
    return Reach::Unknown;
  if (Size && Bound->EvaluateAsInt(R, Ctx)) {
    const llvm::APSInt To = R.Val.getInt();
    return To == Size->getZExtValue()  ? Reach::All
           : To < Size->getZExtValue() ? Reach::Part
                                       : Reach::Unknown;
  }
  const auto It = Bounds.find(pathOf(List));
  return It != Bounds.end() && It->second.size() == 1 &&
                 !It->second.begin()->empty()
             ? Reach::All
             : Reach::Unknown;
}

void EachLoops::noteChoices(const EachLoop &Loop,
                            llvm::ArrayRef<const Stmt *> Of) {
  addElementChoices(Choices, Of, {{Loop.Variable}, {}});
}

void EachLoops::note(const CXXForRangeStmt *S) {
  const QualType List = S->getRangeInit()->getType(), Of = listedIn(List);
  const bool OfTensors = isListOfHandles(List) ||
                         (!Of.isNull() && classify(Of) == TypeClass::Tensor);
  const bool OfVectors = ownsNumbers(Of) && S->getLoopVariable() &&
                         S->getLoopVariable()->getType()->isReferenceType();
  if ((!OfTensors && !isBuffer(Of) && !OfVectors) || !S->getInc() ||
      !S->getRangeStmt()->isSingleDecl())
    return;
  LoopBody In(nullptr);
  In.TraverseStmt(const_cast<Stmt *>(S->getBody()));
  const std::vector<const ValueDecl *> Path = pathOf(S->getRangeInit());
  if (In.Leaves || (!Path.empty() && In.Mentions.count(Path)))
    return;
  const Expr *EndedOn = nullptr;
  for (const BreakStmt *Break : In.Breaks)
    if (EndedOn = lastOf(S->getBody()) == Break
                      ? S->getRangeInit()
                      : conditionOf(Break, S->getBody());
        !EndedOn)
      return;
  auto Loop = std::make_unique<EachLoop>();
  Loop->Loop = S;
  Loop->LeavesOut = EndedOn;
  Loop->Breaks = In.Breaks;
  Loop->Variable = S->getLoopVariable();
  Loop->Lists.push_back(S->getRangeInit());
  Loop->Gradients = OfTensors && In.Gradients;
  Starts[cast<VarDecl>(S->getRangeStmt()->getSingleDecl())] = Loop.get();
  Elements[Loop->Variable] = Loop.get();
  Increments[strip(S->getInc())] = Loop.get();
  Loops[S] = Loop.get();
  const Stmt *Only[] = {S->getBody()};
  noteChoices(*Loop, Only);
  All.push_back(std::move(Loop));
}

/// A loop whose variable, a number or an iterator, \p Condition asks for and
/// \p Step moves on.
void EachLoops::keep(std::unique_ptr<EachLoop> Loop, const Expr *Condition,
                     const Expr *Step, llvm::ArrayRef<const Stmt *> Body) {
  Starts[Loop->Variable] = Loop.get();
  Conditions[strip(Condition)] = Loop.get();
  Increments[strip(Step)] = Loop.get();
  Loops[Loop->Loop] = Loop.get();
  noteChoices(*Loop, Body);
  All.push_back(std::move(Loop));
}

void EachLoops::note(const CountedLoop &S) {
  const Expr *Counted = S.Bound ? listOfSize(S.Bound) : nullptr;
  bool IsPart = !Counted;
  if (IsPart && S.Bound)
    Counted = listOfPart(S.Bound);
  const bool OfSize = Counted && isListOfHandles(Counted->getType()) &&
                      !pathOf(Counted).empty();
  LoopBody In(S.Counter, S.Step);
  for (const Stmt *Part : S.Body)
    In.TraverseStmt(const_cast<Stmt *>(Part));
  if (In.Leaves || !In.Breaks.empty() || find(S.Loop))
    return;
  auto Loop = std::make_unique<EachLoop>();
  Loop->Loop = S.Loop;
  Loop->Variable = S.Counter;
  Loop->OfNumbers = true;
  for (const auto &[Path, Of] : In.Lists) {
    const QualType T = strip(Of.List)->IgnoreParenImpCasts()->getType();
    const bool OfHandles = isListOfHandles(T);
    const Reach To = OfSize               ? Reach::Unknown
                     : isListOfBuffers(T) ? reachOf(S, Of.List)
                                          : Reach::Unknown;
    // The others have names, to which nothing is done.
    const bool IsNamed = !OfSize && partGoneOver(S.Loop, Of.List).has_value();
    // Named otherwise too, it would be seen while the loop is at it.
    if (In.Mentions[Path] != Of.Elements.size() ||
        (To == Reach::Unknown && !OfHandles) ||
        (S.LeavesOutOne && !OfSize && !IsNamed))
      continue;
    if (!OfSize)
      IsPart = To == Reach::Part && !IsNamed;
    Loop->OfSome |= !OfSize && OfHandles;
    Loop->Gradients |= OfHandles && In.Gradients;
    for (const Expr *E : Of.Elements)
      Indexed[E] = {Loop.get(), static_cast<unsigned>(Loop->Lists.size())};
    Loop->Lists.push_back(Of.List);
  }
  Loop->LeavesOut =
      IsPart || (S.LeavesOutOne && OfSize) ? S.Condition : nullptr;
  if (Loop->Lists.empty())
    return;
  keep(std::move(Loop), S.Condition, S.Step,
       S.Bound ? llvm::ArrayRef(S.Body) : llvm::ArrayRef<const Stmt *>());
}

void EachLoops::note(const IteratorLoop &S) {
  const QualType List = S.List->getType();
  const QualType Of = elementType(List);
  if (!isListOfHandles(List) || Of.isNull() ||
      classify(Of) != TypeClass::Tensor)
    return;
  LoopBody In(S.Iterator);
  In.TraverseStmt(const_cast<Stmt *>(S.Loop->getBody()));
  if (In.Leaves || !In.Breaks.empty() || In.Mentions.count(pathOf(S.List)) ||
      In.Mentions[{S.Iterator}] != In.AtIterator.size())
    return;
  auto Loop = std::make_unique<EachLoop>();
  Loop->Loop = S.Loop;
  Loop->Variable = S.Iterator;
  Loop->OfNumbers = true;
  Loop->Gradients = In.Gradients;
  Loop->LeavesOut = S.LeavesOut;
  Loop->Lists.push_back(S.List);
  for (const Expr *E : In.AtIterator)
    Indexed[E] = {Loop.get(), 0};
  const Stmt *Only[] = {S.Loop->getBody()};
  keep(std::move(Loop), S.Loop->getCond(), S.Loop->getInc(), Only);
}

void EachLoops::note(const CallExpr *S) {
  const std::optional<ForEach> Of = forEach(S);
  const FunctionDecl *Called = Of ? Of->Called : nullptr;
  if (!Called || !Called->hasBody() || keepsElement(Called))
    return;
  LoopBody In(nullptr);
  In.TraverseStmt(Called->getBody());
  const std::vector<const ValueDecl *> Path = pathOf(Of->List),
                                       End = pathOf(Of->End);
  if (Path != End || (!Path.empty() && In.Mentions.count(Path)) ||
      (Path.empty() && Of->List != Of->End))
    return;
  auto Loop = std::make_unique<EachLoop>();
  Loop->Loop = S;
  Loop->Variable = Called->getParamDecl(0);
  Loop->OfNumbers = true;
  Loop->Lists.push_back(Of->List);
  Loop->Gradients = In.Gradients;
  Loops[S] = Loop.get();
  All.push_back(std::move(Loop));
}

void EachLoops::noteReturns(const EachLoop &Loop) {
  if (isa<CallExpr>(Loop.Loop))
    return;
  LoopBody In(nullptr);
  In.TraverseStmt(const_cast<Stmt *>(Loop.Loop));
  for (const ReturnStmt *S : In.Returns) {
    auto &Ended = Returns[S];
    const auto IsOutside = [&](const EachLoop *Other) {
      return Loop.Loop->getBeginLoc() < Other->Loop->getBeginLoc();
    };
    Ended.insert(llvm::find_if_not(Ended, IsOutside), &Loop);
  }
}

EachLoops::EachLoops(const FunctionDecl *FD)
    : Ctx(FD->getASTContext()), Shortened(FD) {
  Finder Found;
  Found.TraverseStmt(FD->getBody());
  for (const auto *Loops : {&Found.Counted, &Found.Others})
    for (const CountedLoop &S : *Loops) {
      LoopBody In(S.Counter);
      for (const Stmt *Part : S.Body)
        In.TraverseStmt(const_cast<Stmt *>(Part));
      for (const auto &[Path, Of] : In.Lists)
        Bounds[Path].insert(
            S.Condition && !S.LeavesOutOne ? printed(S.Bound, Ctx) : "");
    }
  for (const CXXForRangeStmt *S : Found.Ranges)
    note(S);
  for (const auto *Loops : {&Found.Counted, &Found.Cursors})
    for (const CountedLoop &S : *Loops)
      note(S);
  for (const IteratorLoop &S : Found.Iterated)
    note(S);
  for (const CallExpr *S : Found.Calls)
    note(S);
  Filled.emplace(FD, [this](const Stmt *S) {
    const EachLoop *Loop = find(S);
    return Loop && !Loop->OfSome;
  });
  for (const auto &Loop : All) {
    if (!Loop->LeavesOut && !isa<CallExpr>(Loop->Loop))
      Loop->LeavesOut = Shortened.shortened(Loop->Lists.front(), Loop->Loop);
    llvm::append_range(Loop->Fills, Filled->by(Loop->Loop));
    noteReturns(*Loop);
  }
}

} // namespace spmd::lint::lower
