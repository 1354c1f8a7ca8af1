//===- Settings.cpp - Members that choose for a whole run -----------------===//

#include "Settings.h"

#include "Comparison.h"
#include "NameWords.h"
#include "Strip.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <set>
#include <utility>
#include <vector>

using namespace clang;

namespace spmd::lint::lower {

namespace {

using Fields = llvm::DenseSet<const FieldDecl *>;

const FieldDecl *fieldOf(const Expr *E) {
  const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts());
  return M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
}

/// The class of objects that \p T is, or points or refers to.
const RecordDecl *recordOf(QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  if (const auto *A = T->getAsArrayTypeUnsafe())
    T = A->getElementType();
  const RecordDecl *RD = T->getAsRecordDecl();
  return RD ? cast<RecordDecl>(RD->getCanonicalDecl()) : nullptr;
}

std::string nameOfClass(const RecordDecl *RD) {
  const TypedefNameDecl *Alias = RD->getTypedefNameForAnonDecl();
  return Alias ? Alias->getNameAsString() : RD->getNameAsString();
}

/// What one statement of a body does to members, itself and by what it calls.
struct Doing {
  Fields Asks, Changes;
  Fields Sets; ///< to a constant, or hands to one who does
  llvm::DenseSet<const FunctionDecl *> Calls;
};

/// What all bodies of a file say of members and classes.
struct Mentioned {
  llvm::DenseSet<const RecordDecl *> Many; ///< that have several objects
  /// As which the members are asked for.
  llvm::DenseMap<const FieldDecl *, std::set<std::string>> Paths;
  llvm::DenseSet<const MemberExpr *> All, Plain; ///< no more than that
  bool Freezes = false;
  Fields NotAboutOne; ///< asked for otherwise than whether there are several
};

/// Collects that, and what the statement that it reads does.
class Reader : public RecursiveASTVisitor<Reader> {
public:
  Reader(const ASTContext &Ctx, Mentioned &File) : Ctx(Ctx), File(File) {}

  Doing Here;

  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp()) {
      change(E->getLHS());
      if (E->getOpcode() == BO_Assign) {
        if (!E->getRHS()->isValueDependent() && E->getRHS()->isEvaluatable(Ctx))
          set(E->getLHS());
        notePlain(E->getLHS());
        notePlain(E->getRHS());
      }
    } else if (E->isComparisonOp() || E->isLogicalOp()) {
      ask(E->getLHS());
      ask(E->getRHS());
      noteNumber(*E);
    }
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (isa<FieldDecl>(E->getMemberDecl()))
      File.All.insert(E);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      change(E->getSubExpr(), E->getOpcode() == UO_AddrOf);
    else if (E->getOpcode() == UO_LNot)
      askIf(E->getSubExpr());
    return true;
  }
  bool VisitIfStmt(IfStmt *S) {
    askIf(S->getCond());
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator *E) {
    askIf(E->getCond());
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt *S) {
    ask(S->getCond());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (const FunctionDecl *F = E->getDirectCallee()) {
      File.Freezes |=
          F->getIdentifier() && (F->getName() == "set_requires_grad" ||
                                 F->getName() == "requires_grad_");
      Here.Calls.insert(F->getCanonicalDecl());
      for (unsigned I = F->getNumParams(); I < E->getNumArgs(); ++I)
        notePlain(E->getArg(I)); // printf
    }
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E);
        O && O->getOperator() == OO_Subscript)
      addElements(E->getType());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    const CXXConstructorDecl *D = E->getConstructor();
    Here.Calls.insert(D->getCanonicalDecl());
    // A guard sets it, and sets it back.
    for (unsigned I = 0; I != std::min(E->getNumArgs(), D->getNumParams()); ++I)
      if (const QualType T = D->getParamDecl(I)->getType();
          T->isLValueReferenceType() &&
          !T->getPointeeType().isConstQualified()) {
        change(E->getArg(I));
        set(E->getArg(I));
      }
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    addElements(E->getType());
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    if (D->getType()->isArrayType() || D->isCXXForRangeDecl())
      addElements(D->getType());
    return true;
  }

private:
  /// Whether it is zero.
  void askIf(const Expr *E) {
    ask(E);
    if (const FieldDecl *D = E ? fieldOf(E) : nullptr)
      File.NotAboutOne.insert(D);
  }
  void addElements(QualType T) {
    if (const RecordDecl *RD = recordOf(T))
      File.Many.insert(RD);
  }
  void notePlain(const Expr *E) {
    if (const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts()))
      File.Plain.insert(M);
  }
  /// `ranks > 1` asks whether there are several.
  void noteNumber(const BinaryOperator &E) {
    const std::optional<Comparison> C = comparedWithConstant(&E, Ctx);
    const bool IsStrict = C && (C->Op == BO_LT || C->Op == BO_GE);
    if (C && C->To == (IsStrict ? 2 : 1))
      return;
    for (const Expr *X : {E.getLHS(), E.getRHS()})
      if (const FieldDecl *D = fieldOf(X))
        File.NotAboutOne.insert(D);
  }
  void ask(const Expr *E) {
    const FieldDecl *D = E ? fieldOf(E) : nullptr;
    if (!D || !D->getType()->isIntegralOrEnumerationType())
      return;
    Here.Asks.insert(D);
    notePlain(E);
    File.Paths[D].insert(printed(E, Ctx));
  }
  /// Of a whole object, all its members.
  void change(const Expr *E, bool ByAddress = false) {
    if (const FieldDecl *D = fieldOf(E);
        D && D->getType()->isIntegralOrEnumerationType()) {
      Here.Changes.insert(D);
      return;
    }
    // A function that is given an object is looked at by itself.
    const RecordDecl *RD =
        ByAddress ? nullptr : E->getType()->getAsRecordDecl();
    if (const RecordDecl *Def = RD ? RD->getDefinition() : nullptr)
      Here.Changes.insert_range(Def->fields());
  }

  void set(const Expr *E) {
    if (const FieldDecl *D = fieldOf(E); D && D->getType()->isBooleanType())
      Here.Sets.insert(D);
  }

  const ASTContext &Ctx;
  Mentioned &File;
};

