//===- RootCopies.cpp - Numbers of which one rank keeps its own -----------===//

#include "RootCopies.h"

#include "Strip.h"
#include "ValuePath.h"

#include "cxx/CallSite.h"
#include "cxx/KnownTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace clang;

namespace spmd::lint::lower {

namespace {

using Path = std::vector<const ValueDecl *>;

/// A variable, or one of its elements.
struct Named {
  const Expr *E = nullptr; ///< the variable
  Path Of;
  std::string Index; ///< empty: all of it

  bool operator==(const Named &O) const {
    return Of == O.Of && Index == O.Index;
  }
};

/// What `n`, `h[0]`, `c.width`, `h.item<int>()`, `s.c_str()` and
/// `std::string(s, n)` name; nothing of others.
std::optional<Named> namedIn(const Expr *E, const ASTContext &Ctx) {
  E = handedOver(E)->IgnoreParenCasts();
  if (const auto *Text = dyn_cast<CXXConstructExpr>(E);
      Text && Text->getNumArgs() && isStdClass(Text->getType(), "basic_string"))
    E = handedOver(Text->getArg(0))->IgnoreParenCasts();
  Named Out;
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) {
    const CallSite C(Call);
    if (!C.Receiver || !llvm::is_contained({"item", "c_str", "data"}, C.base()))
      return std::nullopt;
    E = strip(C.Receiver)->IgnoreParenImpCasts();
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    Out.Index = printed(A->getIdx(), Ctx);
    E = A->getBase()->IgnoreParenImpCasts();
  } else if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E);
             C && C->getOperator() == OO_Subscript && C->getNumArgs() == 2) {
    Out.Index = printed(handedOver(C->getArg(1)), Ctx);
    E = C->getArg(0)->IgnoreParenImpCasts();
  }
  if (!isa<DeclRefExpr, MemberExpr>(E))
    return std::nullopt;
  Out.E = E;
  Out.Of = pathOf(E);
  return Out.Of.empty() ? std::nullopt : std::optional(Out);
}

/// What a condition asks for, and whether it is to be zero.
struct Guard {
  std::string Of; ///< empty: there is none
  bool IsZero = false;

  bool isOtherThan(const Guard &O) const {
    return Of == O.Of && IsZero != O.IsZero;
  }
};

Guard guardOf(const Expr *E, const ASTContext &Ctx) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot) {
    Guard Of = guardOf(U->getSubExpr(), Ctx);
    Of.IsZero ^= true;
    return Of;
  }
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return {printed(E, Ctx), false};
  const bool Equal = B->getOpcode() == BO_EQ;
  if (!Equal && B->getOpcode() != BO_NE && B->getOpcode() != BO_GT)
    return {};
  Expr::EvalResult R;
  const bool Zero = B->getRHS()->EvaluateAsInt(R, Ctx) && R.Val.getInt() == 0;
  if (!Zero && B->getOpcode() == BO_GT)
    return {};
  return {printed(B->getLHS(), Ctx) +
              (Zero ? "" : " - " + printed(B->getRHS(), Ctx)),
          Equal};
}

/// The assignments of a body, each with the condition that it is made under.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  explicit Finder(const ASTContext &Ctx) : Ctx(Ctx) {}

  struct Assignment {
    const Expr *At;
    Named To, From;
    Guard Under;
    const IfStmt *If;
  };
  std::vector<Assignment> All;

  /// Whether something else than copies names the variable of \p Of: what
  /// nobody sends is put aside, and taken back.
  bool isUsed(const Named &Of) const {
    const ValueDecl *Variable = Of.Of.front();
    return !Variable || Mentions.lookup(Variable) > Copies.lookup(Variable);
  }

  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseIfStmt(IfStmt *S) {
    const Guard Outer = Under;
    const IfStmt *Around = If;
    Guard Here = S->getCond() ? guardOf(S->getCond(), Ctx) : Guard();
    const auto Branch = [&](Stmt *Body, bool Negated) {
      Under = Here;
      Under.IsZero ^= Negated;
      If = S;
      // A condition in another one is both of them.
      if (Around)
        Under.Of.clear();
      const bool GoesOn = TraverseStmt(Body);
      Under = Outer;
      If = Around;
      return GoesOn;
    };
    return TraverseStmt(S->getInit()) && Branch(S->getThen(), false) &&
           Branch(S->getElse(), true);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    ++Mentions[E->getDecl()];
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) {
    const auto *List =
        VD->getInit() ? dyn_cast<InitListExpr>(strip(VD->getInit())) : nullptr;
    for (unsigned I = 0; List && I != List->getNumInits(); ++I)
      if (const auto From = namedIn(List->getInit(I), Ctx))
        All.push_back(
            {nullptr, {nullptr, {VD}, std::to_string(I)}, *From, Under, If});
    if (const auto From =
            VD->getInit() ? namedIn(VD->getInit(), Ctx) : std::nullopt)
      All.push_back({nullptr, {nullptr, {VD}, ""}, *From, Under, If});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() == BO_Assign)
      add(E, E->getLHS(), E->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal && E->getNumArgs() == 2)
      add(E, E->getArg(0), E->getArg(1));
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    if (C.base() == "fill_" && C.Receiver && C.Arguments.size() == 1)
      add(E, C.Receiver, C.Arguments[0]);
    const bool IsText =
        C.Receiver && isStdClass(C.Receiver->getType(), "basic_string");
    if (IsText && C.base() == "copy")
      add(E, C.Arguments[0], C.Receiver);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Of = E->getDirectCallee();
    if (Of && Of->getIdentifier() && E->getNumArgs() > 1 &&
        llvm::is_contained({"strcpy", "strncpy", "memcpy", "memmove"},
                           Of->getName()))
      add(E, E->getArg(0), E->getArg(1));
    return true;
  }

private:
  void add(const Expr *At, const Expr *To, const Expr *From) {
    const auto Into = namedIn(To, Ctx), Of = namedIn(From, Ctx);
    if (!Into || !Of)
      return;
    All.push_back({At, *Into, *Of, Under, If});
    ++Copies[Into->Of.front()];
    ++Copies[Of->Of.front()];
  }

  const ASTContext &Ctx;
  /// By variable: how often it is named, and how often by a copy.
  llvm::DenseMap<const ValueDecl *, unsigned> Mentions, Copies;
  Guard Under;
  const IfStmt *If = nullptr;
};

} // namespace

RootCopies::RootCopies(const FunctionDecl *FD) {
  Finder In(FD->getASTContext());
  In.TraverseStmt(FD->getBody());
  for (std::size_t Take = 0; Take != In.All.size(); ++Take) {
    const auto &Taken = In.All[Take];
    if (!Taken.At || Taken.Under.Of.empty() || !Taken.To.Index.empty())
      continue;
    const auto Kept = llvm::ArrayRef(In.All).take_front(Take);
    const bool IsSent = llvm::any_of(Kept, [&](const auto &Fill) {
      return Fill.To == Taken.From && Fill.From == Taken.To &&
             (!Fill.If || Fill.Under.isOtherThan(Taken.Under));
    });
    if (IsSent && In.isUsed(Taken.From))
      Found[Taken.If].push_back({Taken.At, Taken.To.E, Taken.From.E});
  }
}

const RootCopies::Copy *RootCopies::find(const Stmt *Assignment) const {
  for (const auto &[If, Copies] : Found)
    for (const Copy &Of : Copies)
      if (Of.Assignment == Assignment)
        return &Of;
  return nullptr;
}

} // namespace spmd::lint::lower
