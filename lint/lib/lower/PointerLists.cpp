//===- PointerLists.cpp - Lists of pointers to structs with names ---------===//

#include "PointerLists.h"

#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

bool isPointerToStruct(QualType T) {
  return T->isPointerType() && T->getPointeeType()->isRecordType() &&
         classify(T) == TypeClass::Other;
}

const InitListExpr *bracesOf(const Expr *E) {
  for (unsigned Depth = 0; E && Depth != 8; ++Depth) {
    E = E->IgnoreParenImpCasts()->IgnoreImplicit();
    if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(E))
      E = Default->getExpr();
    else if (const auto *Std = dyn_cast<CXXStdInitializerListExpr>(E))
      E = Std->getSubExpr();
    else if (const auto *Made = dyn_cast<CXXConstructExpr>(E))
      E = Made->getNumArgs() ? Made->getArg(0) : nullptr;
    else if (const auto *List = dyn_cast<InitListExpr>(E)) {
      // The braces of std::array are those of the array in it.
      if (List->getNumInits() != 1 ||
          !List->getInit(0)->getType()->isArrayType())
        return List;
      E = List->getInit(0);
    } else
      return nullptr;
  }
  return nullptr;
}

namespace {

/// Whether \p D is a list of pointers to structs, or a reference to one.
bool holdsPointers(const ValueDecl *D) {
  const QualType Of = elementType(D->getType());
  return !Of.isNull() && isPointerToStruct(Of) &&
         !D->getType()->isPointerType();
}

/// The variable or member of \p E that has pointers to structs; null of others.
const ValueDecl *listIn(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  const ValueDecl *D = nullptr;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    D = dyn_cast<VarDecl>(Ref->getDecl());
  else if (const auto *Member = dyn_cast<MemberExpr>(E))
    D = dyn_cast<FieldDecl>(Member->getMemberDecl());
  return D && holdsPointers(D) ? D : nullptr;
}

/// `net` of `net.up.w`.
const Expr *rootOf(const Expr *E) {
  while (const auto *Member = dyn_cast<MemberExpr>(E))
    E = Member->getBase()->IgnoreParenImpCasts();
  return E;
}

/// `x` of `&x`, a variable or a member of one; null of others.
const Expr *named(const Expr *E) {
  const auto *U = dyn_cast<UnaryOperator>(strip(E)->IgnoreParenImpCasts());
  if (!U || U->getOpcode() != UO_AddrOf)
    return nullptr;
  const Expr *Of = U->getSubExpr()->IgnoreParenImpCasts();
  return isa<DeclRefExpr, CXXThisExpr>(rootOf(Of)) ? Of : nullptr;
}

/// Whether \p Pointers are to members of the object itself.
bool areOfThis(llvm::ArrayRef<const Expr *> Pointers) {
  return llvm::all_of(Pointers, [](const Expr *E) {
    return isa<CXXThisExpr>(rootOf(named(E)));
  });
}

bool isPush(const CallSite &C) {
  return C.base() == "push_back" || C.base() == "emplace_back";
}

using Elements = llvm::SmallVector<const Expr *, 4>;

/// The pointers to what has a name in braces, or none without; nothing if there
/// is another one among them.
std::optional<Elements> elementsOf(const InitListExpr *Braces) {
  if (!Braces)
    return Elements();
  Elements Out(Braces->inits().begin(), Braces->inits().end());
  if (!llvm::all_of(Out, named))
    return std::nullopt;
  return Out;
}

/// How the lists of a file are filled and read.
class Uses : public RecursiveASTVisitor<Uses> {
public:
  struct Use {
    unsigned Mentions = 0, Known = 0;
    const FunctionDecl *FilledIn = nullptr;
    SourceLocation FirstRead;
    SourceLocation LastFill;
    Elements Filled;
  };
  llvm::MapVector<const ValueDecl *, Use> Of;
  llvm::DenseSet<const RecordDecl *> Named;

  void read(const FunctionDecl *FD) {
    In = FD;
    if (const auto *Made = dyn_cast<CXXConstructorDecl>(FD))
      for (const CXXCtorInitializer *Init : Made->inits())
        if (const FieldDecl *Field = Init->getAnyMember()) {
          noteBraces(bracesOf(Init->getInit()));
          if (isList(Field))
            begin(Field, Init->getInit());
        }
    TraverseStmt(FD->getBody());
  }

  bool TraverseCompoundStmt(CompoundStmt *S) {
    if (S == In->getBody())
      for (const Stmt *Part : S->body())
        if (const auto *E = dyn_cast<Expr>(Part))
          noteFill(E->IgnoreImplicit());
    return RecursiveASTVisitor::TraverseCompoundStmt(S);
  }
  bool VisitVarDecl(VarDecl *VD) {
    if (VD->isLocalVarDecl() && VD->getInit() && isList(VD))
      begin(VD, VD->getInit());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    noteRead(S->getRangeInit());
    return true;
  }
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    if (C.base() == "size" || C.base() == "empty" || C.base() == "reserve")
      noteKnown(C.Receiver);
    if (isPush(C))
      for (const Expr *Argument : C.Arguments)
        noteNamed(Argument);
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() != CK_LValueToRValue)
      return true;
    // `all[i]->grad` reads a pointer, and changes none.
    const Expr *From = E->getSubExpr()->IgnoreParens();
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(From))
      noteRead(A->getBase());
    else if (const auto *C = dyn_cast<CXXOperatorCallExpr>(From);
             C && C->getOperator() == OO_Subscript)
      noteRead(C->getArg(0));
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    noteBraces(E);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      noteNamed(E->getRHS());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return mention(E); }
  bool VisitMemberExpr(MemberExpr *E) { return mention(E); }

