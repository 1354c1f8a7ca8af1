//===- Setups.cpp - Functions that prepare what others read ---------------===//

#include "Setups.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::effects {

/// With more, nobody can say in which order they are called.
static constexpr std::size_t MaxBefore = 3;

//===--- What a body does ---------------------------------------------------//

namespace {
class StateFinder : public RecursiveASTVisitor<StateFinder> {
public:
  StateFinder(StateUses &Out, const rules::CollectiveApis &Apis)
      : Out(Out), Apis(Apis) {}
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitMemberExpr(MemberExpr *E) {
    note(E, Out.Read);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    note(E, Out.Read);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      note(E->getLHS(), Out.Written);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      note(E->getSubExpr(), Out.Written);
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    if (D->getType()->isReferenceType() && D->getInit() &&
        !D->getType()->getPointeeType().isConstQualified())
      note(D->getInit(), Out.Written);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *FD = E->getDirectCallee();
    if (isa<CXXOperatorCallExpr>(E) && E->getNumArgs() &&
        cast<CXXOperatorCallExpr>(E)->isAssignmentOp())
      note(E->getArg(0), Out.Written);
    if (!FD)
      return true;
    for (unsigned I = 0; I < E->getNumArgs() && I < FD->getNumParams(); ++I) {
      const QualType T = FD->getParamDecl(I)->getType();
      if (T->isReferenceType() && !T->getPointeeType().isConstQualified())
        note(E->getArg(I), Out.Written);
    }
    if (FD->getDeclName().isIdentifier())
      noteCall(qualifiedName(FD));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    noteCall(qualifiedName(E->getConstructor()));
    return true;
  }
  bool TraverseConstructorInitializer(CXXCtorInitializer *I) {
    if (const FieldDecl *F = I->getAnyMember())
      Out.Written.insert(F->getCanonicalDecl());
    return RecursiveASTVisitor::TraverseConstructorInitializer(I);
  }

private:
  /// What `MPI_SUM` is the address of, say: nobody writes it.
  static bool isOfLibrary(const VarDecl *D) {
    return D->getType()->isIncompleteType() ||
           D->getASTContext().getSourceManager().isInSystemHeader(
               D->getLocation());
  }
  void note(const Expr *E, llvm::DenseSet<const ValueDecl *> &In) {
    E = E->IgnoreParenCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E);
        M && isa<FieldDecl>(M->getMemberDecl()))
      In.insert(cast<ValueDecl>(M->getMemberDecl()->getCanonicalDecl()));
    else if (const auto *R = dyn_cast<DeclRefExpr>(E))
      if (const auto *D = dyn_cast<VarDecl>(R->getDecl());
          D && D->hasGlobalStorage() && !D->getType().isConstQualified() &&
          !isOfLibrary(D))
        In.insert(D->getCanonicalDecl());
  }
  void noteCall(const std::string &Name) {
    using Kind = rules::CallKind;
    const rules::CollectiveCall *Call = Apis.find(Name);
    if (!Call)
      return;
    Out.Starts |=
        Call->Form == rules::CallForm::Nonblocking &&
        llvm::is_contained(Call->Arguments, rules::CallRole::Request) &&
        Call->Kind != Kind::Wait && Call->Kind != Kind::Test &&
        Call->Kind != Kind::RequestFree;
    Out.Asks |= Call->Kind == Kind::Rank || Call->Kind == Kind::Size ||
                Call->Kind == Kind::CommInit || Call->Kind == Kind::CommSplit ||
                Call->Kind == Kind::CommDup || Call->Kind == Kind::CommCreate;
  }

  StateUses &Out;
  const rules::CollectiveApis &Apis;
};
} // namespace

StateUses stateUses(const FunctionDecl *FD, const rules::CollectiveApis &Apis) {
  StateUses Out;
  StateFinder Find(Out, Apis);
  Find.TraverseDecl(const_cast<FunctionDecl *>(FD));
  return Out;
}

void StateUses::merge(const StateUses &Other) {
  Read.insert(Other.Read.begin(), Other.Read.end());
  Written.insert(Other.Written.begin(), Other.Written.end());
  Asks |= Other.Asks;
  Starts |= Other.Starts;
}

llvm::DenseSet<unsigned> FileCalls::closure(unsigned Of) const {
  llvm::DenseSet<unsigned> Out{Of};
  std::vector<unsigned> Next{Of};
  while (!Next.empty()) {
    const unsigned I = Next.back();
    Next.pop_back();
    for (const unsigned C : Callees[I])
      if (Out.insert(C).second)
        Next.push_back(C);
  }
  return Out;
}

//===--- Which functions belong together ------------------------------------//

const RecordDecl *recordOf(QualType T) {
  if (T->isPointerType() || T->isReferenceType())
    T = T->getPointeeType();
  const RecordDecl *RD = T->getAsRecordDecl();
  return RD ? cast<RecordDecl>(RD->getCanonicalDecl()) : nullptr;
}

