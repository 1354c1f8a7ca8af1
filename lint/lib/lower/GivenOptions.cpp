//===- GivenOptions.cpp - What all objects of a class are made with -------===//

#include "GivenOptions.h"

#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

static bool isOption(QualType T) {
  return T->isIntegralOrEnumerationType() && !T.isVolatileQualified();
}

/// The class of modules that a holder makes one of, or \p RD itself.
static const CXXRecordDecl *madeBy(const CXXRecordDecl *RD) {
  RD = RD ? RD->getDefinition() : nullptr;
  if (!RD)
    return nullptr;
  const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(RD);
  if (Of && qualifiedName(RD) == "torch::nn::ModuleHolder" &&
      Of->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
    return Of->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  for (const CXXBaseSpecifier &B : RD->bases())
    if (className(B.getType()) == "torch::nn::ModuleHolder")
      return madeBy(B.getType()->getAsCXXRecordDecl());
  return RD;
}

void GivenOptions::Value::join(const Value &Other) {
  Several |= Other.Several || (Is && Other.Is && *Is != *Other.Is);
  if (!Is)
    Is = Other.Is;
}

GivenOptions::Given GivenOptions::givenBy(const Expr *E) const {
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    E = D->getExpr();
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (const auto *P = dyn_cast<ParmVarDecl>(Ref->getDecl());
        P && isOption(P->getType()))
      return {{}, P};
  Expr::EvalResult R;
  if (!E->isValueDependent() && isOption(E->getType()) &&
      E->EvaluateAsInt(R, Context->getASTContext()))
    if (const std::optional<std::int64_t> Is = R.Val.getInt().tryExtValue())
      return {{Is, false}, nullptr};
  return {{std::nullopt, true}, nullptr};
}

/// All that the bodies of a file make and change.
class OptionVisitor : public RecursiveASTVisitor<OptionVisitor> {
public:
  explicit OptionVisitor(GivenOptions &Of) : Of(Of) {}
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    const CXXConstructorDecl *Ctor = E->getConstructor();
    if (Ctor->isCopyOrMoveConstructor())
      return true;
    const CXXRecordDecl *Made = madeBy(Ctor->getParent());
    if (Made &&
        Made->getCanonicalDecl() == Ctor->getParent()->getCanonicalDecl()) {
      noteArguments(Ctor, {E->getArgs(), E->getNumArgs()});
      return true;
    }
    Of.noteMade(Made, {E->getArgs(), E->getNumArgs()});
    return true;
  }
  bool TraverseCallExpr(CallExpr *E) {
    if (const Expr *Callee = E->getCallee())
      Callees.insert(Callee->IgnoreParenImpCasts());
    return RecursiveASTVisitor::TraverseCallExpr(E);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (const auto *F = dyn_cast<FunctionDecl>(E->getDecl());
        F && !Callees.contains(E))
      Of.Pointed.insert(F->getCanonicalDecl());
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *F = E->getDirectCallee();
    if (F && !isa<CXXOperatorCallExpr>(E))
      noteArguments(F, {E->getArgs(), E->getNumArgs()});
    const std::string Name = F ? qualifiedName(F) : std::string();
    if (Name != "std::make_shared" && Name != "std::make_unique")
      return true;
    const QualType T = elementType(E->getType());
    if (!T.isNull())
      Of.noteMade(madeBy(T->getAsCXXRecordDecl()),
                  {E->getArgs(), E->getNumArgs()});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      change(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      change(E->getSubExpr());
    return true;
  }

private:
  void noteArguments(const FunctionDecl *Callee,
                     llvm::ArrayRef<const Expr *> Arguments) {
    const FunctionDecl *Body = Callee->getDefinition();
    for (unsigned I = 0; Body && I != Body->getNumParams(); ++I)
      if (isOption(Body->getParamDecl(I)->getType()) && I < Arguments.size())
        Of.GivenFor[Body->getParamDecl(I)].push_back(Of.givenBy(Arguments[I]));
  }
  void change(const Expr *E) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()))
      if (const auto *P = dyn_cast<ParmVarDecl>(Ref->getDecl()))
        Of.ChangedParameters.insert(P);
    if (const auto *M = dyn_cast<MemberExpr>(E->IgnoreParenImpCasts()))
      if (const auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl()))
        Of.Changed.insert(Field);
  }
  GivenOptions &Of;
  llvm::DenseSet<const Expr *> Callees;
};

