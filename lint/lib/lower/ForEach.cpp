//===- ForEach.cpp - Calls that are loops over a list ---------------------===//

#include "ForEach.h"

#include "CountedLoops.h"
#include "IteratorLoops.h"
#include "Strip.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The same as listAt, also for `std::begin(list)`.
static const Expr *listOf(const Expr *Iterator, llvm::StringRef Bound) {
  if (const Expr *List = listAt(Bound, Iterator))
    return List;
  Iterator = strip(Iterator)->IgnoreParenImpCasts();
  if (!isa<CallExpr>(Iterator))
    return nullptr;
  const CallSite C(Iterator);
  llvm::StringRef Base = C.base();
  Base.consume_front("c");
  return !C.Receiver && Base == Bound &&
                 llvm::StringRef(C.Name).starts_with("std::") &&
                 C.Arguments.size() == 1
             ? C.Arguments[0]
             : nullptr;
}

/// What \p E is called as: the body of a closure, or a function by its name.
static const FunctionDecl *calledBy(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  const CXXRecordDecl *Class =
      E->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const FunctionDecl *Out = nullptr;
  if (Class && Class->isLambda()) {
    Out = Class->getLambdaCallOperator();
  } else {
    if (const auto *U = dyn_cast<UnaryOperator>(E);
        U && U->getOpcode() == UO_AddrOf)
      E = U->getSubExpr()->IgnoreParenImpCasts();
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    Out = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
  }
  return Out && Out->getNumParams() == 1 && !Out->isDependentContext()
             ? Out
             : nullptr;
}

/// Whether \p T is a pointer to tensors, or an iterator that is made of one.
static bool isOverTensors(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  const auto *Made = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (Made && !llvm::StringRef(className(T)).contains("iter"))
    return false;
  if (Made && Made->getTemplateArgs().size() &&
      Made->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
    T = Made->getTemplateArgs()[0].getAsType();
  return T->isPointerType() && isTensor(T->getPointeeType());
}

static bool isListOfTensors(const Expr *E) {
  return classify(E->getType().getNonReferenceType()) == TypeClass::TensorList;
}

std::optional<ForEach> forEach(const CallExpr *E) {
  const CallSite C(E);
  ForEach Out;
  if (C.Name == "std::for_each" && C.Arguments.size() == 3) {
    Out.List = listOf(C.argument(0), "begin");
    Out.End = listOf(C.argument(1), "end");
    if (Out.List ? !isListOfTensors(Out.List)
                 : !isOverTensors(C.argument(0)->getType()))
      return std::nullopt;
    if (!Out.List || !Out.End) { // of a part
      Out.List = C.argument(0);
      Out.End = nullptr;
    }
    Out.Function = C.argument(2);
  } else if (llvm::StringRef(C.Name).starts_with("std::ranges::") &&
             llvm::StringRef(C.Name).contains("for_each") &&
             C.Arguments.size() == 2 && isListOfTensors(C.argument(0))) {
    Out.List = Out.End = C.argument(0);
    Out.Function = C.argument(1);
  } else {
    return std::nullopt;
  }
  Out.Called = Out.End ? calledBy(Out.Function) : nullptr;
  return Out;
}

std::optional<ForEach> forEachRecord(const CallExpr *E) {
  const CallSite C(E);
  if (C.Name != "std::for_each" || C.Arguments.size() != 3)
    return std::nullopt;
  ForEach Out;
  Out.List = listOf(C.argument(0), "begin");
  Out.End = listOf(C.argument(1), "end");
  Out.Function = C.argument(2);
  QualType Of = Out.List ? elementType(Out.List->getType()) : QualType();
  if (!Of.isNull() && (Of->isPointerType() || isSmartPointer(Of)))
    Of = elementType(Of);
  if (Of.isNull() || classify(Of) != TypeClass::Other || !Out.End)
    return std::nullopt;
  Out.Called = calledBy(Out.Function);
  return Out;
}

namespace {

/// Looks for what takes a tensor and keeps it.
class Keeping : public RecursiveASTVisitor<Keeping> {
public:
  explicit Keeping(const FunctionDecl *In) : In(In) {}

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *E) {
    const CallSite C(E);
    Found |= C.Receiver && isOutside(C.Receiver) &&
             classify(C.Receiver->getType()) == TypeClass::TensorList &&
             llvm::any_of(C.Arguments,
                          [](const Expr *A) { return isHandle(A->getType()); });
    return !Found;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    const auto *Into = dyn_cast<CXXOperatorCallExpr>(strip(E->getArg(0)));
    Found |= E->getOperator() == OO_Equal && isTensor(E->getType()) && Into &&
             Into->getOperator() == OO_Subscript && isOutside(Into) &&
             isHandle(E->getArg(1)->getType());
    return !Found;
  }
  bool Found = false;

private:
  /// Whether \p E is, or is a part of, something that the body does not make.
  bool isOutside(const Expr *E) const {
    E = strip(E)->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return isOutside(M->getBase());
    if (const auto *X = dyn_cast<CXXOperatorCallExpr>(E))
      return isOutside(X->getArg(0));
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    return isa<CXXThisExpr>(E) ||
           (Ref && Ref->getDecl()->getDeclContext() != In);
  }

  const FunctionDecl *In;
};

/// Looks for what may change a tensor that it names.
class Changing : public RecursiveASTVisitor<Changing> {
public:
  Changing(const VarDecl *Tensor, const OpCatalogue &Ops)
      : Tensor(Tensor), Ops(Ops) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentions += E->getDecl() == Tensor;
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    if (!C.Callee || !leaves(C))
      return true;
    Reads += C.Receiver && isNameOf(strip(C.Receiver), Tensor);
    for (const Expr *A : C.Arguments)
      Reads += isNameOf(strip(A), Tensor);
    return true;
  }
  bool found() const { return Mentions != Reads; }

private:
  /// Whether the library's function only looks at what it is given.
  bool leaves(const CallSite &C) const {
    const llvm::StringRef Name(C.Name);
    if (const OpMatch Op = Ops.find(Name))
      return !Op.InPlace && !Op.OutVariant && Op.Rule->Writes.empty() &&
             Op.Rule->Views.empty();
    return C.base() != "operator=" && !C.base().starts_with("set_") &&
           llvm::any_of(llvm::ArrayRef({"at::", "torch::", "c10::", "std::"}),
                        [&](const char *Of) { return Name.starts_with(Of); });
  }

  const VarDecl *Tensor;
  const OpCatalogue &Ops;
  unsigned Mentions = 0, Reads = 0;
};

} // namespace

bool changesElement(const FunctionDecl *Called, const OpCatalogue &Ops) {
  Changing Of(Called->getParamDecl(0), Ops);
  Of.TraverseStmt(Called->getBody());
  return Of.found();
}

bool keepsElement(const FunctionDecl *Called) {
  Keeping Of(Called);
  Of.TraverseStmt(Called->getBody());
  return Of.Found;
}

} // namespace spmd::lint::lower