/// Each record that a function is given an object of, and how often.
static llvm::DenseMap<const RecordDecl *, unsigned>
recordsOf(const FunctionDecl *FD) {
  llvm::DenseMap<const RecordDecl *, unsigned> Out;
  if (const auto *MD = dyn_cast<CXXMethodDecl>(FD); MD && MD->isInstance())
    ++Out[cast<RecordDecl>(MD->getParent()->getCanonicalDecl())];
  for (const ParmVarDecl *D : FD->parameters())
    if (const RecordDecl *RD = recordOf(D->getType()))
      ++Out[RD];
  return Out;
}

namespace {
class SetupFinder {
public:
  SetupFinder(const FileCalls &Calls, const rules::CollectiveApis &Apis)
      : Calls(Calls) {
    for (const FunctionDecl *FD : Calls.Functions)
      Own.push_back(stateUses(FD, Apis));
    for (unsigned I = 0; I != Own.size(); ++I) {
      Closures.push_back(Calls.closure(I));
      StateUses Sum;
      for (const unsigned C : Closures[I])
        Sum.merge(Own[C]);
      All.push_back(std::move(Sum));
    }
  }

  std::optional<Setup> find(unsigned Root) const;

private:
  /// Whether both see it: a global, or a field of an object that both are
  /// given.
  bool isShared(const ValueDecl *D, unsigned A, unsigned B) const;
  bool prepares(unsigned F, unsigned Root) const;
  bool isUnknown(const ValueDecl *D, const Setup &S) const;
  bool isConstructor(unsigned I) const {
    return isa<CXXConstructorDecl>(Calls.Functions[I]);
  }

  const FileCalls &Calls;
  std::vector<StateUses> Own, All;
  std::vector<llvm::DenseSet<unsigned>> Closures;
};
} // namespace

bool SetupFinder::isShared(const ValueDecl *D, unsigned A, unsigned B) const {
  const auto *F = dyn_cast<FieldDecl>(D);
  if (!F)
    return true;
  const auto *RD = cast<RecordDecl>(F->getParent()->getCanonicalDecl());
  const auto InA = recordsOf(Calls.Functions[A]);
  const auto InB = recordsOf(Calls.Functions[B]);
  // Of two objects nobody can say which one it is.
  return InA.lookup(RD) == 1 && InB.lookup(RD) == 1;
}

bool SetupFinder::prepares(unsigned F, unsigned Root) const {
  const auto *FD = Calls.Functions[F];
  // What starts something that others complete is in the midst of things.
  if (FD->isMain() || !Own[F].Asks || All[F].Starts ||
      Closures[Root].contains(F) || Closures[F].contains(Root) ||
      isa<CXXDestructorDecl>(FD))
    return false;
  return llvm::any_of(Own[F].Written, [&](const ValueDecl *D) {
    return All[Root].Read.contains(D) && isShared(D, F, Root);
  });
}

/// Others write it, too, at times that are not known.
bool SetupFinder::isUnknown(const ValueDecl *D, const Setup &S) const {
  unsigned Writers = 0;
  for (unsigned I = 0; I != Own.size(); ++I) {
    if (!Own[I].Written.contains(D))
      continue;
    const bool IsBefore = llvm::any_of(
        S.Before, [&](unsigned B) { return Closures[B].contains(I); });
    if (!IsBefore && !isConstructor(I) && !Calls.Functions[I]->isMain())
      return true;
    // What comes after a constructor is known to.
    Writers += IsBefore && !isConstructor(I);
  }
  return Writers > 1;
}

std::optional<Setup> SetupFinder::find(unsigned Root) const {
  Setup Out;
  Out.Of = Root;
  for (unsigned I = 0; I != Calls.Functions.size(); ++I)
    if (prepares(I, Root))
      Out.Before.push_back(I);
  // Some call others.
  const std::vector<unsigned> Candidates = Out.Before;
  llvm::erase_if(Out.Before, [&](unsigned I) {
    return llvm::any_of(Candidates, [&](unsigned Other) {
      return Other != I && Closures[Other].contains(I) &&
             !Closures[I].contains(Other);
    });
  });
  const auto Constructors =
      llvm::count_if(Out.Before, [&](unsigned I) { return isConstructor(I); });
  if (Out.Before.empty() || Out.Before.size() > MaxBefore || Constructors > 1)
    return std::nullopt;
  llvm::sort(Out.Before, [&](unsigned A, unsigned B) {
    return std::pair(!isConstructor(A), A) < std::pair(!isConstructor(B), B);
  });
  for (const ValueDecl *D : All[Root].Read)
    if (isUnknown(D, Out))
      Out.Unknown.push_back(D);
  llvm::sort(Out.Unknown, [](const ValueDecl *A, const ValueDecl *B) {
    return A->getLocation() < B->getLocation();
  });
  return Out;
}

std::vector<Setup> findSetups(const FileCalls &Calls,
                              llvm::ArrayRef<unsigned> Roots,
                              const rules::CollectiveApis &Apis) {
  std::vector<Setup> Out;
  const SetupFinder Find(Calls, Apis);
  for (const unsigned Root : Roots)
    if (!Calls.Functions[Root]->isMain())
      if (std::optional<Setup> S = Find.find(Root))
        Out.push_back(std::move(*S));
  return Out;
}

} // namespace spmd::lint::effects