private:
  static bool isList(const ValueDecl *D) {
    return holdsPointers(D) && !D->getType()->isReferenceType();
  }
  bool mention(const Expr *E) {
    if (const ValueDecl *D = listIn(E))
      ++Of[D].Mentions;
    return true;
  }
  void noteKnown(const Expr *E) {
    if (const ValueDecl *D = E ? listIn(E) : nullptr)
      ++Of[D].Known;
  }
  void noteRead(const Expr *E) {
    noteKnown(E);
    if (const ValueDecl *D = listIn(E);
        D && Of[D].FirstRead.isInvalid() && Of[D].FilledIn == In)
      Of[D].FirstRead = E->getBeginLoc();
  }
  void noteNamed(const Expr *E) {
    const Expr *X = named(E);
    if (const RecordDecl *RD = X ? X->getType()->getAsRecordDecl() : nullptr)
      Named.insert(RD);
  }
  void noteBraces(const InitListExpr *E) {
    if (E)
      for (const Expr *X : E->inits())
        noteNamed(X);
  }
  void begin(const ValueDecl *D, const Expr *Init) {
    Use &U = Of[D];
    const auto *Made = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
    const InitListExpr *Braces = bracesOf(Init);
    const auto Begins = elementsOf(Braces);
    const bool IsEmpty = Made && !Made->getNumArgs();
    if ((Braces || IsEmpty) && Begins && fillsIn(D, *Begins))
      U.Filled.append(Begins->begin(), Begins->end());
    else
      ++U.Mentions; // of which nothing is known
  }
  /// Whether the elements can be told where the list is read.
  bool fillsIn(const ValueDecl *D, llvm::ArrayRef<const Expr *> Pointers) {
    Use &U = Of[D];
    if (Pointers.empty())
      return true;
    if (U.FilledIn && U.FilledIn != In)
      return false;
    U.FilledIn = In;
    if (const auto *VD = dyn_cast<VarDecl>(D))
      return VD->isLocalVarDecl() && !VD->isStaticLocal();
    return isa<CXXConstructorDecl>(In) && areOfThis(Pointers);
  }
  /// `all.push_back(&up);`
  void noteFill(const Expr *E) {
    const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
    if (!Call)
      return;
    const CallSite C(Call);
    const ValueDecl *D = C.Receiver ? listIn(C.Receiver) : nullptr;
    if (!D || !isPush(C) || C.Arguments.size() != 1 || !named(C.Arguments[0]) ||
        (isa<FieldDecl>(D) && !isa<CXXThisExpr>(rootOf(strip(C.Receiver)))) ||
        !fillsIn(D, C.Arguments[0]))
      return;
    Use &U = Of[D];
    ++U.Known;
    U.Filled.push_back(C.Arguments[0]);
    U.LastFill = E->getBeginLoc();
  }

  const FunctionDecl *In = nullptr;
};

/// `std::vector<T *> all() { return {&up, &down}; }`: the braces; null of
/// others.
const InitListExpr *returnedBraces(const FunctionDecl *FD) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(FD->getBody());
  const auto *Return = Body && Body->size() == 1
                           ? dyn_cast<ReturnStmt>(*Body->body_begin())
                           : nullptr;
  return Return && Return->getRetValue() ? bracesOf(Return->getRetValue())
                                         : nullptr;
}

} // namespace

PointerLists::PointerLists(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  Uses Found;
  for (const FunctionDecl *FD : Bodies) {
    if (FD->isDependentContext() || !FD->getBody())
      continue;
    Found.read(FD);
    const auto *MD = dyn_cast<CXXMethodDecl>(FD);
    const QualType Of = elementType(FD->getReturnType());
    const auto Returned = MD && !Of.isNull() && isPointerToStruct(Of)
                              ? elementsOf(returnedBraces(FD))
                              : std::nullopt;
    if (Returned && !Returned->empty() && areOfThis(*Returned))
      Lists.try_emplace(FD->getCanonicalDecl(), *Returned);
  }
  for (const auto &[List, Use] : Found.Of)
    if (Use.Mentions == Use.Known && !Use.Filled.empty() &&
        (Use.FirstRead.isInvalid() || Use.LastFill.isInvalid() ||
         Use.LastFill.getRawEncoding() < Use.FirstRead.getRawEncoding()))
      Lists.try_emplace(List, Use.Filled);
  Named = std::move(Found.Named);
}

std::optional<PointerLists::Held> PointerLists::find(const Expr *E) const {
  E = handedOver(E);
  const Expr *Object = nullptr;
  const ValueDecl *D = nullptr;
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) {
    D = Call->getMethodDecl();
    D = D ? cast<FunctionDecl>(D)->getCanonicalDecl() : nullptr;
    Object = Call->getImplicitObjectArgument();
  } else if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    D = Member->getMemberDecl();
    Object = Member->getBase();
  } else
    D = listIn(E);
  const auto At = D ? Lists.find(D) : Lists.end();
  if (At == Lists.end())
    return std::nullopt;
  if (Object && isa<CXXThisExpr>(Object->IgnoreParenImpCasts()))
    Object = nullptr;
  return Held{Object, At->second};
}

} // namespace spmd::lint::lower
