//===- MemberLists.cpp - Members that are lists of pointers ---------------===//

#include "MemberLists.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace spmd::lint::lower {

static bool isPointerToNumbers(QualType T) {
  return T->isPointerType() && classify(T) == TypeClass::Buffer &&
         !T->getPointeeType()->isPointerType();
}

bool isMemberList(const FieldDecl *Field) {
  const QualType T = Field->getType();
  return T->isArrayType() &&
         isPointerToNumbers(QualType(T->getArrayElementTypeNoTypeQual(), 0));
}

PointerMember memberList(const Expr *E) {
  const PointerMember M = memberOf(E);
  return M && isMemberList(M.Field) ? M : PointerMember();
}

PointerMember memberListAt(const Expr *E) {
  const auto *At = dyn_cast_or_null<ArraySubscriptExpr>(bare(E));
  return At ? memberList(At->getBase()) : PointerMember();
}

const ParmVarDecl *parameterListAt(const Expr *E) {
  E = bare(E);
  const auto *At = dyn_cast_or_null<ArraySubscriptExpr>(E);
  const auto *Deref = dyn_cast_or_null<UnaryOperator>(E);
  const Expr *List = At ? At->getBase()
                     : Deref && Deref->getOpcode() == UO_Deref
                         ? Deref->getSubExpr()
                         : nullptr;
  return List && isPointerToNumbers(E->getType())
             ? dyn_cast_or_null<ParmVarDecl>(variableOf(List))
             : nullptr;
}

bool staysInList(const PointerOrigins &B, const Expr *Element,
                 const Expr *Value) {
  if (Value->isNullPointerConstant(B.function()->getASTContext(),
                                   Expr::NPC_ValueDependentIsNotNull))
    return true;
  const Expr *At = bare(Value);
  while (const auto *Sum = dyn_cast<BinaryOperator>(At))
    At = bare(Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS()
                                                        : Sum->getRHS());
  if (const PointerMember List = memberListAt(Element))
    return memberListAt(At).Field == List.Field;
  const ParmVarDecl *List = parameterListAt(Element);
  return List && parameterListAt(At) == List;
}

PointerMember memoryMember(const PointerOrigins &B, const Expr *Value) {
  const PointerOrigin Of = B.originOf(Value);
  if (!Of.Variable)
    return Of.Of;
  const Expr *Begin = bare(B.onlyValue(Of.Variable));
  if (!Of.Variable->getType()->isPointerType() ||
      (!Begin && !B.isSetOnce(Of.Variable)))
    return {};
  if (const auto *Both = dyn_cast_or_null<BinaryOperator>(Begin);
      Both && Both->getOpcode() == BO_Assign)
    return memberOf(Both->getLHS());
  PointerMember Out;
  for (const PointerOrigins::Assignment &A : B.Assigned)
    if (const PointerMember M = memberOf(A.To);
        M && variableOf(A.Value) == Of.Variable) {
      if (Out)
        return {}; // nobody knows which is the memory's name
      Out = M;
    }
  return Out;
}

MemberListFillers::MemberListFillers(llvm::ArrayRef<PointerOrigins> Bodies) {
  for (const PointerOrigins &B : Bodies)
    BodyOf[B.function()->getCanonicalDecl()] = &B;
}

/// Whether \p Call fills the list that is its argument \p I with what is
/// neither returned nor an argument of it, or what is one of another call.
bool MemberListFillers::fills(const CallExpr *Call, unsigned I,
                              unsigned Depth) const {
  constexpr unsigned MaxDepth = 4;
  const FunctionDecl *Callee = Call->getDirectCallee();
  const PointerOrigins *B =
      Callee ? BodyOf.lookup(Callee->getCanonicalDecl()) : nullptr;
  if (!B || I >= B->function()->getNumParams() || Depth == MaxDepth)
    return false;
  const ParmVarDecl *P = B->function()->getParamDecl(I);
  for (const PointerOrigins::Assignment &A : B->Assigned)
    if (parameterListAt(A.To) == P && !staysInList(*B, A.To, A.Value) &&
        (Depth || !B->memoryAt(B->originOf(A.Value))))
      return true;
  return llvm::any_of(B->Calls, [&](const CallExpr *Inner) {
    for (unsigned N = 0; N != Inner->getNumArgs(); ++N) {
      const Expr *A = Inner->getArg(N), *Of = addressed(A);
      if ((Of && parameterListAt(Of) == P) ||
          (variableOf(A) == P && fills(Inner, N, Depth + 1)))
        return true;
    }
    return false;
  });
}

namespace {

/// The lists of whose elements a body takes the address.
class AddressedElements : public RecursiveASTVisitor<AddressedElements> {
public:
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (const Expr *Element = addressed(E))
      if (const PointerMember List = memberListAt(Element))
        Found.insert(List.Field);
    return true;
  }
  llvm::SmallPtrSet<const FieldDecl *, 4> Found;
};

} // namespace

llvm::SmallPtrSet<const FieldDecl *, 4>
MemberListFillers::listsIn(const PointerOrigins &B) const {
  AddressedElements Out;
  Out.TraverseStmt(B.function()->getBody());
  for (const CallExpr *Call : B.Calls)
    for (unsigned I = 0; I != Call->getNumArgs(); ++I)
      if (const PointerMember List = memberList(Call->getArg(I));
          List && fills(Call, I))
        Out.Found.insert(List.Field);
  return std::move(Out.Found);
}

} // namespace spmd::lint::lower