/// An object of \p Class is made with \p Arguments, which some other function
/// hands on to its constructor.
void GivenOptions::noteMade(const CXXRecordDecl *Class,
                            llvm::ArrayRef<const Expr *> Arguments) {
  Class = Class ? Class->getDefinition() : nullptr;
  if (!Class)
    return;
  for (const CXXConstructorDecl *Ctor : Class->ctors()) {
    const FunctionDecl *Body = Ctor->getDefinition();
    // Whichever of them is meant.
    if (!Body || Ctor->isCopyOrMoveConstructor() ||
        Arguments.size() < Ctor->getMinRequiredArguments() ||
        Arguments.size() > Ctor->getNumParams())
      continue;
    for (unsigned I = 0; I != Body->getNumParams(); ++I) {
      const ParmVarDecl *P = Body->getParamDecl(I);
      const Expr *Default = Ctor->getParamDecl(I)->hasDefaultArg()
                                ? Ctor->getParamDecl(I)->getDefaultArg()
                                : nullptr;
      const Expr *Is = I < Arguments.size() ? Arguments[I] : Default;
      if (Is && isOption(P->getType()))
        GivenFor[P].push_back(givenBy(Is));
    }
  }
}

void GivenOptions::noteConstructor(const CXXConstructorDecl *Ctor) {
  if (Ctor->isCopyOrMoveConstructor() || Ctor->isDelegatingConstructor())
    return;
  llvm::DenseSet<const FieldDecl *> Here;
  for (const CXXCtorInitializer *I : Ctor->inits())
    if (const FieldDecl *Field =
            I->isMemberInitializer() ? I->getMember() : nullptr;
        Field && I->getInit() && isOption(Field->getType())) {
      Here.insert(Field);
      const Expr *Init = I->getInit();
      if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(Init))
        Init = Default->getExpr();
      Set[Field].push_back(givenBy(Init));
    }
  for (const FieldDecl *Field : Ctor->getParent()->fields())
    if (isOption(Field->getType()) && !Here.contains(Field))
      Changed.insert(Field);
}

GivenOptions::Value
GivenOptions::valueOf(Parameter P, llvm::DenseSet<Parameter> &Seen) const {
  Value Out;
  const auto It = GivenFor.find(P);
  const auto *Of = dyn_cast_or_null<FunctionDecl>(P->getDeclContext());
  if (It == GivenFor.end() || ChangedParameters.contains(P) ||
      (Of && Pointed.contains(Of->getCanonicalDecl()))) {
    Out.Several = true; // made elsewhere
    return Out;
  }
  if (!Seen.insert(P).second)
    return Out;
  for (const Given &G : It->second)
    Out.join(G.Same ? valueOf(G.Same, Seen) : G.Is);
  return Out;
}

GivenOptions::GivenOptions(llvm::ArrayRef<const FunctionDecl *> Bodies) {
  OptionVisitor Visitor(*this);
  for (const FunctionDecl *FD : Bodies) {
    if (FD->isDependentContext())
      continue;
    Context = FD;
    if (const auto *Ctor = dyn_cast<CXXConstructorDecl>(FD))
      noteConstructor(Ctor);
    Visitor.TraverseDecl(const_cast<FunctionDecl *>(FD));
  }
  for (const auto &[Field, Values] : Set) {
    Value All;
    for (const Given &G : Values) {
      llvm::DenseSet<Parameter> Seen;
      All.join(G.Same ? valueOf(G.Same, Seen) : G.Is);
    }
    if (!All.Several && All.Is && !Changed.contains(Field))
      Known[Field] = *All.Is;
  }
}

std::optional<bool> GivenOptions::decide(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot) {
    const std::optional<bool> Is = decide(U->getSubExpr());
    return Is ? std::optional(!*Is) : std::nullopt;
  }
  const FieldDecl *Field = memberOfThis(E);
  const auto It = Field ? Known.find(Field) : Known.end();
  return It == Known.end() ? std::nullopt : std::optional(It->second != 0);
}

std::optional<std::int64_t> GivenOptions::givenFor(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  if (!P)
    return std::nullopt;
  llvm::DenseSet<Parameter> Seen;
  const Value Is = valueOf(P, Seen);
  return Is.Several ? std::nullopt : Is.Is;
}

} // namespace spmd::lint::lower