/// Finds the members that something changes once they have been asked for.
class ChangedLater {
public:
  ChangedLater(llvm::ArrayRef<const FunctionDecl *> Bodies,
               llvm::function_ref<Doing(const Stmt *)> Read)
      : Read(Read) {
    for (const FunctionDecl *FD : Bodies)
      Of[FD->getCanonicalDecl()] = Read(FD->getBody());
    for (bool Changed = true; std::exchange(Changed, false);)
      for (auto &[FD, Does] : Of)
        Changed |= addCallees(Does);
    for (const FunctionDecl *FD : Bodies) {
      Asked.clear();
      visit(FD->getBody());
    }
  }
  bool contains(const FieldDecl *D) const { return Later.contains(D); }
  /// Calls \p Each with a function, and a member that it sets so.
  void forEachSet(
      llvm::function_ref<void(const FunctionDecl *, const FieldDecl *)> Each)
      const {
    for (const auto &[FD, Does] : Of)
      for (const FieldDecl *D : Does.Sets)
        if (contains(D) && !isa<CXXConstructorDecl>(FD))
          Each(FD, D);
  }

private:
  static bool isLoop(const Stmt *S) {
    return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  }
  bool addCallees(Doing &Does) const {
    const auto Before = Does.Asks.size() + Does.Changes.size();
    for (const FunctionDecl *FD : Does.Calls)
      if (const auto It = Of.find(FD); It != Of.end() && &It->second != &Does) {
        Does.Asks.insert_range(It->second.Asks);
        Does.Changes.insert_range(It->second.Changes);
      }
    return Does.Asks.size() + Does.Changes.size() != Before;
  }
  /// One after the other; what only one of two branches does, the second does
  /// after the first.
  void visit(const Stmt *S) {
    if (!S)
      return;
    if (isa<CompoundStmt, IfStmt, LabelStmt, AttributedStmt>(S)) {
      if (const auto *If = dyn_cast<IfStmt>(S))
        if (const FieldDecl *D = fieldOf(If->getCond()))
          Asked.insert(D);
      for (const Stmt *Part : S->children())
        visit(Part);
      return;
    }
    const Doing Own = Read(S);
    Doing All = Own;
    addCallees(All);
    for (const FieldDecl *D : All.Changes)
      if (Asked.contains(D) || (isLoop(S) ? All : Own).Asks.contains(D))
        Later.insert(D);
    Asked.insert_range(All.Asks);
  }

  llvm::function_ref<Doing(const Stmt *)> Read;
  llvm::DenseMap<const FunctionDecl *, Doing> Of;
  Fields Asked, Later;
};

} // namespace

Settings::Settings(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  Mentioned File;
  std::vector<const FunctionDecl *> Read;
  llvm::copy_if(Bodies, std::back_inserter(Read), [](const FunctionDecl *FD) {
    return !FD->isDependentContext() && FD->getBody();
  });
  if (Read.empty())
    return;
  const ASTContext &Ctx = Read.front()->getASTContext();
  const ChangedLater Later(Read, [&](const Stmt *S) {
    Reader R(Ctx, File);
    R.TraverseStmt(const_cast<Stmt *>(S));
    return std::move(R.Here);
  });
  Later.forEachSet([this](const FunctionDecl *FD, const FieldDecl *D) {
    SetBy[D].insert(FD);
  });
  Freezes = File.Freezes;
  for (const auto &[Field, Texts] : File.Paths) {
    const RecordDecl *RD = Field->getParent();
    const std::string Class = nameOfClass(RD);
    if (Texts.size() > 1 && !Class.empty() && !Later.contains(Field) &&
        !File.Many.contains(cast<RecordDecl>(RD->getCanonicalDecl())))
      Names[Field] = Class + "::" + Field->getNameAsString();
    if (File.NotAboutOne.contains(Field) && !saysHowMany(Field->getName()))
      Choices.insert(Field);
  }
  for (const MemberExpr *E : File.All)
    if (!File.Plain.contains(E))
      Choices.erase(cast<FieldDecl>(E->getMemberDecl()));
}

bool Settings::isChoice(const Expr *E) const {
  const FieldDecl *D = fieldOf(E);
  return D && Choices.contains(D);
}

bool Settings::isSwitched(const Expr *E, const FunctionDecl *In) const {
  const FieldDecl *D = fieldOf(E);
  const auto By = D ? SetBy.find(D) : SetBy.end();
  return By != SetBy.end() && !By->second.contains(In->getCanonicalDecl());
}

std::optional<std::string> Settings::nameOf(const Expr *E) const {
  const FieldDecl *D = fieldOf(E);
  const auto It = D ? Names.find(D) : Names.end();
  return It == Names.end() ? std::nullopt : std::optional(It->second);
}

} // namespace spmd::lint::lower
