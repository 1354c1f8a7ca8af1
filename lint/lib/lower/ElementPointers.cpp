//===- ElementPointers.cpp - What elements of lists point to --------------===//

#include "ElementPointers.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace spmd::lint::lower {

static const Expr *valueOf(const PointerOrigins &B, const VarDecl *VD) {
  return VD->isImplicit() ? VD->getInit() : B.onlyValue(VD);
}

/// Whether \p VD is an array or a vector of structs, or \p Indexed as one.
static bool isList(const VarDecl *VD, bool Indexed) {
  const QualType T = VD->getType().getNonReferenceType();
  const QualType Of =
      T->isArrayType()     ? QualType(T->getArrayElementTypeNoTypeQual(), 0)
      : T->isPointerType() ? (Indexed ? T->getPointeeType() : QualType())
                           : elementType(T);
  return !VD->isImplicit() && !Of.isNull() && Of->isRecordType();
}

/// The list \p E, or that of the element that it is or points to.
static StructList listNamed(const Expr *E, bool Indexed) {
  if (const PointerMember Member = memberOf(E))
    return {Member};
  const VarDecl *VD = variableOf(E);
  return VD && isList(VD, Indexed) ? StructList{{}, VD} : StructList();
}

/// The list of structs of which \p E is an element or a pointer to one:
/// `n->s[i]`, `&n->s[i]`, `s` of `for (Slot &s : slots)`.
static StructList listAt(const PointerOrigins &B, const Expr *E,
                         unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 8;
  E = bare(E);
  if (!E || Depth == MaxDepth)
    return {};
  const Expr *Of = nullptr;
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    Of = S->getBase();
  else if (const auto *C = dyn_cast<CXXOperatorCallExpr>(E))
    Of = C->getOperator() == OO_Subscript || C->getOperator() == OO_Star
             ? C->getArg(0)
             : nullptr;
  else if (const auto *U = dyn_cast<UnaryOperator>(E))
    Of = U->getOpcode() == UO_AddrOf || U->getOpcode() == UO_Deref
             ? U->getSubExpr()
             : nullptr;
  else if (const auto *Sum = dyn_cast<BinaryOperator>(E))
    Of = Sum->getOpcode() == BO_Add ? Sum->getLHS() : nullptr;
  else if (const auto *Method = dyn_cast<CXXMemberCallExpr>(E))
    Of = Method->getMethodDecl() &&
                 Method->getMethodDecl()->getNameAsString() == "begin"
             ? Method->getImplicitObjectArgument()
             : nullptr;
  else if (const VarDecl *VD = variableOf(E))
    Of = valueOf(B, VD);
  const StructList List =
      Of ? listNamed(Of, isa<ArraySubscriptExpr>(E)) : StructList();
  return List || !Of ? List : listAt(B, Of, Depth + 1);
}

/// The values that \p E, of a struct's type, is made of in place.
static const InitListExpr *valuesIn(const Expr *E) {
  E = E->IgnoreUnlessSpelledInSource();
  if (const auto *Literal = dyn_cast<CompoundLiteralExpr>(E))
    E = Literal->getInitializer()->IgnoreUnlessSpelledInSource();
  if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(E))
    E = Cast->getSubExpr()->IgnoreUnlessSpelledInSource();
  return dyn_cast<InitListExpr>(E);
}

static void addStruct(const StructList &List, const Expr *Struct,
                      std::vector<ElementPointer> &Out) {
  const InitListExpr *Values = List ? valuesIn(Struct) : nullptr;
  const RecordDecl *RD =
      Values ? Values->getType()->getAsRecordDecl() : nullptr;
  if (!RD || RD->isUnion())
    return;
  for (const FieldDecl *Field : RD->fields())
    if (Field->getFieldIndex() < Values->getNumInits() &&
        Field->getType()->isPointerType())
      Out.push_back({List, Field, Values->getInit(Field->getFieldIndex())});
}

namespace {

/// `Slot s[] = {{w, g}, …}`.
class FilledArrays : public RecursiveASTVisitor<FilledArrays> {
public:
  explicit FilledArrays(std::vector<ElementPointer> &Out) : Out(Out) {}

  bool VisitVarDecl(VarDecl *VD) {
    const auto *Elements =
        VD->getInit() && isList(VD, /*Indexed=*/false)
            ? dyn_cast<InitListExpr>(VD->getInit()->IgnoreImplicit())
            : nullptr;
    if (Elements)
      for (const Expr *Element : Elements->inits())
        addStruct({{}, VD}, Element, Out);
    return true;
  }

private:
  std::vector<ElementPointer> &Out;
};

} // namespace

std::vector<ElementPointer> elementPointersIn(const PointerOrigins &B) {
  std::vector<ElementPointer> Out;
  FilledArrays(Out).TraverseStmt(B.function()->getBody());
  for (const PointerOrigins::Assignment &A : B.Assigned) {
    const auto *M = dyn_cast<MemberExpr>(bare(A.To));
    const auto *Field = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
    if (const StructList List = Field ? listAt(B, M->getBase()) : StructList();
        List && Field->getType()->isPointerType())
      Out.push_back({List, Field, A.Value});
    addStruct(listAt(B, A.To), A.Value, Out);
  }
  for (const CallExpr *Call : B.Calls) {
    const auto *Op = dyn_cast<CXXOperatorCallExpr>(Call);
    if (Op && Op->getOperator() == OO_Equal)
      addStruct(listAt(B, Op->getArg(0)), Op->getArg(1), Out);
    const auto *Method = dyn_cast<CXXMemberCallExpr>(Call);
    if (Method && Method->getMethodDecl() && Method->getNumArgs() == 1 &&
        Method->getMethodDecl()->getNameAsString() == "push_back")
      addStruct(
          listNamed(Method->getImplicitObjectArgument(), /*Indexed=*/false),
          Method->getArg(0), Out);
  }
  return Out;
}

PointerOrigin memoryIn(const PointerOrigins &B, const Expr *Value) {
  const Expr *At = bare(Value);
  while (const auto *Sum = dyn_cast<BinaryOperator>(At))
    At = bare(Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS()
                                                        : Sum->getRHS());
  const auto *Data = dyn_cast<CXXMemberCallExpr>(At);
  const PointerMember Vector =
      Data && Data->getMethodDecl() &&
              Data->getMethodDecl()->getNameAsString() == "data"
          ? memberOf(Data->getImplicitObjectArgument())
          : PointerMember();
  return Vector ? PointerOrigin{nullptr, Vector} : B.originOf(Value);
}

} // namespace spmd::lint::lower
